import { describe, expect, test } from 'vitest';
import { sealBatch } from '../../../src/services/audit/seal-batch.ts';
import { NO_ACCOUNT } from '../../../src/services/requests/request-context.ts';
import { append, auditParts, checkedLog, sealed, testSealer } from '../../builders/audit.ts';
import type { StoreContext } from '../store.ts';

export function auditTests(context: StoreContext): void {
  const { operation, page } = {
    operation: (entry: string) => (JSON.parse(entry) as { operation: string }).operation,
    page: { limit: 20, offset: 0 },
  };
  const write = (...operations: string[]) =>
    context.store.write(async (tx) => {
      for (const one of operations) await append(tx, one);
    });
  const sealAll = async () => {
    const { records } = await context.store.read.audit.unsealed(null, 1_000);
    await context.store.write((tx) => sealBatch(tx, records));
  };

  test('a record is there with the job that wrote it, or not at all', async () => {
    await write('kept');
    const failing = context.store.write(async (tx) => {
      await append(tx, 'undone');
      throw new Error('the effect failed');
    });
    await expect(failing).rejects.toThrow('the effect failed');
    const { data } = await context.store.read.audit.list('acc_one', {}, page);
    expect(data.map((record) => record.operation)).toEqual(['kept']);
    expect(await context.harness.observe('select sequence from audit_records')).toHaveLength(1);
  });

  test('listeners hear of records that were committed', async () => {
    let heard = 0;
    const stop = context.store.onAudit(() => heard++);
    await write('one');
    const after = heard;
    stop();
    await write('two');
    expect([after > 0, heard]).toEqual([true, after]);
  });

  test('each account sees its own log, filtered and page by page, newest first', async () => {
    const { store } = context;
    for (const one of ['a', 'b', 'c', 'd', 'e']) await write(one);
    await store.write((tx) => append(tx, 'foreign', 'acc_two'));
    await store.write((tx) => append(tx, 'refused', 'acc_one', 'forbidden'));
    await store.write((tx) => append(tx, 'nobody', NO_ACCOUNT));
    const names = (found: { data: { operation: string }[] }) => found.data.map((record) => record.operation);
    expect(names(await store.read.audit.list('acc_one', {}, page))).toEqual(['refused', 'e', 'd', 'c', 'b', 'a']);
    expect(names(await store.read.audit.list('acc_two', {}, page))).toEqual(['foreign']);
    expect(names(await store.read.audit.list('service', {}, page))).toEqual(['nobody']);
    expect(names(await store.read.audit.list('acc_one', { operation: 'c' }, page))).toEqual(['c']);
    expect(names(await store.read.audit.list('acc_one', { outcome: 'forbidden' }, page))).toEqual(['refused']);
    expect(names(await store.read.audit.list('acc_one', { target: 'wal_d' }, page))).toEqual(['d']);
    expect(names(await store.read.audit.list('acc_one', { credentialId: 'key_other' }, page))).toEqual([]);
    const all = (await store.read.audit.list('acc_one', {}, page)).data;
    const [newest, oldest] = [all[0]!.time, all.at(-1)!.time];
    expect((await store.read.audit.list('acc_one', { from: oldest, to: newest + 1 }, page)).total).toBe(6);
    expect((await store.read.audit.list('acc_one', { to: oldest }, page)).total).toBe(0);

    await sealAll();
    await write('unsealed');
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const found = await store.read.audit.list('acc_one', {}, { limit: 2, offset: 0, ...(cursor ? { cursor } : {}) });
      expect(found.total).toBe(7);
      seen.push(...names(found));
      cursor = found.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(['unsealed', 'refused', 'e', 'd', 'c', 'b', 'a']);
    expect(await store.read.audit.find({ logId: 'acc_two', recordId: all[0]!.recordId })).toBeNull();
    expect((await store.read.audit.find({ logId: 'acc_one', recordId: all[0]!.recordId }))?.seal?.position).toBe(5);
  });

  test('seals follow one another, log by log, and the tree keeps its inner nodes', async () => {
    const { store } = context;
    await write(...Array.from({ length: 300 }, (_, index) => `first ${index}`));
    await store.write((tx) => append(tx, 'foreign', 'acc_two'));
    await sealAll();
    await write(...Array.from({ length: 300 }, (_, index) => `second ${index}`));
    await sealAll();
    const log = await checkedLog(store);
    expect(log.map(({ entry }) => operation(entry))).toEqual([
      ...Array.from({ length: 300 }, (_, index) => `first ${index}`),
      ...Array.from({ length: 300 }, (_, index) => `second ${index}`),
    ]);
    expect(await checkedLog(store, 'acc_two')).toHaveLength(1);
    expect(await store.read.audit.nodes('acc_one', 8, 0, 10)).toHaveLength(2);
  });

  test('a record is sealed once, and a position given once', async () => {
    const { store } = context;
    await write('one', 'two');
    const { records } = await store.read.audit.unsealed(null, 10);
    await store.write((tx) => sealBatch(tx, records));
    await expect(store.write((tx) => sealBatch(tx, records))).rejects.toThrow();
    const last = (await store.read.audit.lastSeal('acc_one'))!;
    await write('three');
    const [third] = (await store.read.audit.unsealed(null, 10)).records;
    const fork = { ...last, sequence: third!.sequence, recordId: third!.recordId };
    await expect(store.write((tx) => tx.audit.insertSeals([fork]))).rejects.toThrow();
    expect(await checkedLog(store)).toHaveLength(2);
  });

  test('what commits late is found by its mark, and sealed behind what was sealed before', async () => {
    const { store, harness } = context;
    await write('before');
    let { records, mark } = await store.read.audit.unsealed(null, 10);
    await store.write((tx) => sealBatch(tx, records));
    if (store.kind === 'sqlite') {
      // One writer: rows commit in the order of their sequence.
      await write('after');
      ({ records } = await store.read.audit.unsealed(mark, 10));
      expect(records.map(({ entry }) => operation(entry))).toEqual(['after']);
      return;
    }
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let written = () => {};
    const begun = new Promise<void>((resolve) => {
      written = resolve;
    });
    const late = store.write(async (tx) => {
      await append(tx, 'late');
      written();
      await held;
    });
    await begun;
    // Three rounds go over its head: each seals what is there, and moves the mark.
    for (const name of ['x', 'y', 'z']) {
      await write(name);
      ({ records, mark } = await store.read.audit.unsealed(mark, 10));
      await store.write((tx) => sealBatch(tx, records));
    }
    release();
    await late;
    ({ records, mark } = await store.read.audit.unsealed(mark, 10));
    expect(records.map(({ entry }) => operation(entry))).toEqual(['late']);
    await store.write((tx) => sealBatch(tx, records));
    const log = await checkedLog(store);
    expect(log.map(({ entry }) => operation(entry))).toEqual(['before', 'x', 'y', 'z', 'late']);
    const sequences = log.map(({ seal }) => seal.sequence);
    expect(sequences.at(-1)! < sequences.at(-2)!).toBe(true);
    await write('last');
    ({ records } = await store.read.audit.unsealed(mark, 10));
    expect(records.map(({ entry }) => operation(entry))).toEqual(['last']);
    expect(await harness.observe('select sequence from audit_seals')).toHaveLength(5);
  });

  test('the sealer seals what comes, what was left by a crash, and gives way to none', async () => {
    const { store, harness } = context;
    await write('left');
    const sealers = [testSealer(store), testSealer(store)];
    if (store.kind === 'postgres') sealers.push(testSealer(await context.beside()));
    for (const sealer of sealers) sealer.start();
    await Promise.all(Array.from({ length: 40 }, (_, index) => write(`come ${index}`)));
    await sealed(store);
    if (store.kind === 'postgres') {
      // As when its process dies: the server drops the connection that holds the lock (class "ASHL", the sealer's number).
      const ended = await harness.observe(
        `select pg_terminate_backend(pid) from pg_locks
          where locktype = 'advisory' and granted and classid = 1095977036 and objid = 4`,
      );
      expect(ended).toHaveLength(1);
      await write('after a death');
      await sealed(store);
    }
    // Whichever one was at it ends; another goes on.
    for (const sealer of sealers) {
      await sealer.stop();
      if (sealer === sealers.at(-1)) break;
      await write('more');
      await sealed(store);
    }
    const log = await checkedLog(store);
    expect(log.map(({ entry }) => operation(entry)).filter((name) => name.startsWith('come'))).toHaveLength(40);
    expect(log).toHaveLength(41 + sealers.length - 1 + (store.kind === 'postgres' ? 1 : 0));
    expect((await store.read.audit.lastHead('acc_one'))?.size).toBeGreaterThan(0);
  });

  describe('nothing is changed or deleted, whoever asks the database', () => {
    const fill = async () => {
      const { store } = context;
      await write(...Array.from({ length: 256 }, (_, index) => `record ${index}`));
      await sealAll();
      const { heads } = auditParts(store);
      const { logId, size, root, time } = await heads.fresh('acc_one');
      await store.write((tx) =>
        tx.audit.insertAnchor({
          anchorId: 'anc_one',
          logId,
          size,
          root,
          accountId: 'acc_one',
          txid: 'ab'.repeat(32),
          time,
        }),
      );
    };
    const TABLES: Record<string, { column: string; key: string }> = {
      audit_records: { column: 'entry', key: 'record_id' },
      audit_seals: { column: 'record_id', key: 'position' },
      audit_nodes: { column: 'log_id', key: 'position' },
      audit_heads: { column: 'note', key: 'size' },
      audit_anchors: { column: 'txid', key: 'anchor_id' },
    };
    for (const [table, { column, key }] of Object.entries(TABLES)) {
      test(table, async () => {
        const { store, harness } = context;
        await fill();
        const rows = await harness.observe(`select * from ${table} order by ${key}`);
        expect(rows.length).toBeGreaterThan(0);
        const tries = [
          `update ${table} set ${column} = ${column}`,
          `update ${table} set ${column} = 'x' where ${key} = (select max(${key}) from ${table})`,
          `delete from ${table}`,
          `delete from ${table} where ${key} = (select max(${key}) from ${table})`,
          ...(store.kind === 'sqlite'
            ? [
                `insert or replace into ${table} select * from ${table} limit 1`,
                `replace into ${table} select * from ${table}`,
                `update or replace ${table} set ${column} = 'x'`,
              ]
            : [
                `truncate ${table}`,
                `truncate ${table} cascade`,
                `delete from ${table} where false`,
                `insert into ${table} select * from ${table} limit 1 on conflict (${await primaryKey(table)}) do update set ${column} = 'x'`,
                `merge into ${table} using (select 1) as one on true when matched then delete`,
                `set session_replication_role = replica; delete from ${table}`,
              ]),
        ];
        for (const sql of tries) await expect(harness.execute(sql), sql).rejects.toThrow(/append-only|foreign key/);
        expect(await harness.observe(`select * from ${table} order by ${key}`)).toEqual(rows);
      });
    }
    const primaryKey = async (table: string) =>
      ({
        audit_records: 'sequence',
        audit_seals: 'log_id, position',
        audit_nodes: 'log_id, level, position',
        audit_heads: 'log_id, size, key_id',
        audit_anchors: 'anchor_id',
      })[table];
  });
}
