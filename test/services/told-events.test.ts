/** What is told beside the channels of /v1/ws: by whom each event is written, once, and with what type. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CHANNELS, isTyped } from '../../src/core/events/channels.ts';
import { eventTypeOf, type TypedRow } from '../../src/core/events/event-types.ts';
import { GOVERNANCE_KINDS, type GovernanceEvent } from '../../src/core/events/governance-kinds.ts';
import { tellExpiring } from '../../src/services/credentials/tell-expiring.ts';
import { tell } from '../../src/services/governance/governance-events.ts';
import { type ApprovalsApp, startApprovalsApp } from '../families/c-platform/approvals-app.ts';

const DAY_MS = 24 * 3_600_000;
let now = Date.parse('2026-11-21T12:00:00Z');
const clock = () => now;
let app: ApprovalsApp;
let seen = 0n;
beforeAll(async () => {
  app = await startApprovalsApp({ clock });
  seen = await app.app.store.read.events.lastSeq();
});
afterAll(() => app.close());

/** Since the last call, of one noun; each has the form of its channel. */
async function told(noun: string): Promise<[string, object][]> {
  const events = await app.app.store.read.events.after(seen, 1_000);
  seen = events.at(-1)?.seq ?? seen;
  const typed = events.filter(({ channel }) => isTyped(channel));
  const rows = typed.map(({ accountId, channel, data, retractsSeq }) => {
    const row = { channel, data: CHANNELS[channel].data.parse(JSON.parse(data)), retracts: retractsSeq !== null };
    if (channel !== 'blocks') expect(accountId).toBe(app.accountId);
    return [eventTypeOf(row as TypedRow), row.data] as [string, object];
  });
  return rows.filter(([type]) => type.startsWith(`${noun}.`));
}

it('an approval is requested and decided', async () => {
  await app.rules({});
  const ada = await app.voice('usr_ada');
  const { approval_id } = await app.waiting();
  expect(await told('approval')).toEqual([['approval.requested', { approval_id, status: 'pending', reason: null }]]);
  expect((await app.vote(approval_id, ada, { decision: 'reject' })).body.status).toBe('rejected');
  expect(await told('approval')).toMatchObject([['approval.decided', { approval_id, status: 'rejected' }]]);
});

it('what was approved is told once it is carried out', async () => {
  const { approval_id, txid } = await app.waiting();
  await told('approval');
  expect((await app.vote(approval_id, await app.voice('usr_ada'))).body.status).toBe('approved');
  await app.status(txid, 'broadcast');
  const data = { approval_id, status: 'approved', reason: null };
  expect(await told('approval')).toEqual([
    ['approval.decided', data],
    ['approval.done', { ...data, done: true }],
  ]);
});

it('an approval that nobody gives expires, and that is told', async () => {
  const { approval_id, txid } = await app.waiting();
  await told('approval');
  now += 2 * DAY_MS;
  await app.status(txid, 'failed');
  expect(await told('approval')).toMatchObject([['approval.decided', { approval_id, status: 'expired' }]]);
});

it('a key made and revoked is told of with who did it, a retry and a refusal are not', async () => {
  await told('security');
  const made = await app.post(
    '/api/v1/api-keys',
    { name: 'reader', scopes: ['wallets:read'] },
    { idempotencyKey: 'k1' },
  );
  await app.post('/api/v1/api-keys', { name: 'reader', scopes: ['wallets:read'] }, { idempotencyKey: 'k1' });
  expect((await app.post('/api/v1/api-keys', { name: 'none', scopes: ['none'] })).status).toBe(400);
  const target = made.body.api_key_id;
  expect((await app.call('DELETE', `/api/v1/api-keys/${target}`)).status).toBeLessThan(300);
  const by = { credential: { kind: 'api_key', id: expect.stringMatching(/^key_/) }, remote_address: '127.0.0.1' };
  expect(await told('security')).toEqual([
    ['security.key_created', { notice: 'key_created', operation: 'api-key.create', target, ...by }],
    ['security.key_revoked', { notice: 'key_revoked', operation: 'api-key.revoke', target, ...by }],
  ]);
});

it('a key that expires within 7 days is told of once; one that was revoked is not', async () => {
  const expiresAt = now + 8 * DAY_MS;
  await app.key({ name: 'old', expiresAt });
  const tell = () => tellExpiring({ store: app.app.store, clock });
  expect(await tell()).toBe(0);
  now += 2 * DAY_MS;
  await told('key');
  expect([await tell(), await tell()]).toEqual([1, 0]);
  const expires_at = new Date(expiresAt).toISOString();
  expect(await told('key')).toMatchObject([['key.expiring', { kind: 'api_key', name: 'old', expires_at }]]);
});

it("a signed head of the account's audit log is told of once", async () => {
  const head = async () => (await app.get('/api/v1/compliance/audit/checkpoint')).body.head;
  const before = await head();
  await told('audit');
  await app.post(`/api/v1/wallets/${app.walletId}/addresses`);
  await expect.poll(async () => (await head()).size, { timeout: 90_000 }).toBeGreaterThan(before.size);
  const { size, root, note } = await head();
  expect(await head()).toMatchObject({ size });
  expect((await told('audit')).filter(([, data]) => (data as { size: number }).size === size)).toEqual([
    ['audit.checkpoint', { size, root, note }],
  ]);
});

it('what is told of a DAO has the members of its kind', async () => {
  const events = Object.entries(GOVERNANCE_KINDS).map(([event, { data, example }]) => {
    expect(data.parse(example)).toEqual(example);
    return { event, ...example } as GovernanceEvent;
  });
  await told('governance');
  await app.app.store.write(async (tx) => {
    for (const event of events) await tell(tx, app.accountId, event);
  });
  expect(await told('governance')).toEqual(events.map((event) => [`governance.${event.event}`, event]));
});
