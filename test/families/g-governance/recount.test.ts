/** A proposal's export, recounted. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRecount } from '../../../src/core/governance/recount.ts';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { eventually } from '../../builders/service-process.ts';

let app: TestApp;
let offset = 0;
beforeAll(async () => {
  app = await startTestApp({ clock: () => Date.now() + offset });
});
afterAll(() => app.close());

const AT = '/v1/governance/proposals';
const HOUR = 3_600_000;
/** Of the private key 1. */
const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const by = (apiKey: string) => ({ apiKey });
async function make(title: string): Promise<string> {
  const made = await app.post(AT, { title, description: 'Why', type: 'text', parameters: {} });
  expect(made.status, made.text).toBe(201);
  return made.body.id;
}
async function exported(id: string, apiKey = app.adminKey): Promise<string[]> {
  const answer = await eventually('the last record is sealed', async () => {
    const asked = await app.get(`${AT}/${id}/export`, by(apiKey));
    return asked.status === 409 ? null : asked;
  });
  expect(answer.status, answer.text).toBe(200);
  return answer.text.trimEnd().split('\n');
}
function recount(lines: readonly string[]) {
  const counted = createRecount([]);
  for (const line of lines) counted.take(line);
  return counted.end();
}

it('is of what there was at its creation, also where nobody votes, it is cancelled, or it ends', async () => {
  const other = await app.key({ role: 'operator' });
  const { holder_id } = (await app.get('/v1/governance/tokens/balance', by(other))).body;
  await app.post('/v1/governance/tokens/mint', { address: holder_id, amount: '10.5', reason: 'r' });
  const { holder_id: admin } = (await app.get('/v1/governance/tokens/balance')).body;
  await app.post('/v1/governance/tokens/delegate', { delegate_address: admin, amount: '2.25' }, by(other));
  const [first, second] = [await make('one'), await make('two')];
  await app.post('/v1/governance/tokens/mint', { address: holder_id, amount: '1', reason: 'later' });
  const lines = await exported(first);
  expect(recount(lines)).toMatchObject({ status: 'active', totalPower: 1_000_010n, cast: 0 });
  const leaf = lines.map((line) => JSON.parse(line) as Json).find((line) => line.leaf?.holder_id === holder_id)?.leaf;
  expect(leaf).toMatchObject({ balance: '10.50000000', delegations: [{ to: admin, amount: '2.25000000' }] });
  expect(leaf.keys).toHaveLength(1);
  await app.call('DELETE', `${AT}/${second}`);
  expect(recount(await exported(second))).toMatchObject({ status: 'rejected', cancelled: true });
  offset = 73 * HOUR;
  expect(recount(await exported(first))).toMatchObject({ status: 'rejected', cancelled: false });
  const viewer = await app.key({ role: 'operator', scopes: ['governance:read'] });
  expect((await app.get(`${AT}/${first}/export`, by(viewer))).status).toBe(403);
  expect((await app.get(`${AT}/${first}/export`, by((await app.anotherAccount('b')).apiKey))).status).toBe(404);
});

it('is of each vote with its proof, by a request, by an address, and by a key enrolled later', async () => {
  offset = 80 * HOUR;
  const voter = await app.key({ role: 'operator' });
  const { holder_id } = (await app.get('/v1/governance/tokens/balance', by(voter))).body;
  await app.post('/v1/governance/tokens/mint', { address: holder_id, amount: '5', reason: 'r' });
  const sign = (address: string, message: string) =>
    app.app.services.messages.sign({ address, message, key: '01'.padStart(64, '0'), format: null }).signature;
  const asked = (await app.get(`/v1/governance/address-proof?address=${ADDRESS}`, by(voter))).body;
  const registered = { address: ADDRESS, signature: sign(ADDRESS, asked.message) };
  expect((await app.post('/v1/governance/holders', registered, by(voter))).status).toBe(201);
  const id = await make('three');
  const vote = (body: Json, apiKey?: string) =>
    app.post(`${AT}/${id}/vote`, body, apiKey === undefined ? {} : by(apiKey));
  const choice = { vote: 'against', voting_power: 4 };
  const next = async () => (await app.get(`${AT}/${id}/vote-text?vote=against&voting_power=4`, by(voter))).body;
  const { address, text, revision } = await next();
  expect([address, revision]).toEqual([ADDRESS, 1]);
  const signature = sign(ADDRESS, text);
  const other = await vote({ ...choice, voting_power: 3, signature }, voter);
  expect([other.status, other.body.error.details.field]).toEqual([400, 'signature']);
  const cast = await vote({ ...choice, signature }, voter);
  expect([cast.status, cast.body.proof]).toMatchObject([201, { kind: 'message', signature }]);
  expect((await vote({ ...choice, signature }, voter)).body.error.details.code).toBe('invalid_signature');
  expect((await next()).revision).toBe(2);
  expect((await vote({ vote: 'for', voting_power: 900_000 })).status).toBe(201);
  expect((await app.get(`${AT}/${id}/vote-text?vote=for&voting_power=1`)).status).toBe(409);
  const [mine] = (await app.get('/api/v1/api-keys')).body.data.slice(-1);
  const rotated = await app.post(`/api/v1/api-keys/${mine.api_key_id}/rotate`, { overlap_seconds: 600 });
  app.remember(rotated.body.api_key, rotated.body.private_key);
  expect((await vote({ vote: 'for', voting_power: 800_000 }, rotated.body.api_key)).status).toBe(201);
  const open = recount(await exported(id));
  expect(open).toMatchObject({ status: 'active', votesFor: 800_000n, votesAgainst: 4n, cast: 3, byLaterKeys: 1 });
  offset += 73 * HOUR;
  const lines = await exported(id, rotated.body.api_key);
  expect(recount(lines)).toMatchObject({ status: 'passed', voters: 2, unsigned: 0 });
  const dropped = lines.filter((line) => !line.includes('"number":3'));
  expect(() => recount(dropped)).toThrow(/counts 3 votes and the file has 2/);
});
