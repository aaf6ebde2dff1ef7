import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MIGRATIONS } from '../../../src/store/contents.ts';
import { openSqliteStore, type SqliteStoreOptions } from '../../../src/store/sqlite/sqlite-store.ts';
import { accountRecord } from '../../builders/store-records.ts';
import { silent } from '../../builders/stores.ts';

describe('SQLite store', () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ashlar-sqlite-'));
    path = join(directory, 'data', 'ashlar.db');
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));
  const open = (role: 'service' | 'tool', more: Partial<SqliteStoreOptions> = {}) =>
    openSqliteStore({ path, role, log: silent, clock: Date.now, ...more });

  test('writes are durable and checked: WAL, synchronous FULL, foreign keys, strict tables', async () => {
    const store = await open('service');
    const { openConnection } = await import('../../../src/store/sqlite/connection.ts');
    const connection = openConnection(path);
    const pragma = (name: string) => Object.values(connection.database.prepare(`pragma ${name}`).get()!)[0];
    expect([pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys')]).toEqual(['wal', 2, 1]);
    const loose = connection.database
      .prepare("select name from pragma_table_list where strict = 0 and type = 'table' and name not like 'sqlite_%'")
      .all();
    expect(loose).toEqual([]);
    connection.close();
    expect([path, `${path}-wal`].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
    await store.close();
  });

  test('whoever wrote reads it at once, a snapshot of before the COMMIT notwithstanding', async () => {
    const store = await open('service');
    await store.write(async (tx) => {
      await tx.settings.set('told', 'yes');
      expect(await store.read.settings.get('told')).toBe(null);
    });
    expect(await store.read.settings.get('told')).toBe('yes');
    await store.close();
  });

  test('a data directory in use is refused to a second service, and free again after it', async () => {
    const first = await open('service');
    await expect(open('service')).rejects.toThrow(/in use by another running service.*DATA_DIR/);
    await first.write((tx) => tx.accounts.insert(accountRecord('acc_one')));
    await first.close();
    const second = await open('service');
    expect(await second.read.accounts.count()).toBe(1);
    await second.close();
  });

  test('a tool reads and writes beside the running service', async () => {
    const service = await open('service');
    const tool = await open('tool');
    await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        (i % 2 ? service : tool).write((tx) => tx.accounts.insert(accountRecord(`acc_${i}`))),
      ),
    );
    expect(await service.read.accounts.count()).toBe(40);
    await expect(tool.exclusively('follower', new AbortController().signal, async () => 1)).rejects.toMatchObject({
      code: 'unsupported',
    });
    await tool.close();
    await service.close();
  });

  test('a tool alone may make and bring forward a database; a service can start beside it', async () => {
    const tool = await open('tool');
    await tool.write((tx) => tx.accounts.insert(accountRecord('acc_one')));
    const service = await open('service');
    expect(await service.read.accounts.count()).toBe(1);
    await service.close();
    await tool.close();
  });

  test('a tool of a newer program does not migrate under a running service', async () => {
    const service = await open('service');
    const newer = {
      migrations: [...MIGRATIONS, { version: MIGRATIONS.length + 1, name: 'next', statements: () => [] }],
    };
    await expect(open('tool', newer)).rejects.toThrow(/restart the service with this program first/);
    await service.close();
    await (await open('tool', newer)).close();
  });

  test('after kill -9 every answered write is there whole, and the directory is free', async () => {
    const script = fileURLToPath(new URL('./crash-writer.ts', import.meta.url));
    for (const after of [40, 400]) {
      const child = spawn(process.execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
      let output = '';
      for await (const chunk of child.stdout.setEncoding('utf8')) {
        output += chunk;
        if (output.split('\n').length > after) break;
      }
      child.kill('SIGKILL');
      await once(child, 'exit');
      const answered = output.split('\n').slice(0, -1);
      expect(answered.length).toBeGreaterThanOrEqual(after);

      const store = await open('service');
      for (const name of answered) expect(await store.read.settings.get(`second ${name}`)).toBe(name);
      await store.close();
      const database = new DatabaseSync(path);
      expect(database.prepare('pragma integrity_check').all()).toMatchObject([{ integrity_check: 'ok' }]);
      const halves = database.prepare(
        "select count(*) as n from settings where name like 'first %' and not exists (select 1 from settings as other where other.name = 'second ' || settings.value)",
      );
      expect(halves.get()).toMatchObject({ n: 0 });
      database.exec('delete from settings');
      database.close();
    }
  });

  test('a backup of a running database is one whole file, of one moment, for its owner alone', async () => {
    const store = await open('service');
    let writing = true;
    const writer = (async () => {
      for (let i = 0; writing; i++) {
        await store.write(async (tx) => {
          await tx.settings.set('left', String(i));
          await tx.settings.set('right', String(i));
          await tx.settings.set(`filler ${i}`, 'x'.repeat(2_000));
        });
      }
    })();
    const target = join(directory, 'copy.db');
    await store.backupTo(target);
    await expect(store.backupTo(target)).rejects.toMatchObject({ code: 'already_exists' });
    writing = false;
    await writer;
    await store.close();

    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(existsSync(`${target}.partial`)).toBe(false);
    const copy = await openSqliteStore({ path: target, role: 'service', log: silent, clock: Date.now });
    const left = await copy.read.settings.get('left');
    expect(await copy.read.settings.get('right')).toBe(left);
    await copy.close();
  });

  test('a backup that cannot be written leaves nothing and says why', async () => {
    const store = await open('service');
    const folder = join(directory, 'no', 'such', 'folder');
    await expect(store.backupTo(join(folder, 'copy.db'))).rejects.toThrow(`there is no folder ${folder}: make it`);
    await store.close();
  });
});
