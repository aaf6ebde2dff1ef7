import { expect, test } from 'vitest';
import type { AccountId, WalletId } from '../../../src/core/ids.ts';
import type { Repositories } from '../../../src/store/store.ts';
import { accountRecord, blockRecord, transactionRecord } from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

export function writeTests(context: StoreContext): void {
  const settings = () => context.harness.observe('select name, value from settings order by name');

  test('a job is answered only after its COMMIT: another connection sees what it wrote', async () => {
    let duringJob: unknown[] = ['not looked'];
    const answer = await context.store.write(async (tx) => {
      await tx.settings.set('a', '1');
      duringJob = await settings();
      return 'answer';
    });
    expect(answer).toBe('answer');
    expect(duringJob).toEqual([]);
    expect(await settings()).toEqual([{ name: 'a', value: '1' }]);
  });

  test('a job reads its own writes, which others do not see', async () => {
    await context.store.write(async (tx) => {
      await tx.settings.set('a', '1');
      expect(await tx.settings.get('a')).toBe('1');
      expect(await context.store.read.settings.get('a')).toBeNull();
    });
  });

  test('a failing job rolls back alone, its error reaching its own caller', async () => {
    const failure = new Error('refused');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, job) =>
        context.store.write(async (tx) => {
          await tx.settings.set(`job ${String(job).padStart(2, '0')}`, 'done');
          if (job % 3 === 0) throw failure;
          return job;
        }),
      ),
    );
    outcomes.forEach((outcome, job) => {
      if (job % 3 === 0) expect(outcome).toEqual({ status: 'rejected', reason: failure });
      else expect(outcome).toEqual({ status: 'fulfilled', value: job });
    });
    expect((await settings()).map((row) => row.name)).toEqual(
      Array.from({ length: 30 }, (_, job) => job)
        .filter((job) => job % 3 !== 0)
        .map((job) => `job ${String(job).padStart(2, '0')}`),
    );
  });

  test('a job whose statement the database refuses leaves nothing behind', async () => {
    const write = context.store.write(async (tx) => {
      await tx.settings.set('a', '1');
      await tx.ledger.insertBlocks([blockRecord(5), blockRecord(5, 'fork')]);
    });
    await expect(write).rejects.toThrow();
    expect(await settings()).toEqual([]);
    await context.store.write((tx) => tx.settings.set('b', '2'));
    expect(await settings()).toEqual([{ name: 'b', value: '2' }]);
  });

  test('statements that a job starts together all belong to it', async () => {
    await context.store.write(async (tx) => {
      await Promise.all(Array.from({ length: 20 }, (_, i) => tx.settings.set(`s${i}`, 'x')));
    });
    expect(await settings()).toHaveLength(20);
  });

  test('a job that has ended cannot write any more', async () => {
    let kept: Repositories | undefined;
    await context.store.write(async (tx) => {
      kept = tx;
    });
    await expect(kept!.settings.set('late', '1')).rejects.toThrow(/after it had ended/);
    expect(await settings()).toEqual([]);
  });

  test('what was answered is there after a restart', async () => {
    await Promise.all(Array.from({ length: 10 }, (_, i) => context.store.write((tx) => tx.settings.set(`s${i}`, 'x'))));
    const store = await context.restart();
    expect(await store.read.settings.get('s9')).toBe('x');
    expect((await store.read.accounts.list()).map((account) => account.accountId)).toEqual(['acc_one', 'acc_two']);
  });

  test('a closed store refuses further jobs and finishes those before', async () => {
    const before = context.store.write((tx) => tx.settings.set('before', '1'));
    const closing = context.store.close();
    await expect(context.store.write((tx) => tx.settings.set('after', '1'))).rejects.toMatchObject({
      code: 'unavailable',
    });
    await before;
    await closing;
    expect(await settings()).toEqual([{ name: 'before', value: '1' }]);
    await context.restart();
  });

  test('jobs that touch the same wallets in opposite orders all succeed', async () => {
    const pay = (name: string, wallets: WalletId[]) =>
      context.store.write(async (tx) => {
        const effects = wallets.map((walletId) => ({ walletId, receivedSats: 1n, sentSats: 0n }));
        await tx.transactions.insert(transactionRecord(name), [], effects);
      });
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => pay(`p${i}`, i % 2 ? ['wal_one', 'wal_two'] : ['wal_two', 'wal_one'])),
    );
    const page = await context.store.read.transactions.list(
      'acc_one',
      { walletId: 'wal_two' },
      { limit: 50, offset: 0 },
    );
    expect(page.total).toBe(20);
  });

  test('jobs that lock two rows crosswise are run again until each succeeds', async () => {
    const touch = (first: WalletId, second: WalletId) =>
      context.store.write(async (tx) => {
        await tx.wallets.takeIndex('acc_one', first, false);
        await new Promise((resolve) => setImmediate(resolve));
        await tx.wallets.takeIndex('acc_one', second, false);
      });
    await Promise.all(
      Array.from({ length: 4 }, (_, i) => (i % 2 ? touch('wal_one', 'wal_two') : touch('wal_two', 'wal_one'))),
    );
    const wallet = await context.store.read.wallets.find('acc_one', 'wal_one');
    expect(wallet?.nextExternalIndex).toBe(4);
  });

  test('of large jobs an account has one under way; others come before those that wait', async () => {
    const { store } = context;
    const ended: string[] = [];
    let [running, most] = [0, 0];
    const large = async (accountId: AccountId, name: string) => {
      await store.writeLarge({ accountId, signal: new AbortController().signal }, async (tx) => {
        if (accountId === 'acc_one') most = Math.max(most, ++running);
        await tx.settings.set(name, '1');
        if (accountId === 'acc_one') running--;
      });
      ended.push(name);
    };
    const small = store.write((tx) => tx.settings.set('small', '1')).then(() => ended.push('small'));
    const asked = [large('acc_one', 'a'), large('acc_one', 'b'), large('acc_one', 'c'), large('acc_two', 'd'), small];
    await Promise.all(asked);
    expect([most, ended.filter((name) => 'abc'.includes(name))]).toEqual([1, ['a', 'b', 'c']]);
    if (store.kind === 'sqlite') expect(ended.slice(-3)).toEqual(['d', 'b', 'c']);
  });

  test('nothing waits when all is written', async () => {
    const writes = Array.from({ length: 5 }, (_, i) =>
      context.store.write((tx) => tx.accounts.insert(accountRecord(`acc_${i}`))),
    );
    expect(context.store.queueDepth()).toBe(5);
    await Promise.all(writes);
    expect(context.store.queueDepth()).toBe(0);
    await context.store.ping();
  });
}
