/**
 * What waits for approval may have two megabytes of text and 200 rules to meet: voting on it, asking for it again, reading and listing it
 * hold the serving thread no longer than 20 ms of CPU either, as serving-thread.test.ts asks of what is sent.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { canonicalJson } from '../../src/core/audit-log/canonical-json.ts';
import { type ApprovalId, newId } from '../../src/core/ids.ts';
import { digestOfText, textOfApproval } from '../../src/core/policies/approval-text.ts';
import { signatureHeaders } from '../builders/signing.ts';
import { approvalRecord } from '../builders/store-records.ts';
import { leastHeld, measured } from '../builders/worst/thread-cpu.ts';
import { APPROVALS, type ApprovalsApp, startApprovalsApp } from '../families/c-platform/approvals-app.ts';

/** As many as the rules of an account may name: 5,000. */
const RULES = 200;
const from = { roles: ['operator' as const], userIds: Array.from({ length: 25 }, () => newId('usr', randomBytes)) };
const initiator = { kind: 'person' as const, id: 'usr_eve', countsAs: 'usr_eve' };

let app: ApprovalsApp;
let eve = '';
beforeAll(async () => {
  app = await startApprovalsApp({ approvalsEveryMs: 3_600_000 });
  eve = await app.voice('usr_eve', { scopes: ['*'], role: 'admin' });
  await app.rules(...Array.from({ length: RULES }, () => ({ required: 3, from })));
});
afterAll(() => app.close());

/** The answer is not put together: that would be the test's own work. */
async function sent(method: 'GET' | 'POST', path: string, apiKey: string, body?: object) {
  const payload = body === undefined ? null : JSON.stringify(body);
  const headers: Record<string, string> = { host: app.host, authorization: `Bearer ${apiKey}` };
  if (payload !== null) headers['content-type'] = 'application/json';
  const signed = { method, path, host: app.host, headers, body: payload };
  if (payload !== null) Object.assign(headers, signatureHeaders(signed, app.pairOf(apiKey), { at: app.now() }));
  const held = await measured(async () => {
    const answer = await app.app.http.inject({
      ...{ method, url: path, headers, payloadAsStream: true },
      ...(payload !== null && { payload }),
    });
    let bytes = 0;
    for await (const piece of answer.stream()) bytes += piece.length;
    return { status: answer.statusCode, bytes };
  });
  expect([200, 202]).toContain(held.made.status);
  return held;
}
async function expectShort(again: () => ReturnType<typeof sent>): Promise<void> {
  const { ratio, said } = await leastHeld(again, ({ bytes }) => `${bytes} bytes`);
  expect(ratio, said).toBeLessThanOrEqual(1);
}

const hex = (bytes: number): string => randomBytes(bytes).toString('hex');
/** Of a payment of 1,400 coins to which five cosigners sign, each. */
const signs = canonicalJson({
  ...{ kind: 'signature', wallet_id: 'wal_one', unsigned_txid: hex(32), transaction: hex(60_000), fee: '0.1' },
  inputs: Array.from({ length: 1_400 }, (_, vout) => ({ txid: hex(32), vout, amount: '0.0001', script: hex(34) })),
  outputs: [],
  added: Array.from({ length: 7_200 }, (_, at) => ({
    ...{ input: at % 1_400, field: 'partial_signature', key: hex(33), sha256: hex(32) },
  })),
});

async function waiting(): Promise<{ path: string; digest: string }> {
  const { accountId } = app;
  const approvalId: ApprovalId = newId('apr', randomBytes);
  const who = { kind: initiator.kind, id: initiator.id, counts_as: initiator.countsAs };
  const head = { approval_id: approvalId, account_id: accountId, operation: 'signature', initiator: who };
  const text = textOfApproval({ version: 1, network: 'regtest', ...head }, signs);
  const requirements = (await app.app.store.read.policies.list(accountId)).map(({ policyId }) => ({
    ...{ policyId, required: 3, from, expiresInHours: 24 },
  }));
  const digest = digestOfText(text);
  const times = { createdAt: app.now(), expiresAt: app.now() + 3_600_000 };
  const record = { accountId, initiator, operation: 'signature', requestOf: 'transaction-signature.create', ...times };
  await app.app.store.write((tx) =>
    tx.approvals.insert(
      approvalRecord(approvalId, { ...record, request: 'x'.repeat(2_700_000), text, digest, requirements }),
    ),
  );
  return { path: `${APPROVALS}/${approvalId}`, digest };
}

it.each(['approve', 'reject'])('the serving thread is held by a vote to %s for 20 ms at the most', async (decision) => {
  expect(signs.length).toBeGreaterThan(1_700_000);
  await expectShort(async () => {
    const { path, digest } = await waiting();
    const by = await Promise.all(['usr_ada', 'usr_bob'].map((person) => app.voice(person)));
    const [first = '', last = ''] = by;
    await sent('POST', `${path}/approve`, first, { digest });
    return sent('POST', `${path}/${decision}`, last, { digest });
  });
});

it.each(['', '/export'])('and by an approval%s, read', async (part) => {
  const { path } = await waiting();
  await expectShort(() => sent('GET', `${path}${part}`, eve));
});

it('and by a request of a megabyte that waits already, behind others of the same person about the same', async () => {
  const { address } = (await app.post(`/api/v1/wallets/${app.walletId}/addresses`)).body;
  const ask = (message: string) =>
    sent('POST', `/api/v1/wallets/${app.walletId}/messages`, eve, { address, message: message.repeat(1_000_000) });
  const letters = [...'abcdefghijklmnopqr'];
  for (const letter of letters) await ask(letter);
  const before = (await app.app.store.read.approvals.held(app.accountId)).length;
  await expectShort(() => ask(letters.at(-1) as string));
  await expectShort(() => ask('a'));
  expect(await app.app.store.read.approvals.held(app.accountId)).toHaveLength(before);
});

it('and by a page of a hundred', async () => {
  for (let made = 0; made < 85; made++) await waiting();
  await expectShort(async () => {
    const page = await sent('GET', `${APPROVALS}?limit=100`, eve);
    expect(page.made.bytes).toBeGreaterThan(10_000_000);
    return page;
  });
});
