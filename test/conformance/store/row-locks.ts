import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Repositories } from '../../../src/store/store.ts';
import { blockRecord, coinRecord, outpointOf, transactionRecord, txidOf } from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';
import { userRecord } from './users.ts';

/** What a job has read in order to go by it stays so until the job ends, also where jobs run side by side. */
export function rowLockTests(context: StoreContext): void {
  /** A job that reads, lets another come, and writes; answers what the other one found. */
  async function withAnotherBetween<T>(
    read: (tx: Repositories) => Promise<unknown>,
    write: (tx: Repositories) => Promise<unknown>,
    other: (tx: Repositories) => Promise<T>,
  ): Promise<T> {
    let coming: Promise<T> | undefined;
    await context.store.write(async (tx) => {
      await read(tx);
      coming ??= context.store.write(other);
      // Long enough for the other to do all it may.
      await sleep(150);
      await write(tx);
    });
    return await coming!;
  }

  test('a coin that a job looked at to spend it is not claimed before that', async () => {
    await context.store.write((tx) => tx.ledger.insertCoins([coinRecord('c')]));
    const missed = await withAnotherBetween(
      (tx) => tx.ledger.coinsAt([outpointOf('c')]),
      (tx) => tx.ledger.spendCoins([outpointOf('c')], txidOf('block'), 7),
      (tx) => tx.coins.claim('acc_one', [outpointOf('c')], txidOf('payment')),
    );
    expect(missed).toEqual([outpointOf('c')]);
    expect(await context.store.read.ledger.coinsAt([outpointOf('c')])).toMatchObject([
      { spentBy: txidOf('block'), spentHeight: 7 },
    ]);
  });

  for (const [name, read] of [
    ['of one account', (tx: Repositories) => tx.transactions.findForUpdate('acc_one', txidOf('t'))],
    ['of all accounts', (tx: Repositories) => tx.ledger.transactionsOf(txidOf('t'))],
  ] as const) {
    test(`a transaction that a job holds, ${name}, is seen as that job leaves it`, async () => {
      await context.store.write((tx) =>
        tx.transactions.insert(transactionRecord('t', { txid: txidOf('t'), status: 'signed' }), [], []),
      );
      const seen = await withAnotherBetween(
        read,
        (tx) => tx.transactions.update('acc_one', txidOf('t'), { status: 'confirmed' }),
        (tx) => tx.transactions.findForUpdate('acc_one', txidOf('t')),
      );
      expect(seen?.status).toBe('confirmed');
    });
  }

  test('a person that a job holds is seen as that job leaves them', async () => {
    await context.store.write((tx) => tx.users.insert(userRecord('usr_one'), { username: 'one', email: null }));
    const seen = await withAnotherBetween(
      (tx) => tx.users.findForUpdate('acc_one', 'usr_one'),
      (tx) => tx.users.update('acc_one', 'usr_one', { name: 'changed' }),
      (tx) => tx.users.findForUpdate('acc_one', 'usr_one'),
    );
    expect(seen?.name).toBe('changed');
  });

  test('the tip that a job holds is not moved before it ends', async () => {
    await context.store.write((tx) => tx.ledger.insertBlocks([blockRecord(1)]));
    const seen = await withAnotherBetween(
      (tx) => tx.ledger.holdTip(),
      (tx) => tx.ledger.insertBlocks([blockRecord(2)]),
      (tx) => tx.ledger.holdTip(),
    );
    expect(seen).toEqual(blockRecord(2));
    const after = await withAnotherBetween(
      (tx) => tx.ledger.holdTip(),
      (tx) => tx.ledger.deleteBlock(2),
      (tx) => tx.ledger.holdTip(),
    );
    expect(after).toEqual(blockRecord(1));
  });

  test('a coin that a block spends is nobody’s to claim, and given back ones are named', async () => {
    const replaced = [txidOf('original')];
    await context.store.write((tx) =>
      tx.ledger.insertCoins([
        coinRecord('spent', { spentBy: txidOf('original'), spentHeight: 5 }),
        coinRecord('pending', { spentBy: txidOf('original') }),
      ]),
    );
    const wanted = [outpointOf('spent'), outpointOf('pending')];
    const missed = await context.store.write((tx) => tx.coins.claim('acc_one', wanted, txidOf('bump'), replaced));
    expect(missed).toEqual([outpointOf('spent')]);
    expect(await context.store.write((tx) => tx.coins.release('acc_one', txidOf('bump')))).toEqual([
      outpointOf('pending'),
    ]);
    expect(await context.store.write((tx) => tx.ledger.unspendCoins(txidOf('original')))).toEqual([
      outpointOf('spent'),
    ]);
  });
}
