/** Votes that come at once, of many holders who delegate in a circle and of one: every sum is that of the last votes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { type ModelBallot, modelTally, ONE } from '../../builders/governance-model.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const BASE = '/v1/governance';
const HOLDERS = 6;

it('count as the last vote of each, with revisions without gaps', async () => {
  const keys = await Promise.all(Array.from({ length: HOLDERS }, () => app.key({ role: 'operator' })));
  const ids: string[] = [];
  for (const apiKey of keys) ids.push((await app.get(`${BASE}/tokens/balance`, { apiKey })).body.holder_id);
  for (const address of ids) await app.post(`${BASE}/tokens/mint`, { address, amount: '20', reason: 'r' });
  for (const [at, apiKey] of keys.entries()) {
    const delegate_address = ids[(at + 1) % HOLDERS];
    await app.post(`${BASE}/tokens/delegate`, { delegate_address, amount: '12' }, { apiKey });
  }
  const { id } = (await app.post(`${BASE}/proposals`, { title: 't', description: 'd', type: 'text' })).body;
  const vote = async (at: number, voting_power: number, against: boolean): Promise<Json> => {
    const ballot = { vote: against ? 'against' : 'for', voting_power };
    return (await app.post(`${BASE}/proposals/${id}/vote`, ballot, { apiKey: keys[at] as string })).body;
  };
  const check = async () => {
    const { data } = (await app.get(`${BASE}/votes/${id}?limit=100`)).body;
    const ballots = (data as Json[]).map(
      (one): ModelBallot => ({ holder: ids.indexOf(one.holder_id), vote: one.vote, power: BigInt(one.voting_power) }),
    );
    const delegations = ids.map((_, from) => ({ from, to: (from + 1) % HOLDERS, units: 12n * ONE }));
    const sums = modelTally({ balances: ids.map(() => 20n * ONE), delegations }, ballots);
    const found = (await app.get(`${BASE}/proposals/${id}`)).body;
    expect([found.votes_for, found.votes_against]).toEqual([Number(sums.for), Number(sums.against)]);
    return data as Json[];
  };

  const all = Array.from({ length: 4 * HOLDERS }, (_, n) => vote(n % HOLDERS, (n * 7) % 33, n % 3 === 0));
  await Promise.all(all);
  expect((await check()).map(({ revision }) => revision)).toEqual(Array(HOLDERS).fill(4));

  const answers = await Promise.all(Array.from({ length: 25 }, (_, n) => vote(0, n, n % 2 === 0)));
  expect(new Set(answers.map(({ revision }) => revision))).toEqual(
    new Set(Array.from({ length: 25 }, (_, n) => n + 5)),
  );
  const kept = (await check()).find(({ holder_id }) => holder_id === ids[0]);
  expect(kept).toMatchObject({
    revision: 29,
    voting_power: answers.find(({ revision }) => revision === 29)?.voting_power,
  });
});
