/** Two services on one chain, each with a wallet that has coins: whoever offers, and whoever accepts. */

import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { createSimulatedChain, type SimulatedChain } from '../../src/chain/simulated/simulated-chain.ts';
import type { WalletId } from '../../src/core/ids.ts';
import { type Json, startTestApp, type TestAnswer, type TestApp } from './app.ts';
import { eventually } from './service-process.ts';

export interface ContractParty {
  readonly service: TestApp;
  readonly walletId: WalletId;
  /** The words of its wallet. */
  readonly mnemonic: string;
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
  /** Another service, whose wallet is of these words. */
  another(mnemonic: string): Promise<ContractParty>;
  /** Mines and waits until all have followed. */
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
  const all = [offerer, accepter];
  const mine = async (count = 1) => {
    await chain.mine(count, ELSEWHERE);
    await Promise.all(all.map(({ service }) => service.synced()));
  };
  await mine(100);
  return {
    chain,
    offerer,
    accepter,
    mine,
    async another(mnemonic) {
      const party = await openParty(chain, clock, mnemonic);
      all.push(party);
      return party;
    },
    async close() {
      for (const { service } of all) await service.close();
      await chain.close();
    },
  };
}

async function openParty(chain: SimulatedChain, clock: () => number, words?: string): Promise<ContractParty> {
  const service = await startTestApp({ chain, clock });
  const ask = (method: string, path: string, body?: unknown) => service.call(method, path, body);
  async function make(method: string, path: string, body?: unknown): Promise<Json> {
    const answer = await ask(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }
  const contract = (contractId: string) => make('GET', `/api/v1/contracts/${contractId}`);
  const given =
    words === undefined ? { backup_type: 'mnemonic' } : { backup_type: 'none', mnemonic: words, birthday: 0 };
  const wallet = await make('POST', '/api/v1/wallets', { name: 'contracts', type: 'segwit', ...given });
  const { wallet_id: walletId, mnemonic = words } = wallet;
  if (words === undefined) await fill(walletId);
  await service.synced();

  // Coins of one script are spent together: each is paid to its own.
  async function fill(wallet_id: string): Promise<void> {
    for (let coin = 0; coin < COINS; coin++) {
      const { address } = await make('POST', `/api/v1/wallets/${wallet_id}/addresses`);
      await make('POST', '/api/v1/bitcoin/blocks', { count: 1, address });
    }
  }

  return {
    service,
    walletId,
    mnemonic,
    make,
    ask,
    contract,
    async until(contractId, reached) {
      return eventually('the contract goes on', async () => {
        const now = await contract(contractId);
        return reached(now) && now;
      });
    },
    locked: async () => (await make('GET', `/api/v1/wallets/${walletId}`)).balance.locked,
  };
}
