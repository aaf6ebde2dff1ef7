/**
 * What is stored may be large: reading contracts of 1,500 outcomes, events of 5,000, payments of 1,000 recipients, approvals of a megabyte and the
 * audit log holds the serving thread no longer than 20 ms of CPU either, as serving-thread.test.ts asks of what is sent.
 */

import { DatabaseSync } from 'node:sqlite';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { serializeAnnouncement } from '../../src/core/dlc/messages/announcement.ts';
import { FIRST_PARAMETERS } from '../../src/core/governance/parameters.ts';
import type { OracleId } from '../../src/core/ids.ts';
import { HOUR_MS } from '../../src/core/policies/windows.ts';
import { scriptAddress } from '../../src/core/relay-policy/script-address.ts';
import { sqlitePath } from '../../src/store/open-store.ts';
import type { VoteRecord } from '../../src/store/repositories/governance-votes.ts';
import { NO_EXECUTION, type ProposalRecord } from '../../src/store/repositories/proposals.ts';
import { startTestApp } from '../builders/app.ts';
import { append } from '../builders/audit.ts';
import { contractRecord, oracleEventRecord, oracleRecord } from '../builders/contract-records.ts';
import { enumEvent, testOracle } from '../builders/dlc-oracle.ts';
import { approvalRecord, transactionRecord, walletRecord } from '../builders/store-records.ts';
import { startReceiver } from '../builders/webhook-receiver.ts';
import { leastHeld, measured } from '../builders/worst/thread-cpu.ts';

