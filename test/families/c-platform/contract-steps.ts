/** Steps of contracts that stand, each as a request that a rule may want approved. */
import { expect } from 'vitest';
import type { Json, TestAnswer } from '../../builders/app.ts';
import type { ApprovalsApp } from './approvals-app.ts';

const CONTRACTS = '/api/v1/contracts';
const DLC = '/api/v1/dlc/contracts';
const TERMS = { type: 'dlc', oracle: 'local', outcomes: ['heads', 'tails'], collateral: '0.02000000' };

export interface ContractSteps {
  /** With both sides in the one wallet unless said, in a block. */
  confirmed(more?: Json): Promise<Json>;
  /** Offered by us, accepted by another account (`theirs` is its record), and in a block. */
  between(): Promise<{ ours: Json; theirs: Json }>;
  byDesk(path: string, body: Json): Promise<TestAnswer>;
  get(id: string): Promise<Json>;
  until(id: string, status: string): Promise<Json>;
  mine(count?: number): Promise<void>;
  execute(id: string, apiKey: string): Promise<TestAnswer>;
  close(id: string, body: Json, apiKey: string): Promise<TestAnswer>;
}

const good = async (answer: Promise<TestAnswer>): Promise<Json> => {
  const { status, body, text } = await answer;
  expect(status, text).toBeLessThan(202);
  return body;
};

export async function contractSteps(app: ApprovalsApp): Promise<ContractSteps> {
  const { apiKey: desk } = await app.anotherAccount('desk');
  const byDesk = (path: string, body: Json) => app.post(path, body, { apiKey: desk });
  const deskWallet = await good(byDesk('/api/v1/wallets', { name: 'Desk', type: 'segwit', backup_type: 'mnemonic' }));
  const mine = async (count = 1) => {
    await app.simulated.mine(count, '51');
    await app.synced();
  };
  for (let coin = 0; coin < 4; coin++) {
    const { address } = await good(byDesk(`/api/v1/wallets/${deskWallet.wallet_id}/addresses`, undefined));
    await app.post('/api/v1/bitcoin/blocks', { count: 1, address });
  }
  await mine(100);

  const get = async (id: string): Promise<Json> => (await app.get(`${CONTRACTS}/${id}`)).body;
  const until = async (id: string, status: string): Promise<Json> => {
    await expect.poll(async () => (await get(id)).status, { timeout: 90_000, interval: 50 }).toBe(status);
    return get(id);
  };
  const offer = (more: Json = {}) => good(app.post(CONTRACTS, { ...TERMS, wallet_id: app.walletId, ...more }));
  return {
    ...{ byDesk, get, until, mine },
    async confirmed(more) {
      const { contract_id } = await offer(more);
      await until(contract_id, 'funded');
      await mine();
      return until(contract_id, 'confirmed');
    },
    async between() {
      const made = await offer({ counterparty: { mode: 'remote' } });
      const { public_key } = (await app.get('/api/v1/dlc/oracles/local')).body;
      const message = made.messages.offer;
      const theirs = await good(byDesk('/api/v1/dlc/offers', { message, accept_oracles: [public_key] }));
      const accepting = await good(byDesk(`${DLC}/${theirs.contract_id}/accept`, { wallet_id: deskWallet.wallet_id }));
      const accepted = { message: accepting.messages.accept };
      const { messages } = await good(app.post(`${DLC}/${made.contract_id}/accept`, accepted));
      await good(byDesk(`${DLC}/${theirs.contract_id}/sign`, { message: messages.sign }));
      await mine();
      return { ours: await until(made.contract_id, 'confirmed'), theirs };
    },
    execute: (id, apiKey) => app.call('PUT', `${CONTRACTS}/${id}/execute`, { outcome: 'heads' }, { apiKey }),
    close: (id, body, apiKey) => app.post(`${DLC}/${id}/close`, body, { apiKey }),
  };
}
