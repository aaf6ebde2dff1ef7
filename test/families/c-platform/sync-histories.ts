/** Random histories of payments, deposits, blocks and reorganizations, and devices that sync in between: what they fold is what REST lists. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { SimulatedChain } from '../../../src/chain/simulated/simulated-chain.ts';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';

const SYNC = '/api/v1/mobile/sync';
const LISTS = { txid: 'transactions', contract_id: 'contracts', approval_id: 'enterprise/approvals' };

/** As docs/mobile.md says to apply changes. */
class Device {
  readonly #records = new Map<string, Json>();
  #tip = 0;
  #since: string | undefined;
  readonly #sync: (body: Json) => Promise<Json>;

  constructor(sync: (body: Json) => Promise<Json>) {
    this.#sync = sync;
  }

  /** Whether there is more. */
  async sync(limit: number): Promise<boolean> {
    const { reset, changes, next, has_more } = await this.#sync({ since: this.#since, limit });
    if (reset) this.#records.clear();
    for (const { type, data } of changes) {
      if (type === 'block.connected') this.#tip = data.height;
      const id = data.txid ?? data.contract_id ?? data.approval_id;
      if (id === undefined) continue;
      if (data.unsigned_txid !== undefined && data.unsigned_txid !== id) this.#records.delete(data.unsigned_txid);
      this.#records.set(id, data);
    }
    this.#since = next;
    return has_more;
  }

  /** By id, with the confirmations that follow from the tip. */
  async folded(): Promise<Json> {
    while (await this.sync(50));
    const shown = [...this.#records].map(([id, record]) => {
      const { block_height: height } = record;
      const confirmations = height === null ? 0 : Math.max(1, this.#tip - height + 1);
      return [id, 'txid' in record ? { ...record, confirmations } : record];
    });
    return Object.fromEntries(shown);
  }
}

async function listed(app: TestApp, apiKey: string): Promise<Json> {
  const records: Json = {};
  for (const [id, path] of Object.entries(LISTS)) {
    for (let cursor = ''; ; ) {
      const { data, pagination } = (await app.get(`/api/v1/${path}?limit=100${cursor}`, { apiKey })).body;
      for (const record of data) records[record[id]] = record;
      if (pagination.next_cursor === null) break;
      cursor = `&cursor=${pagination.next_cursor}`;
    }
  }
  return records;
}

const wallet = fc.nat(1);
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ does: fc.constant('deposit' as const), wallet }) },
    { weight: 3, arbitrary: fc.record({ does: fc.constant('pay' as const), wallet, inside: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ does: fc.constant('mine' as const), count: fc.integer({ min: 1, max: 3 }) }) },
    {
      weight: 2,
      arbitrary: fc.record({ does: fc.constant('reorganize' as const), depth: fc.integer({ min: 1, max: 6 }) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        does: fc.constant('sync' as const),
        device: fc.nat(2),
        limit: fc.integer({ min: 1, max: 4 }),
      }),
    },
  ),
  { minLength: 6, maxLength: 16 },
);

/** So that there is something to sync, and to take back, from the first step on. */
const BEFORE: readonly Json[] = [
  { does: 'deposit', wallet: 0 },
  { does: 'deposit', wallet: 1 },
  { does: 'mine', count: 1 },
  { does: 'pay', wallet: 0, inside: true },
];

/** Each history is of an account of its own, on one chain. */
export async function checkHistories(numRuns: number): Promise<void> {
  const app = await startTestApp();
  const chain: SimulatedChain = app.simulated;
  const made = async (apiKey: string): Promise<{ id: string; address: string }> => {
    const given = { name: 'w', type: 'segwit', backup_type: 'none' };
    const { wallet_id: id } = (await app.post('/api/v1/wallets', given, { apiKey })).body;
    return { id, address: (await app.post(`/api/v1/wallets/${id}/addresses`, {}, { apiKey })).body.address };
  };
  const pay = (apiKey: string, wallet_id: string, address: string, amount: string) =>
    app.post(
      '/api/v1/transactions',
      { wallet_id, recipients: [{ address, amount }], fee_rate: '2', rbf: true },
      { apiKey },
    );
  const funder = await made(app.adminKey);
  const fund = async () => {
    await app.post('/api/v1/bitcoin/blocks', { count: 30, address: funder.address });
    await chain.mine(100, '51');
    await app.synced();
  };
  await fund();
  let histories = 0;

  const history = async (taken: readonly Json[]): Promise<void> => {
    if (++histories % 40 === 0) await fund();
    const { apiKey } = await app.anotherAccount(`history ${histories}`);
    const wallets = [await made(apiKey), await made(apiKey)];
    const device = (device_id: string, more: Json = {}) =>
      new Device(async (body) => {
        const {
          status,
          text,
          body: answer,
        } = await app.post(SYNC, { device_id, ...body, ...more }, { apiKey, sign: false });
        expect(status, text).toBe(200);
        return answer;
      });
    const devices = [device('one'), device('two'), device('three', { history: true })];
    for (const step of [...BEFORE, ...taken]) {
      if (step.does === 'deposit') {
        const deposit = () => pay(app.adminKey, funder.id, wallets[step.wallet]!.address, '0.5');
        let { status, text } = await deposit();
        // Reorganizations may leave the funder's payments in a chain that is as long as nodes take.
        if (text.includes('too_many_ancestors')) {
          await chain.mine(1, '51');
          await app.synced();
          ({ status, text } = await deposit());
        }
        expect(status, text).toBe(201);
      }
      // What has no coins, or too many descendants, is refused: nothing happens.
      if (step.does === 'pay')
        await pay(
          apiKey,
          wallets[step.wallet]!.id,
          step.inside ? wallets[1 - step.wallet]!.address : funder.address,
          '0.1',
        );
      if (step.does === 'mine') await chain.mine(step.count, '51');
      if (step.does === 'reorganize') await chain.reorganize(step.depth);
      if (step.does === 'sync') await devices[step.device]!.sync(step.limit);
      if (step.does === 'mine' || step.does === 'reorganize') await app.synced();
    }
    await app.app.services.follower.refreshMempool();
    await app.synced();
    const rest = await listed(app, apiKey);
    for (const one of [...devices, device('new')]) expect(await one.folded()).toEqual(rest);
  };
  try {
    await fc.assert(fc.asyncProperty(steps, history), { numRuns });
  } finally {
    await app.close();
  }
}