const service = await startTestApp({ env: { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' } });
const { accountId, app } = service;
const token = await service.key({ accountId, tier: 'custom', limits: null });
afterAll(() => service.close());

const PAGE = 100;
const ORACLE: OracleId = `ora_${'1'.repeat(22)}`;
const OUTCOMES = Array.from({ length: 1_500 }, (_, at) => `${at}`.padStart(40, '_'));
const payouts = OUTCOMES.map((outcome, at) => ({ outcome, offerSats: `${at}` }));
const EVENT_OUTCOMES = Array.from({ length: 5_000 }, (_, at) => `outcome ${at}`);
const announced = (id: string): string =>
  Buffer.from(serializeAnnouncement(testOracle('prolix').announce(enumEvent(...EVENT_OUTCOMES), id))).toString('hex');
const SUM = { amountSats: 1n, count: 1 };
const DENY = { action: 'deny', message: 'no' };
const LARGE_APPROVAL = { text: 'x'.repeat(1_000_000) };
const recipients = Array.from({ length: 1_000 }, (_, at) => ({
  address: `bcrt1q${`${at}`.padStart(38, '0')}`,
  amountSats: 1_000n,
}));

const proposal: ProposalRecord = {
  ...{ accountId, proposalId: `prp_${'0'.repeat(22)}`, proposerId: 'key_a', title: 't', type: 'text', parameters: {} },
  initiator: { kind: 'api_key', id: 'key_a', role: 'admin', countsAs: null },
  ...{ description: '語'.repeat(10_000), settings: FIRST_PARAMETERS, snapshotSeq: 1, totalPower: 1n, status: 'passed' },
  ...{ votesFor: 1n, votesAgainst: 0n, voters: 1, ballots: PAGE, createdAt: 10, expiresAt: 20, endedAt: 20 },
  ...{ cancelledAt: null, cancelReason: null, ...NO_EXECUTION },
};
const vote: Omit<VoteRecord, 'holderId'> = {
  ...{ accountId, proposalId: proposal.proposalId, holderAddress: null, vote: 'for', power: 1n, own: 1n, taken: 0n },
  ...{ takenBack: 0n, received: 0n, powerIn: 0n, revision: 1, signedAt: 0, createdAt: 10 },
  proof: { kind: 'request', key_id: 'k'.repeat(43), base: 'b'.repeat(2_000), value: 'v', body: '語'.repeat(4_096) },
};

beforeAll(async () => {
  await app.store.write(async (tx) => {
    await tx.oracles.insert(oracleRecord(ORACLE, { accountId }));
    await tx.wallets.insert(walletRecord('wal_large', { accountId }));
  });
  for (let at = 0; at < PAGE; at++) {
    await app.store.write(async (tx) => {
      await tx.oracleEvents.insert(
        oracleEventRecord(ORACLE, `event-${at}`, { accountId, announcement: announced(`event-${at}`) }),
      );
      await tx.contracts.insert(
        contractRecord(`ctr_${`${at}`.padStart(22, '0')}`, {
          accountId,
          payouts,
          oracleIds: [ORACLE],
          eventIds: ['event-0'],
        }),
      );
      // Of a status that nothing changes: those that are broadcast are sent again, and refused.
      const payment = transactionRecord(at, { accountId, walletId: 'wal_large', status: 'failed', recipients });
      await tx.transactions.insert(payment, [], [{ walletId: 'wal_large', receivedSats: 0n, sentSats: 1_000_141n }]);
      await tx.approvals.insert(approvalRecord(`apr_${`${at}`.padStart(22, '0')}`, { accountId, ...LARGE_APPROVAL }));
      const proposalId = `prp_${`${at}`.padStart(22, '0')}` as const;
      await tx.proposals.insert({ ...proposal, proposalId });
      await tx.votes.put({ ...vote, holderId: `key_${at}` });
      for (let records = 0; records < 10; records++) await append(tx, 'of many', accountId);
    });
  }
});

/** Where there is a body, it is posted. The answer is not put together: that would be the test's own work. */
async function read(url: string, body?: object) {
  const options: InjectOptions = {
    ...{ url, headers: { authorization: `Bearer ${token}` }, payloadAsStream: true },
    ...(body && { method: 'POST', payload: body }),
  };
  return measured(async () => {
    const answer = await app.http.inject(options);
    let bytes = 0;
    for await (const piece of answer.stream()) bytes += piece.length;
    return { status: answer.statusCode, bytes };
  });
}

const bestOf = (url: string, body?: object) =>
  leastHeld(
    async () => {
      const sent = await read(url, body);
      expect(sent.made.status).toBe(200);
      return sent;
    },
    ({ bytes }) => `${bytes} bytes`,
  );

it.each([
  `/api/v1/contracts?limit=${PAGE}`,
  `/api/v1/dlc/contracts?limit=${PAGE}`,
  `/api/v1/dlc/offers?limit=${PAGE}`,
  `/api/v1/dlc/events?limit=${PAGE}`,
  `/api/v1/dlc/announcements?limit=${PAGE}`,
  `/api/v1/transactions?limit=${PAGE}`,
  `/api/v1/transactions?limit=${PAGE}&status=failed`,
  `/api/v1/compliance/audit/export`,
  `/api/v1/enterprise/approvals?limit=${PAGE}`,
  '/api/v1/enterprise/approvals?status=approved',
  `/api/v1/dlc/contracts/ctr_${'0'.repeat(22)}`,
  `/v1/governance/proposals?limit=${PAGE}`,
  `/v1/governance/votes/${proposal.proposalId}?limit=${PAGE}`,
])('GET %s holds the serving thread for 20 ms at the most', async (url) => {
  const best = await bestOf(url);
  expect(best.ratio, best.said).toBeLessThanOrEqual(1);
});

it('a snapshot for a device holds it no longer', async () => {
  const best = await bestOf('/api/v1/mobile/sync', { device_id: 'phone' });
  expect(best.ratio, best.said).toBeLessThanOrEqual(1);
});

it.each([
  'contracts',
  'transactions',
  'transactions?status=failed',
])('pages of %s are the same in parts as as a whole', async (path) => {
  const page = async (query: Record<string, string>) =>
    (await service.get(`/api/v1/${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(query)}`)).body;
  const whole = await page({ limit: '100' });
  expect(whole.data).toHaveLength(PAGE);
  expect(whole.pagination).toMatchObject({ total: PAGE, has_more: false, next_cursor: null });
  const first = await page({ limit: '33', offset: '2' });
  const second = await page({ limit: '65', cursor: first.pagination.next_cursor });
  expect([...first.data, ...second.data]).toEqual(whole.data.slice(2));
  expect(second.pagination).toMatchObject({ offset: 35, has_more: false });
});

it('windows of as many lengths as there can be, over 500 payees that were paid in 200 hours each, hold it no longer', async () => {
  const payees = Array.from(
    { length: 500 },
    (_, at) => scriptAddress(Buffer.from(`0014${`${at}`.padStart(40, '0')}`, 'hex'), 'regtest')!,
  );
  const now = Math.floor(Date.now() / HOUR_MS);
  await app.store.write(async (tx) => {
    for (const subject of payees) {
      const paid = (_: unknown, back: number) => ({ scope: 'destination', subject, hour: now - 3 * back, ...SUM });
      await tx.spendSums.add(accountId, Array.from({ length: 200 }, paid));
    }
  });
  for (let rule = 0; rule < 10; rule++) {
    const window = { hours: 744 - rule, per: 'destination', count_over: 200 };
    const made = await service.post('/api/v1/enterprise/policies', { name: `${rule}`, when: { window }, then: DENY });
    expect(made.status).toBe(201);
  }
  const recipients = payees.map((address) => ({ address, amount: '1' }));
  const verdict = await service.post('/api/v1/enterprise/policies/evaluate', { recipients });
  expect(verdict.body.rules[9].matched.window).toContain('201 above 200 in 735 hours, per destination');
  const best = await bestOf('/api/v1/enterprise/policies/evaluate', { recipients });
  expect(best.ratio, best.said).toBeLessThanOrEqual(1);
});

it('nor does a metric of 1,000 days by wallet, in a zone whose days are made of hours and quarters of an hour', async () => {
  for (let n = 0; n < 8; n++)
    expect((await service.post('/api/v1/wallets', { name: 'm', type: 'segwit', backup_type: 'none' })).status).toBe(
      201,
    );
  const day = Math.floor(Date.now() / 86_400_000);
  const database = new DatabaseSync(sqlitePath(service.dataDir));
  database.exec(`INSERT INTO metric_sums
    WITH RECURSIVE hours (hour) AS (SELECT ${day - 999} * 24 UNION ALL SELECT hour + 1 FROM hours WHERE hour < ${day + 1} * 24)
    SELECT account_id, wallet_id, 'transaction', minutes, hour * 60, 'outgoing', status, 1, 5, 1
      FROM hours, (SELECT account_id, wallet_id FROM wallets WHERE account_id = '${accountId}' UNION SELECT '${accountId}', ''),
        (SELECT 60 AS minutes UNION SELECT 15), (SELECT 'confirmed' AS status UNION SELECT 'failed')
    WHERE true ON CONFLICT DO NOTHING`);
  database.close();
  const from = new Date((day - 997) * 86_400_000).toISOString();
  const best = await bestOf(
    `/api/v1/metrics/detailed?metric=transactions&group_by=wallet&timezone=Asia/Kathmandu&from=${from}`,
  );
  expect(best.ratio, best.said).toBeLessThanOrEqual(1);
});

it('nor do a rule and two webhooks that are told of thirty contracts at once', async () => {
  const to = await startReceiver();
  onTestFinished(() => to.close());
  const { body: wallet } = await service.post('/api/v1/wallets', {
    name: 'T',
    type: 'segwit',
    backup_type: 'mnemonic',
  });
  const events = ['contract.*'];
  const digests = { channel: 'in_app', digest: 'daily', timezone: 'UTC' };
  const rule = (await service.post('/api/v1/notifications/rules', { events, ...digests })).body;
  for (const kind of [{ ordered: false }, { wallets: [wallet.wallet_id] }])
    expect((await service.post('/api/v1/webhooks', { url: to.url, events, ...kind })).status).toBe(201);
  const refs = Array.from({ length: 30 }, (_, at) => `ctr_${`${at}`.padStart(22, '0')}`);
  const data = { status: 'confirmed' as const, outcome: null };
  const written = refs.map((ref) => ({
    ...{ accountId, ref, channel: 'contracts' as const },
    data: { contract_id: ref, ...data },
  }));
  let told = 0;
  const tell = async () => {
    await app.store.write((tx) => tx.events.appendMany(written));
    const last = await app.store.read.events.lastSeq();
    told += refs.length;
    await expect.poll(() => to.taken.length).toBe(told);
    const toldSeq = async () => (await app.store.read.notificationRules.find(accountId, rule.rule_id))?.toldSeq;
    await expect.poll(toldSeq).toBeGreaterThanOrEqual(last);
  };
  const best = await leastHeld(() => measured(tell));
  expect(best.ratio, best.said).toBeLessThanOrEqual(1);
});
