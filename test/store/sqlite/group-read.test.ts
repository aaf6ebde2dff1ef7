import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openConnection, type SqliteConnection } from '../../../src/store/sqlite/connection.ts';
import { createGroupRead, type GroupRead } from '../../../src/store/sqlite/group-read.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('reads that share a snapshot', () => {
  let directory: string;
  let writer: SqliteConnection;
  let reader: SqliteConnection;
  let reads: GroupRead;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ashlar-reads-'));
    writer = openConnection(join(directory, 'a.db'));
    writer.database.exec('CREATE TABLE one (n INTEGER); INSERT INTO one VALUES (1)');
    reader = openConnection(join(directory, 'a.db'), { queryOnly: true });
    reads = createGroupRead(reader);
  });

  afterEach(() => {
    reads.close();
    reader.close();
    writer.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const read = async () => (await reads.run<{ n: bigint }>({ sql: 'SELECT n FROM one', parameters: [] })).rows[0]?.n;
  const set = (n: number) => writer.database.exec(`UPDATE one SET n = ${n}`);

  it('see one state within a turn, and the next one in the next', async () => {
    expect(await read()).toBe(1n);
    set(2);
    expect(await read()).toBe(1n);
    for (let i = 0; i < 3; i++) await turn();
    expect(await read()).toBe(2n);
  });

  it('see at once what this process has committed', async () => {
    expect(await read()).toBe(1n);
    set(2);
    reads.refresh();
    expect(await read()).toBe(2n);
  });

  it('fail alone', async () => {
    const wrong = reads.run({ sql: 'SELECT nothing FROM one', parameters: [] });
    const right = read();
    await expect(wrong).rejects.toThrow(/nothing/);
    expect(await right).toBe(1n);
  });

  it('leave no snapshot open that would hold back a checkpoint', async () => {
    await read();
    for (let i = 0; i < 3; i++) await turn();
    expect(reader.database.isTransaction).toBe(false);
  });

  it('are refused once closed, and answered when asked before', async () => {
    const asked = read();
    reads.close();
    expect(await asked).toBe(1n);
    await expect(read()).rejects.toThrow(/closed/);
  });
});
