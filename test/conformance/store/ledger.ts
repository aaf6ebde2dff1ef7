import { expect, test } from 'vitest';
import type { Outpoint } from '../../../src/core/outpoint.ts';
import { outpointKey } from '../../../src/core/outpoint.ts';
import type { ScriptRecord, TransactionRecord } from '../../../src/store/records.ts';
import {
  blockHashOf,
  blockRecord,
  coinRecord,
  outpointOf,
  scriptOf,
  scriptRecord,
  transactionRecord,
  txidOf,
} from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

export function ledgerTests(context: StoreContext): void {
  const insert = (name: string, patch: Partial<TransactionRecord> = {}, spends: Outpoint[] = []) =>
    context.store.write((tx) =>
      tx.transactions.insert(
        transactionRecord(name, patch),
        spends.map((prev, vin) => ({ vin, prev })),
        [],
      ),
    );

  test('the followed chain: tip, blocks in order, a height taken once', async () => {
    const { store } = context;
    expect(await store.read.ledger.tip()).toBeNull();
    const blocks = Array.from({ length: 200 }, (_, i) => blockRecord(i + 10));
    await store.write((tx) => tx.ledger.insertBlocks(blocks));
    expect(await store.read.ledger.tip()).toEqual(blocks.at(-1));
    expect(await store.read.ledger.blocksFrom(50, 3)).toEqual(blocks.slice(40, 43));
    await expect(store.write((tx) => tx.ledger.insertBlocks([blockRecord(209, 'fork')]))).rejects.toThrow();
    await store.write((tx) => tx.ledger.deleteBlock(209));
    expect(await store.read.ledger.tip()).toEqual(blockRecord(208));
    expect(await store.read.ledger.blockAt(209)).toBeNull();
    expect(await store.read.ledger.blockAt(208)).toEqual(blockRecord(208));
  });

  test('watched scripts and outpoints stream whole, then only what is new', async () => {
    const { store } = context;
    const scripts = Array.from({ length: 12_003 }, (_, index) => scriptRecord(index));
    const coins = Array.from({ length: 6_001 }, (_, i) => coinRecord(`c${i}`));
    await store.write(async (tx) => {
      await tx.scripts.insertMissing(scripts);
      await tx.ledger.insertCoins(coins);
    });
    const seen: string[] = [];
    const highest = await store.read.ledger.watchedScripts(0n, (chunk) => seen.push(...chunk));
    expect(seen).toEqual(scripts.map((script) => script.scriptPubKey));
    expect(await store.read.ledger.watchedScripts(highest, () => expect.unreachable())).toBe(highest);
    await store.write((tx) => tx.scripts.insertMissing([scriptRecord(0, { change: true })]));
    const added: string[] = [];
    expect(await store.read.ledger.watchedScripts(highest, (chunk) => added.push(...chunk))).toBeGreaterThan(highest);
    expect(added).toEqual([scriptRecord(0, { change: true }).scriptPubKey]);

    const outpoints: Outpoint[] = [];
    await store.read.ledger.watchedOutpoints(0n, (chunk) => outpoints.push(...chunk));
    expect(outpoints).toEqual(coins.map(({ txid, vout }) => ({ txid, vout })));
  });

  test('outpoints are watched while live and not spent in a block', async () => {
    const { store } = context;
    await store.write((tx) =>
      tx.ledger.insertCoins([
        coinRecord('unspent'),
        coinRecord('spent unconfirmed', { spentBy: txidOf('x') }),
        coinRecord('spent', { spentBy: txidOf('x'), spentHeight: 5 }),
        coinRecord('dead', { live: false }),
      ]),
    );
    const outpoints: Outpoint[] = [];
    await store.read.ledger.watchedOutpoints(0n, (chunk) => outpoints.push(...chunk));
    expect(outpoints).toEqual([outpointOf('unspent'), outpointOf('spent unconfirmed')]);
  });

  test('lists longer than any database takes variables', async () => {
    const { store } = context;
    const script = scriptRecord(7);
    await store.write(async (tx) => {
      await tx.scripts.insertMissing([script]);
      await tx.ledger.insertCoins([coinRecord('mine')]);
    });
    const strangers = Array.from({ length: 70_000 }, (_, i) => scriptOf(`stranger ${i}`));
    expect(await store.read.ledger.scriptsMatching([...strangers, script.scriptPubKey])).toEqual([script]);
    const outpoints = Array.from({ length: 70_000 }, (_, i) => ({ txid: txidOf('stranger'), vout: i }));
    expect(await store.read.ledger.coinsAt([...outpoints, outpointOf('mine')])).toEqual([coinRecord('mine')]);
    expect(await store.read.ledger.coinsAt([])).toEqual([]);
    expect(await store.read.ledger.scriptsMatching([])).toEqual([]);
  });

  test('a script that several wallets share is found in all of them', async () => {
    const { store } = context;
    const script = scriptRecord(0);
    const shared: ScriptRecord = { ...script, walletId: 'wal_other', accountId: 'acc_two' };
    await store.write((tx) => tx.scripts.insertMissing([script, shared]));
    expect(await store.read.ledger.scriptsMatching([script.scriptPubKey])).toEqual([script, shared]);
  });

  test('coins: inserting twice changes nothing; spends, reorgs and freezes reach every wallet', async () => {
    const { store } = context;
    const coins = [coinRecord('c'), coinRecord('c', { walletId: 'wal_other', accountId: 'acc_two' })];
    await store.write((tx) => tx.ledger.insertCoins(coins));
    await store.write((tx) => tx.ledger.spendCoins([outpointOf('c')], txidOf('s'), 120));
    await store.write((tx) => tx.ledger.insertCoins(coins));
    const stored = () => store.read.ledger.coinsOf(txidOf('c'));
    expect(await stored()).toEqual(coins.map((coin) => ({ ...coin, spentBy: txidOf('s'), spentHeight: 120 })));
    await store.write((tx) => tx.ledger.spendCoins([outpointOf('c')], txidOf('s'), null));
    expect(await stored()).toMatchObject([{ spentHeight: null }, { spentHeight: null }]);
    await store.write((tx) => tx.ledger.unspendCoins(txidOf('s')));
    expect(await stored()).toEqual(coins);
    await store.write(async (tx) => {
      await tx.ledger.updateCoinsOf(txidOf('c'), { height: null, live: false, own: true });
      await tx.ledger.freezeCoin(outpointOf('c'));
    });
    expect(await stored()).toEqual(
      coins.map((coin) => ({ ...coin, height: null, live: false, own: true, frozen: true })),
    );
    await store.write((tx) => tx.ledger.updateCoinsOf(txidOf('c'), { height: 7 }));
    expect(await stored()).toMatchObject([
      { height: 7, live: false },
      { height: 7, live: false },
    ]);
  });

  test('spenders and children are found by what they spend', async () => {
    const { store } = context;
    await insert('parent', {}, [outpointOf('coin')]);
    await insert('rival', { status: 'replaced' }, [outpointOf('other'), outpointOf('coin')]);
    await insert('foreign', { accountId: 'acc_two', walletId: 'wal_other' }, [outpointOf('coin')]);
    await insert('child', {}, [outpointOf('parent', 1)]);
    await insert('dead child', { status: 'failed' }, [outpointOf('parent', 2)]);
    const names = (records: TransactionRecord[]) => records.map((record) => record.txid);
    expect(names(await store.read.ledger.spendersOf([outpointOf('coin')], txidOf('parent')))).toEqual([
      txidOf('rival'),
      txidOf('foreign'),
    ]);
    expect(await store.read.ledger.spendersOf([outpointOf('coin', 1)], txidOf('parent'))).toEqual([]);
    expect(names(await store.read.ledger.childrenOf(txidOf('parent')))).toEqual([
      txidOf('child'),
      txidOf('dead child'),
    ]);
    expect(names(await store.read.transactions.children('acc_one', txidOf('parent')))).toEqual([txidOf('child')]);
    expect(await store.read.transactions.children('acc_two', txidOf('parent'))).toEqual([]);
  });

  test('what unconfirmed transactions spend, until a block settles it', async () => {
    const { store } = context;
    await insert('signed', { status: 'signed', createdAt: 2 }, [outpointOf('a')]);
    await insert('broadcast', { status: 'broadcast', createdAt: 1 }, [outpointOf('b'), outpointOf('a')]);
    await insert('abandoned', { status: 'abandoned' }, [outpointOf('c')]);
    await insert('replaced', { status: 'replaced', replacedBy: txidOf('bump') }, [outpointOf('d')]);
    await insert('bump', { status: 'broadcast', createdAt: 3 }, [outpointOf('e')]);
    await insert('confirmed', { status: 'confirmed', blockHeight: 3, blockHash: blockHashOf(3) }, [outpointOf('f')]);
    await insert('failed', { status: 'failed' }, [outpointOf('g')]);
    await insert('conflicted', { status: 'conflicted' }, [outpointOf('h')]);
    const inputs = async () => (await store.read.ledger.unconfirmedInputs()).map(outpointKey).sort();
    const keys = (names: string[]) => names.map((name) => outpointKey(outpointOf(name))).sort();
    expect(await inputs()).toEqual(keys(['a', 'b', 'c', 'd', 'e']));
    const unconfirmed = await store.read.ledger.unconfirmed();
    expect(unconfirmed.map((record) => record.txid)).toEqual(['broadcast', 'signed', 'bump'].map(txidOf));
    expect((await store.read.ledger.transactionsInBlock(3, blockHashOf(3))).map((record) => record.txid)).toEqual([
      txidOf('confirmed'),
    ]);
    await store.write((tx) =>
      tx.transactions.update('acc_one', txidOf('bump'), {
        status: 'confirmed',
        blockHeight: 4,
        blockHash: blockHashOf(4),
      }),
    );
    expect(await inputs()).toEqual(keys(['a', 'b', 'c']));
  });
}
