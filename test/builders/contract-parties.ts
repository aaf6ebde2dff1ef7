/** Two services on one chain, each with a wallet that has coins: whoever offers, and whoever accepts. */
import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { createSimulatedChain, type SimulatedChain } from '../../src/chain/simulated/simulated-chain.ts';
import { type Json, startTestApp, type TestAnswer, type TestApp } from './app.ts';

export interface ContractParty {
  readonly service: TestApp;
  readonly walletId: string;
  /** Answers the body; throws where it is refused. */
  make(method: string, path: string, body?: unknown): Promise<Json>;
  ask(method: string, path: string, body?: unknown): Promise<TestAnswer>;
  contract(contractId: string): Promise<Json>;
  /** The contract, once it is as it should be. */
  until(contractId: string, reached: (contract: Json) => boolean): Promise<Json>;
  /** Decimal BTC that the wallet holds locked. */
  locked(): Promise<string>;
}

export interface ContractParties {
  readonly chain: SimulatedChain;
  readonly offerer: ContractParty;
  readonly accepter: ContractParty;
  /** Mines and waits until both have followed. */
  mine(count?: number): Promise<void>;
  close(): Promise<void>;
}

const COINS = 8;
/** To nobody's wallet. */
const ELSEWHERE = '51';

export async function openContractParties(options: { clock?: () => number } = {}): Promise<ContractParties> {
  const { clock = Date.now } = options;
  const log = pino({ level: 'silent' });
  const chain = await createSimulatedChain({ clock, randomBytes, log });
  await chain.mine(1, ELSEWHERE);
  const offerer = await openParty(chain, clock);
  const accepter = await openParty(chain, clock);
  const mine = async (count = 1) => {
    await chain.mine(count, ELSEWHERE);
    await Promise.all([offerer.service.synced(), accepter.service.synced()]);
  };
  await mine(100);
  return {
    chain,
    offerer,
    accepter,
    mine,
    async close() {
      await offerer.service.close();
      await accepter.service.close();
      await chain.close();
    },
  };
}

async function openParty(chain: SimulatedChain, clock: () => number): Promise<ContractParty> {
  const service = await startTestApp({ chain, clock });
  const ask = (method: string, path: string, body?: unknown) => service.call(method, path, body);
  async function make(method: string, path: string, body?: unknown): Promise<Json> {
    const answer = await ask(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }
  const contract = (contractId: string) => make('GET', `/api/v1/contracts/${contractId}`);
  const wallet = { name: 'contracts', type: 'segwit', backup_type: 'none' };
  const { wallet_id: walletId } = await make('POST', '/api/v1/wallets', wallet);
  // Coins of one script are spent together: each is paid to its own.
  for (let coin = 0; coin < COINS; coin++) {
    const { address } = await make('POST', `/api/v1/wallets/${walletId}/addresses`);
    await make('POST', '/api/v1/bitcoin/blocks', { count: 1, address });
  }
  await service.synced();
  return {
    service,
    walletId,
    make,
    ask,
    contract,
    async until(contractId, reached) {
      for (;;) {
        const now = await contract(contractId);
        if (reached(now)) return now;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    locked: async () => (await make('GET', `/api/v1/wallets/${walletId}`)).balance.locked,
  };
}
