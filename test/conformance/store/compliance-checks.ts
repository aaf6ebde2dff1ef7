/** What the checks of the compliance status count, and the verification of an audit log that somebody changed past the service. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createWalkLog } from '../../../src/services/audit/walk-log.ts';
import type { CheckStatus } from '../../../src/store/repositories/compliance-checks.ts';
import { append, auditParts, sealed, testSealer } from '../../builders/audit.ts';
import { apiKeyRecord, transactionRecord, txidOf, walletRecord } from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

const DAY = 86_400_000;

export function complianceCheckTests(context: StoreContext): void {
  const ids = (found: readonly { id: string }[]) => found.map(({ id }) => id);

  it('count keys that serve, transactions that wait, and wallets without a backup: the oldest first, of the account alone', async () => {
    const { store } = context;
    const secret = { keyId: 'k', wrappedKey: 'w', iv: 'i', ciphertext: 'c', tag: 't' };
    await store.write(async (tx) => {
      for (const [keyId, patch] of Object.entries({
        key_b: { createdAt: 20 },
        key_a: { createdAt: 10 },
        key_new: { createdAt: 100 },
        key_expired: { createdAt: 10, expiresAt: 50 },
        key_revoked: { createdAt: 10, revokedAt: 50 },
        key_rotated: { createdAt: 10, rotatedTo: 'key_a' },
        key_other: { accountId: 'acc_two', createdAt: 10 },
      } as const))
        await tx.apiKeys.insert(apiKeyRecord({ keyId, prefix: keyId.padEnd(8, '_').slice(-8), ...patch }));
      for (const [ordinal, [status, createdAt]] of Object.entries([
        ['confirmed', 1],
        ['broadcast', 2],
        ['signed', 1],
        ['broadcast', 90],
      ] as const))
        await tx.transactions.insert(transactionRecord(ordinal, { status, createdAt }), [], []);
      await tx.wallets.insert(walletRecord('wal_never', { secret }));
      await tx.wallets.insert(walletRecord('wal_old', { secret }));
      await tx.wallets.insert(walletRecord('wal_new', { secret }));
      await tx.wallets.noteBackup('acc_one', 'wal_old', 5);
      await tx.wallets.noteBackup('acc_one', 'wal_new', 100);
      await tx.wallets.noteBackup('acc_two', 'wal_never', 5);
    });
    const { complianceChecks: checks } = store.read;
    expect(await checks.keysBefore('acc_one', { now: 60, before: 60 })).toEqual([
      { id: 'key_a', kind: 'api_key', at: 10 },
      { id: 'key_b', kind: 'api_key', at: 20 },
    ]);
    expect(ids(await checks.unconfirmedBefore('acc_one', 60))).toEqual([txidOf('2'), txidOf('1')]);
    expect(ids(await checks.walletsBefore('acc_one', 60))).toEqual(['wal_never', 'wal_old']);
    expect(await checks.unconfirmedBefore('acc_two', 60)).toEqual([]);
    expect(await checks.peopleWithoutSecondFactor('acc_one')).toEqual([]);
  });

  it('keep since when a status stands, which another look does not change', async () => {
    const keep = (status: CheckStatus, since: number) =>
      context.store.write((tx) => tx.complianceChecks.keep([{ accountId: 'acc_one', checkId: 'one', status, since }]));
    const kept = async () => (await context.store.read.complianceChecks.all('acc_one')).map(({ since }) => since);
    await keep('pass', 1);
    await keep('pass', 2);
    expect(await kept()).toEqual([1]);
    await keep('warn', 3);
    expect(await kept()).toEqual([3]);
  });

  it('a log is verified page by page, again each day, and what was changed or cut off is found with its position', async () => {
    const { store, harness } = context;
    const { keys, heads } = auditParts(store);
    let now = 0;
    const walkLog = createWalkLog({ store, keys, clock: () => now });
    const walk = async (most = 10_000) => {
      const { walk: at, isAtEnd, found } = await walkLog('acc_one', most, new AbortController().signal);
      return [at.size, at.verifiedSize, at.verifiedAt, at.problemPosition, isAtEnd, found];
    };
    const fill = async (count: number) => {
      await store.write(async (tx) => {
        for (let n = 0; n < count; n++) await append(tx, `op-${n}`);
      });
      const sealer = testSealer(store);
      sealer.start();
      await sealed(store);
      await sealer.stop();
      await heads.fresh('acc_one');
    };
    await fill(230);
    expect(await walk(1)).toEqual([200, 0, null, null, false, false]);
    expect(await walk()).toEqual([230, 230, 0, null, true, false]);
    await fill(5);
    now = DAY - 1;
    expect(await walk()).toEqual([235, 235, DAY - 1, null, true, false]);
    const past = async (table: string, sql: string) => {
      // Reads in one turn of the event loop see the database as it was at its beginning.
      await nextTurn();
      const triggers = (await harness
        .observe(`select name from sqlite_master where type = 'trigger' and tbl_name = '${table}'`)
        .catch(() => [])) as { name: string }[];
      const before = store.kind === 'sqlite' ? triggers.map(({ name }) => `drop trigger ${name}`) : [];
      if (store.kind === 'postgres') before.push(`alter table ${table} disable trigger all`);
      for (const one of [...before, sql]) await harness.execute(one);
    };
    await past(
      'audit_records',
      `update audit_records set target = 'wal_x' where operation = 'op-7' and log_id = 'acc_one'`,
    );
    expect(await walk()).toEqual([235, 235, DAY - 1, null, true, false]);
    now = 2 * DAY;
    expect(await walk()).toEqual([0, 235, DAY - 1, await changedAt(7), true, true]);
    expect(await store.read.auditWalks.wrong()).toEqual(['acc_one']);
    expect(await walk()).toEqual([0, 235, DAY - 1, await changedAt(7), true, false]);
    await past('audit_records', `update audit_records set target = 'wal_op-7' where operation = 'op-7'`);
    now = 3 * DAY;
    expect(await walk()).toEqual([235, 235, 3 * DAY, null, true, false]);
    expect(await store.read.auditWalks.wrong()).toEqual([]);
    await past('audit_seals', `delete from audit_seals where log_id = 'acc_one' and position >= 233`);
    now = 4 * DAY;
    expect(await walk()).toEqual([0, 235, 3 * DAY, 233, true, true]);
  });

  async function changedAt(n: number): Promise<number> {
    const rows = await context.harness.observe(
      `select min(position) as position from audit_seals join audit_records on audit_records.sequence = audit_seals.sequence
        where operation = 'op-${n}' and audit_records.log_id = 'acc_one'`,
    );
    return Number(rows[0]!.position);
  }
}
