/** Payments that wait for signatures: their coins count as the wallet's, and their record takes a new txid when the last one came. */

import { expect, test } from 'vitest';
import type { WalletEffect } from '../../../src/store/records.ts';
import { coinRecord, outpointOf, transactionRecord, txidOf } from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

export function awaitingTests(context: StoreContext): void {
  const awaiting = (name: string) => transactionRecord(name, { status: 'awaiting_signature', psbt: 'cHNidP8=' });
  const inputs = [
    { vin: 0, prev: outpointOf('coin') },
    { vin: 1, prev: outpointOf('other', 3) },
  ];
  const effects: WalletEffect[] = [
    { walletId: 'wal_one', receivedSats: 0n, sentSats: 70_000n },
    { walletId: 'wal_two', receivedSats: 20_000n, sentSats: 0n },
  ];

  test('a record takes another txid with its inputs, links and claims, and is found by both', async () => {
    const { store } = context;
    await store.write(async (tx) => {
      await tx.ledger.insertCoins([coinRecord('coin'), coinRecord('other', { vout: 3 }), coinRecord('free')]);
      await tx.transactions.insert(transactionRecord('before'), [{ vin: 0, prev: outpointOf('elsewhere') }], effects);
      await tx.transactions.insert(awaiting('unsigned'), inputs, effects);
      await tx.coins.claim(
        'acc_one',
        inputs.map(({ prev }) => prev),
        txidOf('unsigned'),
      );
    });
    const [unsigned, signed] = [txidOf('unsigned'), txidOf('signed')];
    const before = await store.read.transactions.find('acc_one', unsigned);

    await store.write((tx) => tx.transactions.rename('acc_one', unsigned, signed));

    const record = { ...before!, txid: signed };
    expect(record).toMatchObject({ unsignedTxid: unsigned, psbt: 'cHNidP8=' });
    const { transactions, ledger } = store.read;
    expect(await transactions.find('acc_one', signed)).toEqual(record);
    expect(await transactions.find('acc_one', unsigned)).toEqual(record);
    expect(await transactions.findForUpdate('acc_one', unsigned)).toBeNull();
    expect(await transactions.inputs('acc_one', signed)).toEqual(inputs);
    expect(await transactions.inputs('acc_one', unsigned)).toEqual([]);
    expect(await transactions.effects('acc_one', signed)).toEqual(effects);
    for (const walletId of ['wal_one', 'wal_two'] as const) {
      const page = await transactions.list('acc_one', { walletId }, { limit: 10, offset: 0 });
      expect(page.data.map((one) => one.txid)).toEqual([signed, txidOf('before')]);
      expect(page.total).toBe(2);
    }
    expect((await ledger.coinsAt(inputs.map(({ prev }) => prev))).map((coin) => coin.spentBy)).toEqual([
      signed,
      signed,
    ]);
    expect((await ledger.coinsAt([outpointOf('free')])).map((coin) => coin.spentBy)).toEqual([null]);
    expect((await ledger.spendersOf([outpointOf('coin')], txidOf('none'))).map((one) => one.txid)).toEqual([signed]);
  });

  test('another account keeps its record of the same transaction; there must be one', async () => {
    const { store } = context;
    await store.write(async (tx) => {
      await tx.transactions.insert(awaiting('unsigned'), inputs, []);
      await tx.transactions.insert(
        { ...awaiting('unsigned'), accountId: 'acc_two', walletId: 'wal_other' },
        inputs,
        [],
      );
    });
    await store.write((tx) => tx.transactions.rename('acc_one', txidOf('unsigned'), txidOf('signed')));
    expect((await store.read.transactions.find('acc_two', txidOf('unsigned')))?.txid).toBe(txidOf('unsigned'));
    await expect(
      store.write((tx) => tx.transactions.rename('acc_one', txidOf('none'), txidOf('signed'))),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  test('coins claimed by a payment that waits count in the balance as locked, until it is signed', async () => {
    const { store } = context;
    await store.write(async (tx) => {
      await tx.ledger.insertCoins([
        coinRecord('free', { amountSats: 1n }),
        coinRecord('coin', { amountSats: 10n }),
        coinRecord('fresh', { amountSats: 100n, height: null, own: true }),
        coinRecord('young', { amountSats: 1_000n, coinbase: true, height: 150 }),
        coinRecord('gone', { amountSats: 10_000n }),
        coinRecord('far', { amountSats: 100_000n, walletId: 'wal_two' }),
      ]);
      await tx.transactions.insert(awaiting('waiting'), inputs, []);
      await tx.transactions.insert(transactionRecord('sent'), [], []);
      const claimed = ['coin', 'fresh', 'young', 'far'].map((name) => outpointOf(name));
      expect(await tx.coins.claim('acc_one', claimed, txidOf('waiting'))).toEqual([]);
      await tx.coins.claim('acc_one', [outpointOf('gone')], txidOf('sent'));
    });
    expect(await store.read.coins.balance('acc_one', 'wal_one', 200)).toEqual({
      confirmedSats: 11n,
      pendingSats: 100n,
      immatureSats: 1_000n,
      lockedSats: 1_110n,
    });
    expect((await store.read.coins.balance('acc_one', 'wal_two', 200)).lockedSats).toBe(100_000n);
    expect(await store.read.coins.few('acc_one', 'wal_one', 10_000)).toHaveLength(1);

    await store.write((tx) => tx.transactions.update('acc_one', txidOf('waiting'), { status: 'signed' }));
    expect(await store.read.coins.balance('acc_one', 'wal_one', 200)).toEqual({
      confirmedSats: 1n,
      pendingSats: 0n,
      immatureSats: 0n,
      lockedSats: 0n,
    });
  });
}
