/** What older databases hold for rotated keys, and how much of what is scheduled is read to bring other deliveries forward: on both databases. */
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { MIGRATIONS } from '../../src/store/contents.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { type OlderDatabase, upgradedPostgres, upgradedSqlite } from '../builders/older-databases.ts';
import { eventually } from '../builders/service-process.ts';
import { openTemporarySqlite, silent, type TemporaryPostgres, withPostgres } from '../builders/stores.ts';

let server: TemporaryPostgres;
beforeAll(async () => {
  server = await withPostgres();
});
afterAll(() => server.stop());

const ACCOUNT = `insert into accounts (account_id, name, created_at) values ('acc_one', 'one', 1)`;
const notification = (id: string) =>
  `insert into notifications (notification_id, account_id, channel, target, maker_kind, maker_id, subject, body, html, waiting, delivered, failed, created_at)
    values (${id}, 'acc_one', 'in_app', '{}', 'service', 's', 's', 'b', '', 0, 1, 0, 1)`;
const delivery = (id: string, recipient: string, channel = 'in_app') =>
  `insert into notification_deliveries (notification_id, recipient, account_id, channel, queue, status, attempts, day, created_at)
    values ('${id}', '${recipient}', 'acc_one', '${channel}', 'acc_one ${channel}', 'delivered', 0, 1, 1)`;
const rule = (id: string, channel: string, key: string) =>
  `insert into notification_rules (rule_id, account_id, events, channel, target, digest, timezone, enabled, reads_blocks, maker_kind, maker_id,
      maker_role, maker_scopes, told_seq, gathered, lines, created_at, updated_at)
    values ('${id}', 'acc_one', '[]', '${channel}', '{"kind":"subject","id":"${key}"}', 'at_once', 'UTC', 1, 0, 'api_key', '${key}', 'admin', '[]', 0,
      0, '[]', 1, 1)`;

const key = (id: string, rotatedTo: string | null) =>
  `insert into api_keys (key_id, account_id, name, prefix, secret_hash, role, scopes, tier, created_at, rotated_to)
    values ('${id}', 'acc_one', 'k', '${id.padEnd(8, 'x').slice(-8)}', 'h', 'admin', '["*"]', 'standard', 1, ${rotatedTo === null ? 'null' : `'${rotatedTo}'`})`;
const old: OlderDatabase = {
  migrations: MIGRATIONS.filter(({ version }) => version < 55),
  rows: [
    ACCOUNT,
    ...[key('key_1', 'key_2'), key('key_2', 'key_3'), key('key_3', null), key('key_other', null)],
    ...['a', 'b', 'c'].map((id) => notification(`'${id}'`)),
    ...[delivery('a', 'key_1'), delivery('a', 'key_3'), delivery('b', 'key_3'), delivery('c', 'key_2')],
    ...[delivery('c', 'key_other'), delivery('b', 'key_2', 'push')],
    ...[rule('nrl_a', 'in_app', 'key_3'), rule('nrl_b', 'push', 'key_3'), rule('nrl_c', 'in_app', 'key_other')],
    `insert into notification_templates (template_id, account_id, name, subject, body, placeholders, created_at, updated_at)
      values ('tpl_a', 'acc_one', 'a', 's', 'b', '{}', 1, 1)`,
  ],
};

it.each([
  ['SQLite', () => upgradedSqlite(old)],
  ['PostgreSQL', () => upgradedPostgres(server, old)],
])('the key that a rotated one began with has its list and its rules, on %s', async (_, upgraded) => {
  const store = await upgraded();
  onTestFinished(() => store.close());
  const inbox = async (recipient: string) =>
    (await store.read.notificationDeliveries.inbox('acc_one', recipient, undefined, { limit: 9, offset: 0 })).data
      .map(({ notificationId }) => notificationId as string)
      .sort();
  // Of `a` the first has one, and keeps it.
  expect(await inbox('key_1')).toEqual(['a', 'b', 'c']);
  expect([await inbox('key_2'), await inbox('key_3'), await inbox('key_other')]).toEqual([[], ['a'], ['c']]);
  const push = await store.read.notificationDeliveries.of({ accountId: 'acc_one', notificationId: 'b' as never }, 9);
  expect(push.map(({ recipient }) => recipient).sort()).toEqual(['key_1', 'key_2']);
  const targets = (await store.read.notificationRules.listening('acc_one')).map(({ ruleId, target }) => [
    ruleId,
    target.id,
  ]);
  expect(targets.sort()).toEqual([
    ['nrl_a', 'key_1'],
    ['nrl_b', 'key_3'],
    ['nrl_c', 'key_other'],
  ]);
  expect((await store.read.notificationTemplates.find('acc_one', 'tpl_a'))?.makerRole).toBe(null);
});

const MANY = 200_000;
/** Of which the last waits for another try. */
const scheduled = (source: string): string[] => [
  ACCOUNT,
  notification("'n'"),
  `insert into notification_deliveries (notification_id, recipient, account_id, channel, queue, status, attempts, not_before, next_at, day, created_at)
    select 'n', 'r' || n, 'acc_one', 'in_app', 'acc_one in_app', 'queued', 0, 5000000, 5000000, 1, 1 from ${source}`,
  `update notification_deliveries set not_before = null where recipient = 'r${MANY}'`,
];
const forward = (store: Store) =>
  store.write((tx) =>
    tx.notificationDeliveries.bringForward(
      { accountId: 'acc_one', queue: 'acc_one in_app' },
      { now: 20, beyond: 20 },
      500,
    ),
  );

it('of 200,000 that are scheduled none is read to bring others forward, on SQLite', async () => {
  const { store, path, close } = await openTemporarySqlite();
  onTestFinished(close);
  const took = async (): Promise<number> => {
    const all: number[] = [];
    for (let at = 0; at < 5; at++) {
      const from = process.cpuUsage();
      expect(await forward(store)).toBe(0);
      const { user, system } = process.cpuUsage(from);
      all.push(user + system);
    }
    return Math.min(...all);
  };
  const none = await took();
  const database = new DatabaseSync(path);
  for (const statement of scheduled(
    `(with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${MANY}) select n from numbers)`,
  ))
    database.exec(statement);
  database.close();
  expect(await forward(store)).toBe(1);
  expect(await took()).toBeLessThan(5 * none + 5_000);
});

it('nor on PostgreSQL', async () => {
  const url = await server.newDatabase();
  const store = await openPostgresStore({ url, log: silent, clock: Date.now });
  const client = new pg.Client(url);
  await client.connect();
  for (const statement of [...scheduled(`generate_series(1, ${MANY}) as n`), 'analyze notification_deliveries'])
    await client.query(statement);
  expect(await forward(store)).toBe(1);
  // Ends its connections, which report what they have read then.
  await store.close();
  const read = async (index: string): Promise<number> => {
    const { rows } = await client.query('select idx_scan from pg_stat_all_indexes where indexrelname = $1', [index]);
    return Number(rows[0].idx_scan);
  };
  await eventually('it is counted', async () => (await read('notification_deliveries_again')) > 0);
  expect(await read('notification_deliveries_waiting')).toBe(0);
  await client.end();
});
