/** Oracles through HTTP: from an announcement to the attestation, and what each refusal says. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, startTestApp, type TestApp } from '../../../builders/app.ts';
import { foreignOracle } from '../../../builders/foreign-oracle.ts';

let service: TestApp;
let now = Date.now();
let server: Server;
let url: string;
const pages = new Map<string, string>();
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

beforeAll(async () => {
  server = createServer((request, response) => {
    const page = pages.get(request.url as string);
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/plain' }).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  service = await startTestApp({ clock: () => now, env: { ORACLE_ALLOWED_HOSTS: '127.0.0.1' } });
});
afterAll(async () => {
  await service.close();
  server.closeAllConnections();
  server.close();
});

const DLC = '/api/v1/dlc';
async function made(path: string, body: Json): Promise<Json> {
  const answer = await service.post(`${DLC}${path}`, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}
async function got(path: string): Promise<Json> {
  const answer = await service.get(`${DLC}${path}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}
/** Status, slug and field of a refusal. */
async function refused(path: string, body: Json, method = 'POST'): Promise<unknown[]> {
  const { status, body: answer } = await service.call(method, `${DLC}${path}`, body);
  return [status, answer?.error?.details?.code, answer?.error?.details?.field];
}
const tomorrow = () => new Date(now + 86_400_000).toISOString();
const PAST = '2026-01-01T00:00:00Z';

describe('a local oracle', () => {
  it('is there when it is asked for, announces, waits for maturity, and attests once', async () => {
    const oracle = await got('/oracles/local');
    expect(oracle).toMatchObject({ type: 'local', default: true, url: null, equivocated_at: null });
    const event = await made('/events', {
      event_id: 'Zürich, 1. Spiel',
      maturity: tomorrow(),
      outcomes: ['home', 'away'],
    });
    expect(event).toMatchObject({ oracle_id: oracle.oracle_id, oracle_public_key: oracle.public_key, outcome: null });
    expect(await got(`/announcements/local/${encodeURIComponent('Zürich, 1. Spiel')}`)).toEqual(event);
    const attest = { oracle: 'local', event_id: event.event_id, outcome: 'home' };
    expect(await refused('/attestations', attest)).toEqual([409, 'state_conflict', 'event_id']);
    now += 90_000_000;
    const attestation = await made('/attestations', attest);
    expect(attestation).toMatchObject({ outcome: 'home', outcomes: ['home'], source: 'local', equivocation: null });
    expect(await made('/attestations', attest)).toEqual(attestation);
    expect(await refused('/attestations', { ...attest, outcome: 'away' })).toEqual([
      409,
      'outcome_conflict',
      'outcome',
    ]);
    expect(await refused('/attestations', { ...attest, outcome: 'none' })).toEqual([400, 'invalid_value', 'outcome']);
    expect(await got(`/attestations/${attestation.attestation_id}`)).toEqual(attestation);
    const [listed] = (
      await got(`/events?oracle=local&attested=true&event_id=${encodeURIComponent('Zürich, 1. Spiel')}`)
    ).data;
    expect(listed).toMatchObject({ event_id: event.event_id, outcome: 'home', committed_at: expect.any(String) });
    const verdict = await service.post(`${DLC}/attestations/verify`, {
      announcement: event.announcement,
      attestations: [attestation.attestation],
    });
    expect(verdict.body).toMatchObject({
      announcement_valid: true,
      attestations: [{ valid: true }],
      equivocation: false,
    });
  });

  it('attests numbers by their digits', async () => {
    const numeric = { digits: 8, unit: 'usd/btc', precision: 3, signed: true };
    const event = await made('/events', { maturity: PAST, numeric });
    expect(event.descriptor).toMatchObject({ type: 'digits', base: 2, ...numeric, outcomes: null });
    expect(event.nonces).toHaveLength(9);
    const attest = (outcome: string) => made('/attestations', { oracle: 'local', event_id: event.event_id, outcome });
    expect((await attest('-1000')).outcome).toBe('-255');
    expect((await attest('-255')).outcomes).toEqual(['-', ...Array(8).fill('1')]);
  });

  it('refuses by name what it cannot announce', async () => {
    const body = { maturity: PAST, outcomes: ['home', 'away'] };
    for (const [change, slug, field] of [
      [{ outcomes: undefined }, undefined, 'outcomes'],
      [{ numeric: { digits: 4 } }, undefined, 'outcomes'],
      [{ outcomes: ['one'] }, undefined, 'outcomes'],
      [{ outcomes: ['\u00e9', 'e\u0301'] }, 'invalid_value', 'outcomes[1]'],
      [{ outcomes: ['a', ''] }, undefined, 'outcomes[1]'],
      [{ outcomes: undefined, numeric: { digits: 64 } }, undefined, 'numeric.digits'],
      [{ maturity: '2026-01-01' }, undefined, 'maturity'],
      [{ maturity: '2126-01-01T00:00:00Z' }, undefined, 'maturity'],
      [{ oracle: 'another' }, undefined, 'oracle'],
      [{ oracle: 'ora_0000000000000000000000' }, 'not_found', 'oracle'],
      [{ event_id: 'a'.repeat(256) }, undefined, 'event_id'],
    ] as const) {
      const answer = await refused('/events', { ...body, ...change });
      expect(answer[2], JSON.stringify(change)).toBe(field);
      if (slug !== undefined) expect(answer[1], JSON.stringify(change)).toBe(slug);
    }
    await made('/events', { ...body, event_id: 'taken' });
    expect(await refused('/events', { ...body, event_id: 'taken' })).toEqual([409, 'already_exists', 'event_id']);
  });

  it('shows its key and its nonces to nobody', async () => {
    const event = await made('/events', { maturity: PAST, outcomes: ['a', 'b'] });
    const oracle = await service.app.store.read.oracles.findDefault(service.accountId);
    expect(oracle?.secret).not.toBeNull();
    const answers = [
      await got('/oracles'),
      await got('/oracles/local'),
      await got('/events'),
      await got('/announcements'),
    ];
    const stored = await service.app.store.read.oracleEvents.find(service.accountId, event.oracle_id, event.event_id);
    for (const secret of [oracle?.secret?.ciphertext, stored?.nonces?.ciphertext]) {
      expect(secret).toEqual(expect.any(String));
      expect(JSON.stringify(answers)).not.toContain(secret);
    }
    for (const name of Object.keys(answers[1])) expect(name).not.toMatch(/secret|private|nonces/);
  });

  it('attests for operators only', async () => {
    const event = await made('/events', { maturity: PAST, outcomes: ['a', 'b'] });
    const body = { oracle: 'local', event_id: event.event_id, outcome: 'a' };
    const viewer = await service.key({ role: 'viewer' });
    expect((await service.post(`${DLC}/attestations`, body, { apiKey: viewer })).status).toBe(403);
    const reader = await service.key({ role: 'operator', scopes: ['oracles:read', 'contracts:write'] });
    expect((await service.post(`${DLC}/attestations`, body, { apiKey: reader })).status).toBe(403);
    const other = await service.anotherAccount();
    expect((await service.post(`${DLC}/attestations`, body, { apiKey: other.apiKey })).status).toBe(404);
    expect((await got(`/attestations?event_id=${event.event_id}`)).data).toEqual([]);
  });
});

