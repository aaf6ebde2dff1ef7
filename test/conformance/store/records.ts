import { expect, test } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import type { LabelRecord, TransactionRecord, WalletEffect, WalletRecord } from '../../../src/store/records.ts';
import {
  accountRecord,
  apiKeyRecord,
  blockHashOf,
  coinRecord,
  outpointOf,
  scriptRecord,
  transactionRecord,
  txidOf,
  walletRecord,
} from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

const MAX_SATS = 2_100_000_000_000_000n;

export function recordTests(context: StoreContext): void {
  test('accounts come back as they went in, the oldest of a name first', async () => {
    const { store } = context;
    const frozen = accountRecord('acc_frozen', { name: 'treasury', frozenAt: 1_700_000_000_500, createdAt: 1 });
    const later = accountRecord('acc_later', { name: 'treasury', createdAt: 2 });
    await store.write(async (tx) => {
      await tx.accounts.insert(later);
      await tx.accounts.insert(frozen);
    });
    expect(await store.read.accounts.find('acc_frozen')).toEqual(frozen);
    expect(await store.read.accounts.findByName('treasury')).toEqual(frozen);
    expect(await store.read.accounts.find('acc_none')).toBeNull();
    expect(await store.read.accounts.findByName('none')).toBeNull();
    expect(await store.read.accounts.count()).toBe(4);
  });

  test('settings: set overwrites, setOnce answers the value that stands', async () => {
    const { store } = context;
    expect(await store.write((tx) => tx.settings.setOnce('chain', 'regtest'))).toBe('regtest');
    expect(await store.write((tx) => tx.settings.setOnce('chain', 'mainnet'))).toBe('regtest');
    await store.write((tx) => tx.settings.set('chain', 'signet'));
    expect(await store.read.settings.get('chain')).toBe('signet');
    expect(await store.read.settings.get('none')).toBeNull();
  });

  test('API keys: found by prefix, revoked once and by their own account alone', async () => {
    const { store } = context;
    const full = apiKeyRecord({
      limits: { requests_per_minute: 5_000 },
      allowedIps: ['10.0.0.0/8'],
      expiresAt: 1_800_000_000_000,
      scopes: ['wallets:read', 'transactions:write'],
    });
    const bare = apiKeyRecord({ keyId: 'key_two', prefix: 'ZZZZ9999', createdAt: 1_700_000_000_001 });
    await store.write(async (tx) => {
      await tx.apiKeys.insert(full);
      await tx.apiKeys.insert(bare);
    });
    expect(await store.read.apiKeys.findByPrefix('AbCd1234')).toEqual(full);
    expect(await store.read.apiKeys.findByPrefix('abcd1234')).toBeNull();
    expect(await store.read.apiKeys.list('acc_one')).toEqual([bare, full]);
    expect(await store.read.apiKeys.list('acc_two')).toEqual([]);
    expect(await store.write((tx) => tx.apiKeys.revoke('acc_two', 'key_one', 7))).toBe(false);
    expect(await store.write((tx) => tx.apiKeys.revoke('acc_one', 'key_one', 7))).toBe(true);
    expect(await store.write((tx) => tx.apiKeys.revoke('acc_one', 'key_one', 8))).toBe(false);
    await store.write((tx) => tx.apiKeys.touch('acc_one', 'key_one', 9));
    expect(await store.read.apiKeys.findByPrefix('AbCd1234')).toMatchObject({ revokedAt: 7, lastUsedAt: 9 });
  });

  test('two API keys cannot share a prefix', async () => {
    const { store } = context;
    await store.write((tx) => tx.apiKeys.insert(apiKeyRecord()));
    await expect(store.write((tx) => tx.apiKeys.insert(apiKeyRecord({ keyId: 'key_two' })))).rejects.toThrow();
  });

  test('wallets come back as they went in, to their own account alone', async () => {
    const { store } = context;
    const wallet: WalletRecord = walletRecord('wal_full', {
      externalId: 'customer-7',
      type: 'watch-only',
      backupType: 'none',
      fingerprint: null,
      internalDescriptor: null,
      secret: { keyId: 'k', wrappedKey: 'w', iv: 'i', ciphertext: 'c', tag: 't' },
      birthdayHeight: 7,
      nextExternalIndex: 3,
      nextInternalIndex: 4,
      scan: { state: 'failed', fromHeight: 1, atHeight: 2, toHeight: 3, error: 'pruned' },
      archivedAt: 5,
    });
    await store.write((tx) => tx.wallets.insert(wallet));
    expect(await store.read.wallets.find('acc_one', 'wal_full')).toEqual(wallet);
    expect(await store.read.wallets.find('acc_two', 'wal_full')).toBeNull();
    expect(await store.read.ledger.wallet('wal_full')).toEqual(wallet);
    const found = await store.read.wallets.findByIds('acc_one', ['wal_full', 'wal_other', 'wal_none']);
    expect(found).toEqual([wallet]);
  });

  test('wallets: a patch changes what it names', async () => {
    const { store } = context;
    const patched = await store.write((tx) =>
      tx.wallets.update('acc_one', 'wal_one', { name: 'hot', externalId: 'x', archivedAt: 9 }),
    );
    expect(patched).toEqual(walletRecord('wal_one', { name: 'hot', externalId: 'x', archivedAt: 9 }));
    const cleared = await store.write((tx) => tx.wallets.update('acc_one', 'wal_one', { archivedAt: null }));
    expect(cleared).toMatchObject({ name: 'hot', archivedAt: null });
    expect(await store.write((tx) => tx.wallets.update('acc_one', 'wal_one', {}))).toEqual(cleared);
    expect(await store.write((tx) => tx.wallets.update('acc_two', 'wal_one', { name: 'stolen' }))).toBeNull();
    const scan = { state: 'scanning', fromHeight: 1, atHeight: 5, toHeight: 9, error: null } as const;
    await store.write((tx) => tx.wallets.setScan('acc_one', 'wal_one', scan));
    expect((await store.read.ledger.walletsToScan()).map((wallet) => wallet.scan)).toEqual([scan]);
    await expect(store.write((tx) => tx.wallets.setScan('acc_two', 'wal_one', scan))).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('the default wallet is the marked one, else the only one that is not archived', async () => {
    const { store } = context;
    const id = async () => (await store.read.wallets.findDefault('acc_one'))?.walletId ?? null;
    expect(await id()).toBeNull();
    await store.write((tx) => tx.wallets.update('acc_one', 'wal_two', { archivedAt: 1 }));
    expect(await id()).toBe('wal_one');
    await store.write((tx) => tx.wallets.insert(walletRecord('wal_three', { isDefault: true })));
    expect(await id()).toBe('wal_three');
    await store.write((tx) => tx.wallets.update('acc_one', 'wal_one', { isDefault: true }));
    expect(await id()).toBe('wal_one');
    const marked = await context.harness.observe('select wallet_id from wallets where is_default = 1');
    expect(marked).toEqual([{ wallet_id: 'wal_one' }]);
  });

  test('wallets made as default at the same time leave one default', async () => {
    const { store } = context;
    await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        store.write((tx) => tx.wallets.insert(walletRecord(`wal_d${i}`, { isDefault: true }))),
      ),
    );
    expect(await context.harness.observe('select 1 as one from wallets where is_default = 1')).toHaveLength(1);
  });

  test('fifty reservations at once take fifty different indexes', async () => {
    const { store } = context;
    const taken = await Promise.all(
      Array.from({ length: 50 }, () => store.write((tx) => tx.wallets.takeIndex('acc_one', 'wal_one', true))),
    );
    expect(taken.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i));
    await store.write((tx) => tx.wallets.raiseNextIndex('acc_one', 'wal_one', true, 40));
    expect(await store.write((tx) => tx.wallets.takeIndex('acc_one', 'wal_one', true))).toBe(50);
    await store.write((tx) => tx.wallets.raiseNextIndex('acc_one', 'wal_one', true, 90));
    expect(await store.write((tx) => tx.wallets.takeIndex('acc_one', 'wal_one', true))).toBe(90);
    await expect(store.write((tx) => tx.wallets.takeIndex('acc_two', 'wal_one', true))).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('scripts: inserted once, reserved, used, labelled', async () => {
    const { store } = context;
    const scripts = Array.from({ length: 150 }, (_, index) => scriptRecord(index));
    const change = scriptRecord(0, { change: true });
    await store.write((tx) => tx.scripts.insertMissing([...scripts, change]));
    await store.write((tx) => tx.scripts.reserve('acc_one', 'wal_one', false, 3, 77, 'invoice 3'));
    await store.write((tx) => tx.scripts.insertMissing(scripts));
    const reserved = { ...scripts[3]!, reservedAt: 77, label: 'invoice 3' };
    expect(await store.read.scripts.find('acc_one', 'wal_one', false, 3)).toEqual(reserved);
    await store.write((tx) => tx.scripts.reserve('acc_one', 'wal_one', false, 3, 99, null));
    expect(await store.read.scripts.findByScript('acc_one', 'wal_one', scripts[3]!.scriptPubKey)).toEqual(reserved);
    await store.write(async (tx) => {
      await tx.ledger.markScriptsUsed([scripts[5]!, scripts[8]!], 1);
      await tx.ledger.markScriptsUsed([scripts[5]!], 2);
      await tx.scripts.setLabel('acc_one', 'wal_one', scripts[5]!.scriptPubKey, 'rent');
    });
    expect(await store.read.scripts.find('acc_one', 'wal_one', false, 5)).toMatchObject({ usedAt: 1, label: 'rent' });
    const branch = (accountId: AccountId, change: boolean) => store.read.scripts.branch(accountId, 'wal_one', change);
    expect(await branch('acc_one', false)).toMatchObject({ derived: 149, used: 8 });
    expect(await branch('acc_one', true)).toMatchObject({ derived: 0, used: -1 });
    expect(await branch('acc_two', false)).toBe(null);
    expect(await store.read.scripts.highestIndex('acc_one', 'wal_one', false)).toBe(149);
    expect(await store.read.scripts.highestIndex('acc_two', 'wal_one', false)).toBe(-1);
    expect(await store.read.scripts.all('acc_one', 'wal_one')).toHaveLength(151);
    const shared = scriptRecord(0, { walletId: 'wal_other', accountId: 'acc_two' });
    await store.write((tx) => tx.scripts.insertMissing([scriptRecord(150), shared]));
    const lost = store.write(async (tx) => {
      await tx.scripts.insertMissing([scriptRecord(151)]);
      throw new Error(`${await tx.scripts.count('acc_one')} in the job`);
    });
    await expect(lost).rejects.toThrow('153 in the job');
    expect([await store.read.scripts.count('acc_one'), await store.read.scripts.count('acc_two')]).toEqual([152, 1]);
    expect(await store.read.metrics.watchedScripts()).toEqual({ all: 153, ofOneAccount: 152 });
    await expect(
      store.write((tx) => tx.scripts.reserve('acc_one', 'wal_one', false, 500, 1, null)),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  test('coins keep every satoshi up to 21 million bitcoin', async () => {
    const { store } = context;
    const coin = coinRecord('rich', {
      amountSats: MAX_SATS,
      vout: 4_294_967_295,
      change: true,
      index: 2_147_483_647,
      coinbase: true,
      own: true,
      txVersion: 3,
      height: null,
      spentBy: txidOf('spender'),
      spentHeight: 12,
      locked: true,
      frozen: true,
      label: 'Ω',
    });
    await store.write((tx) => tx.ledger.insertCoins([coin]));
    expect(await store.read.ledger.coinsOf(coin.txid)).toEqual([coin]);
    await expect(
      store.write((tx) => tx.ledger.insertCoins([coinRecord('too rich', { amountSats: MAX_SATS + 1n })])),
    ).rejects.toThrow();
  });

  test('transactions come back as they went in: by txid, by unsigned txid, by external id', async () => {
    const { store } = context;
    const full: Omit<TransactionRecord, 'ordinal'> = transactionRecord('full', {
      unsignedTxid: txidOf('unsigned'),
      kind: 'bump',
      status: 'confirmed',
      direction: 'internal',
      raw: Uint8Array.from({ length: 300 }, (_, i) => i % 256),
      psbt: 'cHNidP8=',
      recipients: [
        { address: 'one', amountSats: MAX_SATS },
        { address: 'two', amountSats: 0n },
      ],
      amountSats: MAX_SATS,
      feeSats: null,
      vsize: null,
      version: 3,
      locktime: 4_294_967_295,
      rbf: false,
      blockHeight: 9,
      blockHash: blockHashOf(9),
      replaces: txidOf('replaced'),
      replacedBy: txidOf('replacement'),
      label: 'rent',
      externalId: 'order-1',
      reason: 'because',
      updatedAt: 1_700_000_000_009,
    });
    const inputs = [
      { vin: 0, prev: outpointOf('a', 1) },
      { vin: 1, prev: outpointOf('b', 4_294_967_295) },
    ];
    const effects: WalletEffect[] = [
      { walletId: 'wal_one', receivedSats: 0n, sentSats: MAX_SATS },
      { walletId: 'wal_two', receivedSats: 5n, sentSats: 0n },
    ];
    await store.write((tx) => tx.transactions.insert(full, inputs, effects));
    const stored = { ...full, ordinal: 1 };
    expect(await store.read.transactions.find('acc_one', full.txid)).toEqual(stored);
    expect(await store.read.transactions.find('acc_one', txidOf('unsigned'))).toEqual(stored);
    expect(await store.read.transactions.findByExternalId('acc_one', 'order-1')).toEqual(stored);
    expect(await store.read.transactions.find('acc_two', full.txid)).toBeNull();
    expect(await store.read.transactions.find('acc_one', txidOf('none'))).toBeNull();
    expect(await store.read.transactions.inputs('acc_one', full.txid)).toEqual(inputs);
    expect(await store.read.transactions.effects('acc_one', full.txid)).toEqual(effects);
    expect((await store.read.wallets.find('acc_one', 'wal_two'))?.transactionCount).toBe(1);
  });

  test('a transaction patch changes what it names; one that hits nothing is an error', async () => {
    const { store } = context;
    const record = transactionRecord('t', { status: 'signed', raw: Uint8Array.of(1, 2) });
    await store.write((tx) => tx.transactions.insert(record, [], []));
    const patch = {
      status: 'confirmed',
      blockHeight: 5,
      blockHash: blockHashOf(5),
      recipients: [{ address: 'x', amountSats: 3n }],
      raw: Uint8Array.of(9),
      updatedAt: 6,
    } as const;
    await store.write((tx) =>
      tx.transactions.update('acc_one', record.txid, { ...patch, recipients: [...patch.recipients] }),
    );
    expect(await store.read.transactions.find('acc_one', record.txid)).toEqual({ ...record, ...patch, ordinal: 1 });
    await store.write((tx) => tx.transactions.update('acc_one', record.txid, { blockHeight: null, blockHash: null }));
    expect(await store.read.transactions.find('acc_one', record.txid)).toMatchObject({
      status: 'confirmed',
      blockHeight: null,
    });
    await expect(
      store.write((tx) => tx.transactions.update('acc_two', record.txid, { status: 'failed' })),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a transaction that a node has is answered as it stands, and changed where it was signed and not refused', async () => {
    const { store } = context;
    const record = transactionRecord('t', { status: 'signed', raw: Uint8Array.of(1) });
    await store.write((tx) => tx.transactions.insert(record, [], []));
    await store.write((tx) => tx.transactions.update('acc_one', record.txid, { label: 'rent' }));
    const taken = () => store.write((tx) => tx.transactions.markTaken('acc_one', record.txid, 9));
    const now = { ...record, label: 'rent', status: 'broadcast', updatedAt: 9, ordinal: 1 };
    expect(await taken()).toEqual(now);
    expect(await taken()).toBe(null);
    await store.write((tx) => tx.transactions.update('acc_one', record.txid, { status: 'signed', reason: 'refused' }));
    expect(await taken()).toBe(null);
    expect(await store.read.transactions.find('acc_one', record.txid)).toEqual({
      ...{ ...now, status: 'signed', reason: 'refused' },
    });
  });

  test('a second wallet found later gets its position, a known one its amounts', async () => {
    const { store } = context;
    const record = transactionRecord('t');
    const first: WalletEffect = { walletId: 'wal_one', receivedSats: 1n, sentSats: 2n };
    await store.write((tx) => tx.transactions.insert(record, [], [first]));
    const later: WalletEffect[] = [
      { walletId: 'wal_one', receivedSats: 3n, sentSats: 2n },
      { walletId: 'wal_two', receivedSats: 4n, sentSats: 0n },
    ];
    await store.write((tx) => tx.transactions.addEffects('acc_one', record.txid, later));
    await store.write((tx) => tx.transactions.addEffects('acc_one', record.txid, later));
    expect(await store.read.transactions.effects('acc_one', record.txid)).toEqual(later);
    for (const walletId of ['wal_one', 'wal_two'] as const) {
      const page = await store.read.transactions.list('acc_one', { walletId }, { limit: 5, offset: 0 });
      expect(page.total).toBe(1);
    }
  });

  test('the same txid may be recorded once per account', async () => {
    const { store } = context;
    const other = transactionRecord('shared', { accountId: 'acc_two', walletId: 'wal_other' });
    await store.write(async (tx) => {
      await tx.transactions.insert(transactionRecord('shared'), [], []);
      await tx.transactions.insert(other, [], []);
    });
    expect(await store.read.ledger.transactionsOf(txidOf('shared'))).toHaveLength(2);
    await expect(store.write((tx) => tx.transactions.insert(transactionRecord('shared'), [], []))).rejects.toThrow();
    expect((await store.read.transactions.list('acc_one', {}, { limit: 5, offset: 0 })).total).toBe(1);
  });

  test('a record cannot belong to one account and to a wallet of another', async () => {
    const { store } = context;
    await expect(
      store.write((tx) => tx.ledger.insertCoins([coinRecord('c', { accountId: 'acc_two' })])),
    ).rejects.toThrow();
    await expect(
      store.write((tx) => tx.transactions.insert(transactionRecord('t', { walletId: 'wal_other' }), [], [])),
    ).rejects.toThrow();
  });

  test('labels: the last one of a thing stands', async () => {
    const { store } = context;
    const label = (ref: string, text: string, extra: LabelRecord['extra'] = null): LabelRecord => ({
      accountId: 'acc_one',
      walletId: 'wal_one',
      type: 'tx',
      ref,
      label: text,
      extra,
    });
    await store.write((tx) => tx.labels.upsert([label('a', 'one'), label('b', 'two'), label('a', 'three')]));
    await store.write((tx) => tx.labels.upsert([label('b', 'four', { origin: 'wpkh' })]));
    const [a, b] = [label('a', 'three'), label('b', 'four', { origin: 'wpkh' })];
    const { labels } = store.read;
    expect(await labels.page('acc_one', 'wal_one', null, 9)).toEqual([a, b]);
    expect(await labels.page('acc_one', 'wal_one', null, 1)).toEqual([a]);
    expect(await labels.page('acc_one', 'wal_one', a, 9)).toEqual([b]);
    expect(await labels.find('acc_one', 'wal_one', ['b', 'c'])).toEqual([b]);
    expect(await labels.page('acc_two', 'wal_one', null, 9)).toEqual([]);
    expect(await labels.find('acc_two', 'wal_one', ['b'])).toEqual([]);
  });
}
