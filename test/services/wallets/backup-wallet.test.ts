import { CompactEncrypt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WalletId } from '../../../src/core/ids.ts';
import { OF_SERVICE } from '../../../src/services/policies/gate.ts';
import type { CreateWalletRequest } from '../../../src/services/wallets/wallet-service.ts';
import { ABANDON, openWalletSetup, refusalOf, type WalletSetup } from './wallet-setup.ts';

const PASSPHRASE = 'correct horse battery staple';
const ENCRYPTED: CreateWalletRequest = { name: 'Treasury', type: 'segwit', backupType: 'encrypted' };
const TPUB =
  'tpubDCdxmvzJ5QBjTN8oCjjyT2V58AyZvA1fkmCeZRC75QMoaHcVP2m45Bv3hmnR7ttAwkb2UNYyoXdHVt4gwBqRrJqLUU2JrM43HippxiWpHra';

describe('backups', () => {
  let house: WalletSetup;
  const create = (changes: Partial<CreateWalletRequest>) =>
    house.wallets.create({ ...ENCRYPTED, ...changes }, house.context());
  beforeAll(async () => {
    house = await openWalletSetup();
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
    const restored = await create({ backupType: 'none', backup: backup!.jwe });
    expect(restored.wallet.externalDescriptor).toBe(wallet.externalDescriptor);
    await using elsewhere = await openWalletSetup();
    const refused = elsewhere.wallets.create({ ...ENCRYPTED, backup: backup!.jwe }, elsewhere.context());
    expect(await refusalOf(refused)).toMatchObject({ code: 'invalid_backup', field: 'backup' });
  });

  it('restore on a node that is behind, from its tip', async () => {
    const { backup } = await create({ backupPassphrase: PASSPHRASE });
    await using elsewhere = await openWalletSetup();
    const request = { ...ENCRYPTED, backup: backup!.jwe, backupPassphrase: PASSPHRASE };
    expect((await elsewhere.wallets.create(request, elsewhere.context())).wallet.birthdayHeight).toBe(0);
  });

  it('of multisig and watch-only wallets restore too', async () => {
    const multisig = await create({ type: 'multisig', required: 2, cosigners: [TPUB] });
    const again = await create({ type: 'multisig', backup: multisig.backup!.jwe, backupType: 'none' });
    expect(again.wallet.externalDescriptor).toBe(multisig.wallet.externalDescriptor);
    expect(again.wallet.secret).not.toBeNull();
    const taproot = await create({ type: 'multisig', required: 2, cosigners: [TPUB], scriptType: 'taproot' });
    const restored = await create({ type: 'multisig', backup: taproot.backup!.jwe, backupType: 'none' });
    expect(restored.wallet.externalDescriptor).toBe(taproot.wallet.externalDescriptor);
    expect(restored.wallet.secret).not.toBeNull();
    const watch = await create({ type: 'watch-only', xpub: TPUB, scriptType: 'segwit' });
    const copy = await create({ type: 'watch-only', backup: watch.backup!.jwe, backupType: 'none' });
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
