/**
 * kill -9 right before and right after every COMMIT in the life of a vote, from the delegation that it draws on to the end of both. Asked again
 * under the same Idempotency-Keys, each step is done once, and the sums are those of its votes; the two votes that draw on one delegation come at
 * once.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../builders/service-process.ts';
import type { Caller } from './crashes/caller.ts';
import { type KilledService, livesKilledAtEach, startKilledService, type When } from './crashes/killed-service.ts';
import { post } from './crashes/voices.ts';

const BASE = '/v1/governance';

let killed: KilledService;
let [admin, eve, ada]: Caller[] = [];

const holderOf = async (by: Caller): Promise<string> => (await by.read(`${BASE}/tokens/balance`)).holder_id;
const look = (by: Caller, path: string) => eventually(path, () => by.read(BASE + path));

beforeAll(async () => {
  killed = await startKilledService({}, 'governance_\\w+');
  admin = killed.admin;
  [eve, ada] = [await killed.key('eve', 'operator'), await killed.key('ada', 'operator')];
  for (const [by, amount] of [
    [eve, '100'],
    [ada, '50'],
  ] as const) {
    const body = { address: await holderOf(by), amount, reason: 'to vote' };
    await post(admin, { method: 'POST', path: `${BASE}/tokens/mint`, body }, `mint-${amount}`);
  }
  killed.startAgain();
}, 120_000);
afterAll(() => killed.dispose());

/** True if it was killed on the way. */
async function live(commit: number, when: When): Promise<boolean> {
  const mark = `${when}-${commit}`;
  const before = killed.deaths;
  const entries = async () => (await look(admin!, '/tokens/history?limit=1')).pagination.total as number;
  const changes = await entries();
  killed.arm(mark, commit, when);
  let steps = 0;
  const does = (by: Caller | undefined, path: string, body: object | undefined, method = 'POST') =>
    post(by!, { method, path: BASE + path, body }, `${mark}-${steps++}`);

  const given = { delegate_address: await eventually('the holder', () => holderOf(ada!)), amount: '60' };
  const { delegation_id } = (await does(eve, '/tokens/delegate', given)).body;
  const { id } = (await does(eve, '/proposals', { title: mark, description: 'd', type: 'text' })).body;
  const vote = async (by: Caller | undefined, vote: string, voting_power: number) =>
    (await does(by, `/proposals/${id}/vote`, { vote, voting_power })).body.revision;
  const sums = async () => {
    const { votes_for, votes_against, voters } = await look(admin!, `/proposals/${id}`);
    return [votes_for, votes_against, voters];
  };

  expect(await Promise.all([vote(ada, 'for', 110), vote(eve, 'against', 100)])).toEqual([1, 1]);
  expect(await sums()).toEqual([50, 100, 2]);
  expect(await look(eve!, '/tokens/balance')).toMatchObject({ locked: '100.00000000' });
  expect(await vote(ada, 'against', 50)).toBe(2);
  expect(await sums()).toEqual([0, 150, 2]);
  expect(await vote(eve, 'for', 0)).toBe(2);
  expect(await sums()).toEqual([0, 50, 1]);
  await does(eve, `/tokens/delegations/${delegation_id}`, undefined, 'DELETE');
  expect(await look(eve!, '/tokens/balance')).toMatchObject({ locked: '0.00000000', available: '100.00000000' });
  expect(await look(ada!, '/tokens/balance')).toMatchObject({ locked: '50.00000000' });
  await does(admin, `/proposals/${id}?reason=over`, undefined, 'DELETE');
  expect(await look(ada!, '/tokens/balance')).toMatchObject({ locked: '0.00000000' });
  // Both sides of the delegation and of its end.
  expect((await entries()) - changes).toBe(4);
  expect((await look(admin!, `/votes/${id}`)).data.map(({ revision }: any) => revision)).toEqual([2, 2]);
  killed.spare();
  return killed.deaths > before;
}

it.each(['before', 'after'] as const)('right %s each COMMIT', { timeout: 600_000 }, async (when) => {
  // The delegation, the proposal, four votes of which two may share one, and both ends.
  expect(await livesKilledAtEach((commit) => live(commit, when))).toBeGreaterThan(7);
});
