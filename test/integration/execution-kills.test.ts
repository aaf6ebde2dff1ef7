/**
 * kill -9 right before and right after every COMMIT of the execution of a proposal that pays, at once and after an approval. Asked again under
 * the same Idempotency-Keys, and under others, each pays once.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../builders/service-process.ts';
import type { Caller } from './crashes/caller.ts';
import { type KilledService, livesKilledAtEach, startKilledService, type When } from './crashes/killed-service.ts';
import { post } from './crashes/voices.ts';

const BASE = '/v1/governance';
const APPROVALS = '/api/v1/enterprise/approvals';
const PAYEE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
/** Proposals that are voted on at a time: that takes a second, however many they are. */
const AT_ONCE = 8;

let killed: KilledService;
let [admin, executor, ada]: Caller[] = [];
let asked = 0;
/** That have passed and are not executed, by amount. */
const passed: Record<string, string[]> = {};

const made = async (by: Caller, path: string, body: object = {}, method = 'POST') =>
  (await post(by, { method, path, body }, `made-${asked++}`)).body;
const look = (path: string) => eventually(path, () => admin!.read(path));
async function mine(count: number, address = PAYEE): Promise<void> {
  await made(admin!, '/api/v1/bitcoin/blocks', { count, address });
  await eventually('followed', async () => (await admin!.read('/api/v1/blockchain/status')).follower.lag === 0);
}

beforeAll(async () => {
  const parameters = { voting_period_hours: 1 / 3600, timelock_hours: 0, quorum_percent: 0 };
  killed = await startKilledService(
    { DAO_PARAMETERS: JSON.stringify(parameters) },
    'governance_\\w+|transactions|approvals',
  );
  admin = killed.admin;
  [executor, ada] = [await killed.key('executor', 'admin'), await killed.key('ada', 'operator')];
  const { holder_id: address } = await admin.read(`${BASE}/tokens/balance`);
  await made(admin, `${BASE}/tokens/mint`, { address, amount: '100', reason: 'to vote' });
  const { wallet_id } = await made(admin, '/api/v1/wallets', { name: 'treasury', type: 'segwit', backup_type: 'none' });
  await mine(1, (await made(admin, `/api/v1/wallets/${wallet_id}/addresses`)).address);
  await mine(100);
  await made(admin, `${BASE}/dao/treasury`, { wallet_id }, 'PUT');
  await made(admin, '/api/v1/enterprise/policies', {
    name: 'two people',
    when: { operations: ['treasury_spend'], amount_over: '0.15' },
    then: { action: 'approve', required: 1, from: { roles: ['operator'] } },
  });
  killed.startAgain();
}, 120_000);
afterAll(() => killed.dispose());

const executionOf = async (id: string) => (await admin!.read(`${BASE}/proposals/${id}`)).execution;
async function passedOf(amount: string): Promise<string> {
  const ids = passed[amount] ?? [];
  passed[amount] = ids;
  const parameters = { recipients: [{ address: PAYEE, amount }], fee_rate: '2' };
  if (ids.length === 0)
    for (let one = 0; one < AT_ONCE; one++) {
      const given = { title: 'Pay', description: 'd', type: 'treasury_spend', parameters };
      const { id } = await made(admin!, `${BASE}/proposals`, given);
      await made(admin!, `${BASE}/proposals/${id}/vote`, { vote: 'for', voting_power: 100 });
      ids.push(id);
    }
  const id = ids.shift()!;
  await eventually('it passed', async () => (await executionOf(id))?.status === 'ready');
  return id;
}

/** True if it was killed on the way. */
async function live(amount: string, commit: number, when: When): Promise<boolean> {
  const mark = `${amount}-${when}-${commit}`;
  await mine(1);
  const id = await passedOf(amount);
  const before = killed.deaths;
  killed.arm(mark, commit, when);
  const execute = async (by: Caller, as: string) =>
    post(by, { method: 'POST', path: `${BASE}/dao/execute/${id}` }, `${mark}-${as}`).catch((error: Error) => error);
  await Promise.all([execute(executor!, 'one'), execute(executor!, 'one'), execute(admin!, 'other')]);
  if (amount === '0.2') {
    const [{ approval_id }] = (await look(`${APPROVALS}?status=pending`)).data;
    const { digest } = await look(`${APPROVALS}/${approval_id}`);
    await post(ada!, { method: 'POST', path: `${APPROVALS}/${approval_id}/approve`, body: { digest } }, `${mark}-ada`);
  }
  await eventually(`${mark} is executed`, async () => (await executionOf(id)).status === 'executed');
  killed.spare();
  const paid = (await look(`/api/v1/transactions?label=proposal%20${id}`)).data;
  expect([mark, paid.map(({ txid }: any) => txid)]).toEqual([mark, [(await executionOf(id)).txid]]);
  await eventually(`${mark} is sent`, async () => {
    const { status } = await admin!.read(`/api/v1/transactions/${paid[0].txid}`);
    return status === 'broadcast' || status === 'confirmed';
  });
  return killed.deaths > before;
}

it.each([
  ['0.1', 'before'],
  ['0.1', 'after'],
  ['0.2', 'before'],
  ['0.2', 'after'],
] as const)('a payment of %s, right %s each COMMIT', { timeout: 600_000 }, async (amount, when) => {
  // The payment, and that it was sent; where it waits also the vote.
  expect(await livesKilledAtEach((commit) => live(amount, commit, when))).toBeGreaterThan(amount === '0.2' ? 3 : 2);
});
