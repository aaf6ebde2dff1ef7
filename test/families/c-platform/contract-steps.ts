/** Steps of contracts that stand, each as a request that a rule may want approved. */
import { expect } from 'vitest';
import type { Json, TestAnswer } from '../../builders/app.ts';
import type { ApprovalsApp } from './approvals-app.ts';

const CONTRACTS = '/api/v1/contracts';
const DLC = '/api/v1/dlc/contracts';
const TERMS = { type: 'dlc', oracle: 'local', outcomes: ['heads', 'tails'], collateral: '0.02000000' };
const REMOTE = { counterparty: { mode: 'remote' } };

export interface ContractSteps {
  /** With both sides in the one wallet unless said, in a block. */
  confirmed(more?: Json): Promise<Json>;
  /** Offered by us, accepted by another account (`theirs` is its record), and in a block. */
  between(): Promise<{ ours: Json; theirs: Json }>;
  /** The same, signed by us: its funding transaction is theirs to send, and not sent. */
  signed(): Promise<{ ours: Json; theirs: Json }>;
  /** Offered by us; `message` is their acceptance, which we have not taken. */
  answered(
    remote?: Json,
    approve?: (approvalId: string) => Promise<unknown>,
  ): Promise<{ ours: Json; theirs: Json; message: string }>;
  /** Offered by the other account and accepted by us; `message` is their sign message, which we have not taken. */
  signedByThem(): Promise<{ ours: Json; message: string }>;
  offer(more?: Json): Promise<Json>;
  accept(id: string, message: string, apiKey?: string): Promise<TestAnswer>;
  sign(id: string, message: string, apiKey?: string): Promise<TestAnswer>;
  cancel(id: string, apiKey: string): Promise<TestAnswer>;
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
  // An offer that nobody answers keeps its coin.
  for (let coin = 0; coin < 30; coin++) {
    for (const [wallet, by] of [
      [deskWallet.wallet_id, { apiKey: desk }],
      [app.walletId, {}],
    ] as const) {
      const { address } = await good(app.post(`/api/v1/wallets/${wallet}/addresses`, undefined, by));
      await app.post('/api/v1/bitcoin/blocks', { count: 1, address });
    }
  }
  await mine(100);

  const get = async (id: string): Promise<Json> => (await app.get(`${CONTRACTS}/${id}`)).body;
  const until = async (id: string, status: string): Promise<Json> => {
    await expect.poll(async () => (await get(id)).status, { timeout: 90_000, interval: 50 }).toBe(status);
    return get(id);
  };
  const offer = (more: Json = {}) => good(app.post(CONTRACTS, { ...TERMS, wallet_id: app.walletId, ...more }));
  const oracleOf = async (as?: { apiKey: string }): Promise<string> =>
    (await app.get('/api/v1/dlc/oracles/local', as)).body.public_key;
  const accept: ContractSteps['accept'] = (id, message, apiKey) =>
    app.post(`${DLC}/${id}/accept`, { message }, apiKey ? { apiKey } : {});
  async function answered(remote: Json = {}, approve?: (approvalId: string) => Promise<unknown>) {
    const terms = { ...TERMS, wallet_id: app.walletId, counterparty: { mode: 'remote', ...remote } };
    let ours = (await app.post(CONTRACTS, terms)).body;
    if (ours.status === 'awaiting_approval') {
      await approve?.(ours.approval_id);
      ours = await until(ours.contract_id, 'offered');
    }
    const taken = { message: ours.messages.offer, accept_oracles: [await oracleOf()] };
    const theirs = await good(byDesk('/api/v1/dlc/offers', taken));
    const accepting = await good(byDesk(`${DLC}/${theirs.contract_id}/accept`, { wallet_id: deskWallet.wallet_id }));
    return { ours, theirs, message: accepting.messages.accept as string };
  }
  async function signed() {
    const { ours, theirs, message } = await answered();
    return { ours: await good(accept(ours.contract_id, message)), theirs };
  }
  return {
    ...{ byDesk, get, until, mine, offer, accept, answered, signed },
    async confirmed(more) {
      const { contract_id } = await offer(more);
      await until(contract_id, 'funded');
      await mine();
      return until(contract_id, 'confirmed');
    },
    async between() {
      const { ours, theirs } = await signed();
      await good(byDesk(`${DLC}/${theirs.contract_id}/sign`, { message: ours.messages.sign }));
      await mine();
      return { ours: await until(ours.contract_id, 'confirmed'), theirs };
    },
    async signedByThem() {
      const made = await good(byDesk(CONTRACTS, { ...TERMS, ...REMOTE, wallet_id: deskWallet.wallet_id }));
      const taken = { message: made.messages.offer, accept_oracles: [await oracleOf({ apiKey: desk })] };
      const received = await good(app.post('/api/v1/dlc/offers', taken));
      const ours = await good(app.post(`${DLC}/${received.contract_id}/accept`, { wallet_id: app.walletId }));
      const { messages } = await good(byDesk(`${DLC}/${made.contract_id}/accept`, { message: ours.messages.accept }));
      return { ours, message: messages.sign };
    },
    execute: (id, apiKey) => app.call('PUT', `${CONTRACTS}/${id}/execute`, { outcome: 'heads' }, { apiKey }),
    close: (id, body, apiKey) => app.post(`${DLC}/${id}/close`, body, { apiKey }),
    sign: (id, message, apiKey) => app.post(`${DLC}/${id}/sign`, { message }, apiKey ? { apiKey } : {}),
    cancel: (id, apiKey) => app.post(`${DLC}/${id}/cancel`, undefined, { apiKey }),
  };
}
