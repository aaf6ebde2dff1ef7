import { randomBytes } from 'node:crypto';
import { CompactEncrypt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountId, WalletId } from '../../../src/core/ids.ts';
import { OF_SERVICE } from '../../../src/services/policies/gate.ts';
import { encryptBackup } from '../../../src/services/wallets/wallet-backup.ts';
import { openSeed } from '../../../src/services/wallets/wallet-keys.ts';
import type { CreateWalletRequest } from '../../../src/services/wallets/wallet-service.ts';
import { ABANDON, openWalletSetup, refusalOf, type WalletSetup } from './wallet-setup.ts';

const PASSPHRASE = 'correct horse battery staple';
const ENCRYPTED: CreateWalletRequest = { name: 'Treasury', type: 'segwit', backupType: 'encrypted' };
const TPUB =
  'tpubDCdxmvzJ5QBjTN8oCjjyT2V58AyZvA1fkmCeZRC75QMoaHcVP2m45Bv3hmnR7ttAwkb2UNYyoXdHVt4gwBqRrJqLUU2JrM43HippxiWpHra';

describe('backups', () => {
  const masterKey = randomBytes(32);
  let house: WalletSetup;
  const create = (changes: Partial<CreateWalletRequest>) =>
    house.wallets.create({ ...ENCRYPTED, ...changes }, house.context());
  /** Restores after the database was lost: a new one, with the same master key. */
  const restoreAfresh = async (
    changes: Partial<CreateWalletRequest>,
    accountId: AccountId = 'acc_one',
    accounts?: AccountId[],
  ) => {
    await using afresh = await openWalletSetup({ masterKey, ...(accounts && { accounts }) });
    return await afresh.wallets.create({ ...ENCRYPTED, backupType: 'none', ...changes }, afresh.context(accountId));
  };
  beforeAll(async () => {
    house = await openWalletSetup({ masterKey });
    await house.chain.mine(20, '51');
  });
  afterAll(() => house[Symbol.asyncDispose]());

  it('under a passphrase restore on another server: keys, descriptors, addresses given out, labels, birthday', async () => {
    const { wallet } = await create({ type: 'taproot' });
    const context = house.context();
    for (let i = 0; i < 30; i++) {
      await house.wallets.reserveAddress(wallet.walletId, { change: false, label: `Invoice ${i}` }, context);
    }
    const backup = await house.wallets.backup(wallet.walletId, PASSPHRASE, context);
    expect(backup.serverBound).toBe(false);
    expect(decodeProtectedHeader(backup.jwe)).toMatchObject({
      alg: 'PBES2-HS512+A256KW',
      enc: 'A256GCM',
      p2c: 250_000,
    });

    await using elsewhere = await openWalletSetup();
    await elsewhere.chain.mine(25, '51');
    const restored = await elsewhere.wallets.create(
      { name: 'Back', type: 'taproot', backupType: 'none', backup: backup.jwe, backupPassphrase: PASSPHRASE },
      elsewhere.context(),
    );
    expect(restored.wallet).toMatchObject({
      externalDescriptor: wallet.externalDescriptor,
      internalDescriptor: wallet.internalDescriptor,
      fingerprint: wallet.fingerprint,
      birthdayHeight: wallet.birthdayHeight,
      nextExternalIndex: 30,
      name: 'Back',
    });
    expect(restored.wallet.scan.state).toBe('queued');
    const page = { limit: 100, offset: 0 };
    const addresses = async (from: WalletSetup, walletId: WalletId) =>
      (await from.wallets.listAddresses(walletId, {}, page, from.context())).data
        .map(({ script, path }) => ({ address: script.address, label: script.label, path }))
        .sort((a, b) => a.address.localeCompare(b.address));
    expect(await addresses(elsewhere, restored.wallet.walletId)).toEqual(await addresses(house, wallet.walletId));
    const ring = await house.openKeyRing((await house.store.read.ledger.wallet(wallet.walletId))!, OF_SERVICE);
    const other = await elsewhere.openKeyRing(
      (await elsewhere.store.read.ledger.wallet(restored.wallet.walletId))!,
      OF_SERVICE,
    );
    expect(Buffer.from(other.privateKey(true, 9))).toEqual(Buffer.from(ring.privateKey(true, 9)));
  });

  it('without a passphrase are bound to the server', async () => {
    const { wallet, backup } = await create({});
    expect(backup?.serverBound).toBe(true);
    expect(decodeProtectedHeader(backup!.jwe)).toMatchObject({ alg: 'dir', server_bound: true });
    const restored = await restoreAfresh({ backup: backup!.jwe });
    expect(restored.wallet.externalDescriptor).toBe(wallet.externalDescriptor);
    await using elsewhere = await openWalletSetup();
    const refused = elsewhere.wallets.create({ ...ENCRYPTED, backup: backup!.jwe }, elsewhere.context());
    expect(await refusalOf(refused)).toMatchObject({ code: 'invalid_backup', field: 'backup' });
  });

  it('without a passphrase restore in no other account, and tell it nothing', async () => {
    const { wallet, backup } = await create({});
    await using stranger = await openWalletSetup();
    const other = await refusalOf(
      stranger.wallets.create({ ...ENCRYPTED, backup: backup!.jwe }, stranger.context('acc_two')),
    );
    expect(other).toMatchObject({ code: 'invalid_backup', field: 'backup' });
    for (const type of ['segwit', 'taproot'] as const) {
      const request = { ...ENCRYPTED, type, backup: backup!.jwe };
      expect(await refusalOf(house.wallets.create(request, house.context('acc_two')))).toEqual(other);
      expect(await refusalOf(restoreAfresh(request, 'acc_two'))).toEqual(other);
    }
    const later = await house.wallets.backup(wallet.walletId, null, house.context());
    const request = { ...ENCRYPTED, backup: later.jwe };
    expect(await refusalOf(house.wallets.create(request, house.context('acc_two')))).toEqual(other);
    // The account of a new database has another id: there is no other account.
    const restored = await restoreAfresh({ backup: backup!.jwe }, 'acc_new', ['acc_new']);
    expect(restored.wallet.externalDescriptor).toBe(wallet.externalDescriptor);
    const taken = restoreAfresh({ backup: backup!.jwe, backupType: 'encrypted', backupPassphrase: PASSPHRASE });
    expect(await refusalOf(taken)).toMatchObject({ code: 'invalid_value', field: 'backup_passphrase' });
  });

  it('without a passphrase restore no second wallet, also beside an archived one or twice at once', async () => {
    const { wallet, backup } = await create({});
    const count = async () => (await house.wallets.list({}, { limit: 1, offset: 0 }, house.context())).total;
    const before = await count();
    const restore = () => create({ backupType: 'none', backup: backup!.jwe });
    const refused = { code: 'state_conflict', field: 'backup', message: expect.stringContaining(wallet.walletId) };
    expect(await refusalOf(restore())).toMatchObject(refused);
    await house.wallets.update(wallet.walletId, { archived: true }, house.context());
    expect(await refusalOf(restore())).toMatchObject(refused);
    expect(await count()).toBe(before);

    await using afresh = await openWalletSetup({ masterKey });
    const request = { ...ENCRYPTED, backupType: 'none', backup: backup!.jwe } as const;
    const { externalDescriptor: descriptor } = wallet;
    await afresh.wallets.create(
      { name: 'Watched', type: 'watch-only', backupType: 'none', descriptor },
      afresh.context(),
    );
    const both = await Promise.allSettled([1, 2].map(() => afresh.wallets.create(request, afresh.context())));
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('of older versions, which name no account, restore where there is one account', async () => {
    const { wallet } = await create({});
    const seed = await openSeed(house.box, wallet, OF_SERVICE);
    const whose = { accountId: undefined as unknown as string };
    const protection = { passphrase: null, provider: house.provider, randomBytes, whose };
    const { jwe } = await encryptBackup({ ...wallet, seed, labels: '' }, protection);
    for (const account of ['acc_one', 'acc_two'] as const) {
      const refused = house.wallets.create({ ...ENCRYPTED, backup: jwe }, house.context(account));
      expect(await refusalOf(refused)).toMatchObject({
        ...{ code: 'invalid_backup', field: 'backup', message: expect.stringContaining('single account') },
      });
    }
    const restored = await restoreAfresh({ backup: jwe }, 'acc_new', ['acc_new']);
    expect(restored.wallet.externalDescriptor).toBe(wallet.externalDescriptor);
  });

  it('restore on a node that is behind, from its tip', async () => {
    const { backup } = await create({ backupPassphrase: PASSPHRASE });
    await using elsewhere = await openWalletSetup();
    const request = { ...ENCRYPTED, backup: backup!.jwe, backupPassphrase: PASSPHRASE };
    expect((await elsewhere.wallets.create(request, elsewhere.context())).wallet.birthdayHeight).toBe(0);
  });

  it('of multisig and watch-only wallets restore too', async () => {
    const multisig = await create({ type: 'multisig', required: 2, cosigners: [TPUB] });
    const again = await restoreAfresh({ type: 'multisig', backup: multisig.backup!.jwe });
    expect(again.wallet.externalDescriptor).toBe(multisig.wallet.externalDescriptor);
    expect(again.wallet.secret).not.toBeNull();
    const taproot = await create({ type: 'multisig', required: 2, cosigners: [TPUB], scriptType: 'taproot' });
    const restored = await restoreAfresh({ type: 'multisig', backup: taproot.backup!.jwe });
    expect(restored.wallet.externalDescriptor).toBe(taproot.wallet.externalDescriptor);
    expect(restored.wallet.secret).not.toBeNull();
    const watch = await create({ type: 'watch-only', xpub: TPUB, scriptType: 'segwit' });
    const copy = await restoreAfresh({ type: 'watch-only', backup: watch.backup!.jwe });
    expect(copy.wallet).toMatchObject({ externalDescriptor: watch.wallet.externalDescriptor, secret: null });
  });

  it('hold no words and no passphrase in clear', async () => {
    const { backup } = await create({ mnemonic: ABANDON, backupPassphrase: PASSPHRASE });
    expect(Buffer.from(backup!.jwe.split('.')[3]!, 'base64url').toString('latin1')).not.toMatch(/seed|wpkh|abandon/);
  });

  it.each<[string, (jwe: string) => Partial<CreateWalletRequest>, string]>([
    ['a wrong passphrase', (jwe) => ({ backup: jwe, backupPassphrase: 'wrong passphrase' }), 'backup_passphrase'],
    ['no passphrase', (jwe) => ({ backup: jwe }), 'backup_passphrase'],
    ['another type', (jwe) => ({ backup: jwe, backupPassphrase: PASSPHRASE, type: 'taproot' }), 'type'],
    ['a cut text', (jwe) => ({ backup: jwe.slice(0, 60), backupPassphrase: PASSPHRASE }), 'backup'],
    [
      'a changed text',
      (jwe) => ({ backup: `${jwe.slice(0, -4)}AAAA`, backupPassphrase: PASSPHRASE }),
      'backup_passphrase',
    ],
    [
      'another algorithm',
      (jwe) => ({
        backup: jwe.replace(/^[^.]*/, Buffer.from('{"alg":"RSA-OAEP","enc":"A256GCM"}').toString('base64url')),
        backupPassphrase: PASSPHRASE,
      }),
      'backup',
    ],
    [
      'an iteration count meant to keep the server busy',
      (jwe) => ({
        backup: jwe.replace(/^[^.]*/, (header) =>
          Buffer.from(
            JSON.stringify({ ...JSON.parse(Buffer.from(header, 'base64url').toString()), p2c: 600_001 }),
          ).toString('base64url'),
        ),
        backupPassphrase: PASSPHRASE,
      }),
      'backup',
    ],
  ])('are refused with %s', async (_, request, field) => {
    const { backup } = await create({ backupPassphrase: PASSPHRASE });
    const refusal = await refusalOf(create(request(backup!.jwe)));
    expect(refusal).toMatchObject({ code: 'invalid_backup', field });
    expect(refusal.message).not.toContain(PASSPHRASE);
  });

  it.each<[string, unknown]>([
    ['nothing', null],
    ['a number', 5],
    ['no wallet', {}],
    ['a descriptor that is none', { externalDescriptor: 'wpkh(' }],
    ['a change descriptor that is none', { internalDescriptor: 'wpkh(' }],
    ['labels that are none', { labels: 'Rent' }],
    ['a label with a NUL', { labels: `{"type":"tx","ref":"${'ab'.repeat(32)}","label":"\\u0000"}` }],
    ['more addresses than a wallet has', { nextExternalIndex: 1_000_000 }],
  ])('sealed by somebody else with %s in them are refused', async (_, changes) => {
    const sound = {
      ...{ format: 'ashlar-wallet-backup', version: 1, name: 'w', type: 'watch-only', network: 'regtest', seed: null },
      ...{ externalDescriptor: `wpkh(${TPUB}/0/*)`, internalDescriptor: null, birthdayHeight: 0, labels: '' },
      ...{ nextExternalIndex: 0, nextInternalIndex: 0 },
    };
    const sealed = (contents: unknown) =>
      new CompactEncrypt(Buffer.from(JSON.stringify(contents)))
        .setProtectedHeader({ alg: 'PBES2-HS512+A256KW', enc: 'A256GCM' })
        .setKeyManagementParameters({ p2c: 1_000 })
        .encrypt(Buffer.from(PASSPHRASE));
    const restore = async (contents: unknown) =>
      create({ type: 'watch-only', backupType: 'none', backup: await sealed(contents), backupPassphrase: PASSPHRASE });
    expect((await restore(sound)).wallet.externalDescriptor).toBe(sound.externalDescriptor);
    const changed = changes !== null && typeof changes === 'object' && Object.keys(changes).length > 0;
    const refusal = await refusalOf(restore(changed ? { ...sound, ...(changes as object) } : changes));
    expect(refusal).toMatchObject({ code: 'invalid_backup', field: 'backup' });
  });
});