describe("somebody else's oracle", () => {
  const register = (foreign = foreignOracle(), more: Json = {}) =>
    made('/oracles', { name: 'of others', public_key: foreign.publicKey, ...more });

  it('is registered, found, renamed, and forgotten while nothing refers to it', async () => {
    const foreign = foreignOracle();
    const oracle = await register(foreign, { url: `${url}/`, external_id: 'ext-1' });
    expect(oracle).toMatchObject({ type: 'external', default: false, url, external_id: 'ext-1' });
    expect((await got('/oracles?type=external&external_id=ext-1')).data).toEqual([oracle]);
    expect(await refused('/oracles', { name: 'again', public_key: foreign.publicKey })).toEqual([
      409,
      'already_exists',
      'public_key',
    ]);
    const path = `/oracles/${oracle.oracle_id}`;
    const patched = await service.call('PATCH', `${DLC}${path}`, { name: 'renamed', url: null });
    expect(patched.body).toMatchObject({ name: 'renamed', url: null, external_id: 'ext-1' });
    expect((await service.call('DELETE', `${DLC}${path}`)).status).toBe(204);
    expect(await refused(path, undefined, 'GET')).toEqual([404, 'not_found', 'oracle_id']);
  });

  it('has a URL that may be asked', async () => {
    const body = { name: 'x', public_key: foreignOracle().publicKey };
    for (const wrong of [
      'https://10.0.0.1',
      'https://0x7f000002',
      'https://[::1]',
      'https://169.254.169.254',
      'http://oracle.example.com',
      'https://user:password@oracle.example.com',
      'https://oracle.example.com?a=b',
      'https://oracle.example.com#a',
      'ftp://127.0.0.1',
      'nonsense',
    ])
      expect(await refused('/oracles', { ...body, url: wrong }), wrong).toEqual([400, 'invalid_value', 'url']);
    expect(await refused('/oracles', { ...body, public_key: 'ff'.repeat(32) })).toEqual([
      400,
      'invalid_key',
      'public_key',
    ]);
    for (const [wrong, field] of [
      [{ name: 'x' }, 'public_key'],
      [{ ...body, type: 'local' }, 'public_key'],
      [{ name: 'x', type: 'local', url }, 'url'],
      [{ ...body, public_key: 'zz' }, 'public_key'],
    ] as const)
      expect((await refused('/oracles', wrong))[2]).toBe(field);
  });

  it('is heard: announcement and attestation posted, and both when it contradicts itself', async () => {
    const foreign = foreignOracle();
    const oracle = await register(foreign);
    const said = foreign.announce({ kind: 'enum', outcomes: ['heads', 'tails'] });
    const attestation = hex(said.attest('heads'));
    expect(await refused('/attestations', { attestation })).toEqual([422, 'announcement_missing', 'attestation']);
    const event = await made('/announcements', { announcement: hex(said.announcement) });
    expect(event).toMatchObject({ oracle_id: oracle.oracle_id, announcement: hex(said.announcement) });
    expect(await made('/announcements', { announcement: hex(said.announcement) })).toEqual(event);
    expect((await got(`/announcements?oracle=${oracle.oracle_id}`)).data).toEqual([event]);
    expect(await refused(`/oracles/${oracle.oracle_id}`, undefined, 'DELETE')).toEqual([
      409,
      'state_conflict',
      'oracle_id',
    ]);
    expect((await made('/attestations', { attestation })).equivocation).toBeNull();
    expect((await got(`/oracles/${oracle.oracle_id}`)).equivocated_at).toBeNull();

    now += 1;
    const { equivocation } = await made('/attestations', { attestation: hex(said.attest('tails')) });
    expect(equivocation.attestations.map(({ outcome }: Json) => outcome)).toEqual(['heads', 'tails']);
    expect((await got(`/oracles/${oracle.oracle_id}`)).equivocated_at).toEqual(expect.any(String));
    const { data } = await got(`/attestations?equivocated=true&oracle=${oracle.oracle_id}`);
    expect(data).toHaveLength(2);
    const proof = {
      announcement: equivocation.announcement,
      attestations: equivocation.attestations.map((one: Json) => one.attestation),
    };
    const other = await service.anotherAccount('strangers');
    const verdict = await service.post(`${DLC}/attestations/verify`, proof, { apiKey: other.apiKey });
    expect(verdict.body).toMatchObject({ oracle_public_key: foreign.publicKey, equivocation: true });
    expect((await service.get(`${DLC}/attestations`, { apiKey: other.apiKey })).body.data).toEqual([]);
  });

  it('is not believed what it did not sign, and what cannot be read is refused by name', async () => {
    const foreign = foreignOracle();
    await register(foreign);
    const said = foreign.announce({ kind: 'enum', outcomes: ['heads', 'tails'] });
    const stranger = foreignOracle().announce({ kind: 'enum', outcomes: ['heads', 'tails'] }, said.event.eventId);
    expect(await refused('/announcements', { announcement: hex(stranger.announcement) })).toEqual([
      404,
      'not_found',
      'announcement',
    ]);
    await made('/announcements', { announcement: hex(said.announcement) });
    const again = foreign.announce({ kind: 'enum', outcomes: ['heads', 'tails'] }, said.event.eventId);
    expect(await refused('/announcements', { announcement: hex(again.announcement) })).toEqual([
      409,
      'already_exists',
      'announcement',
    ]);
    expect(await refused('/attestations', { attestation: hex(again.attest('heads')) })).toEqual([
      400,
      'invalid_signature',
      'attestation',
    ]);
    for (const [path, field] of [
      ['/announcements', 'announcement'],
      ['/attestations', 'attestation'],
    ] as const) {
      expect((await refused(path, {}))[2]).toBe(field);
      expect((await refused(path, { [field]: 'zz' }))[2]).toBe(field);
      expect(await refused(path, { [field]: 'fdd824' })).toEqual([400, 'invalid_message', field]);
      expect((await refused(path, { [field]: 'fdd824', event_id: 'x' }))[2]).toBe(field);
      expect((await refused(path, { event_id: 'x' }))[2]).toBe('oracle');
    }
    expect((await refused('/attestations', { oracle: 'local', event_id: 'x' }))[2]).toBe('outcome');
    const verify = { announcement: hex(said.announcement), attestations: [hex(said.attest('heads')), 'fdd868'] };
    expect(await refused('/attestations/verify', verify)).toEqual([400, 'invalid_message', 'attestations[1]']);
  });

  it('is asked under its URL for announcements', async () => {
    const foreign = foreignOracle();
    const oracle = await register(foreign, { url: `${url}/of/football` });
    const said = foreign.announce({ kind: 'enum', outcomes: ['heads', 'tails'] }, 'final 2026/1');
    const body = { oracle: oracle.oracle_id, event_id: 'final 2026/1' };
    expect(await refused('/announcements', body)).toEqual([422, 'announcement_missing', 'event_id']);
    pages.set('/of/football/announcement/final%202026%2F1', hex(said.announcement));
    const event = await made('/announcements', body);
    expect(event).toMatchObject({ event_id: 'final 2026/1', announcement: hex(said.announcement) });
    expect(await got(`/announcements/${oracle.oracle_id}/final%202026%2F1`)).toEqual(event);
  });
});
