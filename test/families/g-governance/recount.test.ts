/** A proposal's export, recounted: also by what has nothing of the service. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRecount } from '../../../src/core/governance/recount.ts';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { verifyFile } from '../../builders/governance-export.ts';
import { recountAlone } from '../../builders/governance-recount.ts';
import { eventually } from '../../builders/service-process.ts';
import { signatureHeaders } from '../../builders/signing.ts';

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

it('holds for whatever was taken: a body with a byte order mark; what was signed before the vote that it would replace is refused', async () => {
  offset = 170 * HOUR;
  const { apiKey } = await app.anotherAccount('in order');
  const given = { title: 'in order', description: 'Why', type: 'text' };
  const { id } = (await app.post(AT, given, by(apiKey))).body;
  const path = `${AT}/${id}/vote`;
  const cast = (body: string, signedAgoMs: number) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const at = Date.now() + offset - signedAgoMs;
    const signed = signatureHeaders({ method: 'POST', path, host: app.host, headers, body }, app.pairOf(apiKey), {
      at,
    });
    return app.call('POST', path, body, { apiKey, sign: false, headers: signed });
  };
  expect((await cast('\ufeff{"vote":"for","voting_power":9}', 0)).status).toBe(201);
  const older = await cast('{"vote":"against","voting_power":9}', 100_000);
  expect([older.status, older.body.error.message]).toEqual([409, expect.stringContaining('sign it again')]);
  expect(recount(await exported(id, apiKey))).toMatchObject({ votesFor: 9n, votesAgainst: 0n, cast: 1 });
});

/** A vote of four holders with delegations, by requests and an address, one that takes back and one by a key enrolled later; its file, and the log's key. */
async function votedFile(): Promise<{ lines: string[]; key: string }> {
  offset = 200 * HOUR;
  const { accountId, apiKey: admin } = await app.anotherAccount('voting');
  const [ann, bob, cid] = await Promise.all([1, 2, 3].map(() => app.key({ accountId, role: 'operator' })));
  const does = async (apiKey: string, path: string, body: Json) => {
    const answer = await app.post(path, body, by(apiKey));
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  const tokens = (what: string, body: Json, apiKey = admin) => does(apiKey, `/v1/governance/tokens/${what}`, body);
  const idOf = async (apiKey: string) => (await app.get('/v1/governance/tokens/balance', by(apiKey))).body.holder_id;
  await tokens('burn', { address: await idOf(admin), amount: '999900', reason: 'few' });
  for (const [apiKey, amount] of [
    [ann!, '60.5'],
    [bob!, '40'],
    [cid!, '30.00000001'],
  ] as const)
    await tokens('mint', { address: await idOf(apiKey), amount, reason: 'to vote' });
  for (const [from, to, amount] of [
    [ann!, bob!, '25.5'],
    [ann!, cid!, '10'],
    [admin, bob!, '3'],
  ] as const)
    await tokens('delegate', { delegate_address: await idOf(to), amount }, from);
  const sign = (message: string) =>
    app.app.services.messages.sign({ address: ADDRESS, message, key: '01'.padStart(64, '0'), format: null }).signature;
  const { message } = (await app.get(`/v1/governance/address-proof?address=${ADDRESS}`, by(cid!))).body;
  await does(cid!, '/v1/governance/holders', { address: ADDRESS, signature: sign(message) });
  const asked = { title: 'Wem gehört die Kasse? 🗝', description: 'a "b"\n\u2028c', type: 'text', parameters: {} };
  const { id } = await does(admin, AT, asked);
  const vote = (apiKey: string, choice: string, voting_power: number, more: Json = {}) =>
    does(apiKey, `${AT}/${id}/vote`, { vote: choice, voting_power, ...more });
  await vote(bob!, 'for', 68);
  const { text } = (await app.get(`${AT}/${id}/vote-text?vote=against&voting_power=40`, by(cid!))).body;
  await vote(cid!, 'against', 40, { signature: sign(text) });
  await vote(ann!, 'for', 50);
  const rotated = await does(admin, `/api/v1/api-keys/${await idOf(bob!)}/rotate`, { overlap_seconds: 0 });
  app.remember(rotated.api_key, rotated.private_key);
  await vote(rotated.api_key, 'against', 68);
  await vote(admin, 'for', 97);
  offset += 73 * HOUR;
  const lines = await exported(id, admin);
  const checkpoint = await app.get('/api/v1/compliance/audit/checkpoint', by(admin));
  return { lines, key: checkpoint.body.keys[0].verifier };
}

/** Made once as above: a file that was given away stays countable, whatever changes here. */
const KEPT = new URL('../../vectors/ashlar-governance-1.ndjson', import.meta.url);
const KEPT_KEY =
  'ashlar/638119a60df6aa2b/acc_HInMTBRKtqH0xsvzFqKxtB+1010536d+Aayr2JkGTpKt/Ffoq1/XSkeCWsd4OzWk+Uli6i0x8dU6';
type Change = (lines: Json[]) => Json[];
const edit =
  (type: string, at: number, change: (line: Json) => Json): Change =>
  (lines) => {
    const found = lines.filter((line) => line.type === type)[at];
    return lines.flatMap((line) => (line === found ? change(line) : line));
  };
const cast = (at: number, change: (of: Json) => Json) =>
  edit('cast', at, (line) => ({ ...line, cast: { ...line.cast, ...change(line.cast) } }));
/** Numbered and revised anew, as whoever hides it does. */
const renumbered: Change = (lines) => {
  const revisions = new Map<string, number>();
  let number = 0;
  return lines.map((line) => {
    if (line.type !== 'cast') return line;
    const { holder_id } = line.cast;
    revisions.set(holder_id, (revisions.get(holder_id) ?? 0) + 1);
    return { ...line, cast: { ...line.cast, number: ++number, revision: revisions.get(holder_id) } };
  });
};
const VOTES = [0, 1, 2, 3, 4];
const TAMPERED: Readonly<Record<string, readonly Change[]>> = {
  'a vote that says the other side': VOTES.map((at) =>
    cast(at, ({ vote }) => ({ vote: vote === 'for' ? 'against' : 'for' })),
  ),
  'a vote with less power': VOTES.map((at) => cast(at, ({ power }) => ({ power: `${Number(power) - 1}` }))),
  'a vote whose proof is gone': VOTES.map((at) => cast(at, () => ({ proof: { kind: 'none' } }))),
  'a vote left out': VOTES.map((at) => edit('cast', at, () => [])),
  'a vote left out and the rest numbered': VOTES.map((at) => (lines) => renumbered(edit('cast', at, () => [])(lines))),
  'a vote twice': VOTES.map((at) => edit('cast', at, (line) => [line, line])),
  'a vote twice, and numbered': VOTES.map(
    (at) => (lines) => renumbered(edit('cast', at, (line) => [line, line])(lines)),
  ),
  'a snapshot with another balance': [0, 1, 2, 3].map((at) =>
    edit('leaf', at, ({ leaf, ...line }) => ({ ...line, leaf: { ...leaf, balance: leaf.balance.replace(/.$/, '2') } })),
  ),
  'a snapshot without a holder': [edit('leaf', 1, () => [])],
  'a snapshot whose root was made anew': [
    edit('proposal', 0, ({ statement, ...line }) => ({
      ...line,
      statement: { ...statement, snapshot: { ...statement.snapshot, root: '0'.repeat(64) } },
    })),
  ],
  'another tally': [edit('tally', 0, (line) => ({ ...line, votes_for: '148' }))],
};

it.each([
  ['is served', votedFile],
  ['was kept', async () => ({ lines: readFileSync(KEPT, 'utf8').trimEnd().split('\n'), key: KEPT_KEY })],
] as const)('makes the same where the file %s, alone and by the command, and neither takes it changed', async (_, file) => {
  const { lines, key } = await file();
  const pinned = Buffer.from(key.split('+').slice(2).join('+'), 'base64').subarray(1);
  const counted = { status: 'passed', for: 147n, against: 83n, total: 230n, voters: 4, cast: 5 };
  expect(recountAlone(lines, pinned)).toEqual(counted);
  const { code, json, err } = await verifyFile(lines, '--key', key);
  const sums = { votes_for: '147', votes_against: '83', total_power: '230', voters: 4, votes_cast: 5 };
  expect([code, json], err).toMatchObject([
    0,
    { ...sums, status: 'passed', votes_unsigned: 0, votes_by_later_keys: 1 },
  ]);
  expect(() => recountAlone(lines, Buffer.alloc(32, 7))).toThrow('recount: head');
  const all = lines.map((line) => JSON.parse(line) as Json);
  for (const [what, changes] of Object.entries(TAMPERED))
    for (const [at, change] of changes.entries()) {
      const changed = change(all).map((line) => JSON.stringify(line));
      expect((await verifyFile(changed, '--key', key)).code, `${what} ${at}`).toBe(1);
      expect(() => recountAlone(changed, pinned), `${what} ${at}`).toThrow(/^recount: /);
    }
});
