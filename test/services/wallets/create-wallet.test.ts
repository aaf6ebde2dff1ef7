import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { parseMnemonic } from '../../../src/core/wallets/mnemonic.ts';
import { OF_SERVICE } from '../../../src/services/policies/gate.ts';
import type { CreateWalletRequest, WalletService } from '../../../src/services/wallets/wallet-service.ts';
import { ABANDON, openWalletSetup, refusalOf, type WalletSetup } from './wallet-setup.ts';

const SEGWIT: CreateWalletRequest = { name: 'Treasury', type: 'segwit', backupType: 'none' };
const TPUB =
  'tpubDCdxmvzJ5QBjTN8oCjjyT2V58AyZvA1fkmCeZRC75QMoaHcVP2m45Bv3hmnR7ttAwkb2UNYyoXdHVt4gwBqRrJqLUU2JrM43HippxiWpHra';
const VPUB =
  'vpub5Y6cjg78GGuNLsaPhmYsiw4gYX3HoQiRBiSwDaBXKUafCt9bNwWQiitDk5VZ5BVxYnQdwoTyXSs2JHRPAgjAvtbBrf8ZhDYe2jWAqvZVnsc';

describe('creating wallets', () => {
  let house: WalletSetup;
  const create = (request: CreateWalletRequest, accountId?: AccountId) =>
    house.wallets.create(request, house.context(accountId));

  beforeAll(async () => {
    house = await openWalletSetup();
    await house.follow();
    await house.synced();
  });
  afterAll(() => house[Symbol.asyncDispose]());

  it.each([
    ['segwit', 'bcrt1q', 'wpkh('],
    ['taproot', 'bcrt1p', 'tr('],
    ['nested-segwit', '2', 'sh(wpkh('],
    ['legacy', 'm', 'pkh('],
  ] as const)('makes a %s wallet from three fields', async (type, prefix, form) => {
    const { wallet, mnemonic, backup } = await create({ name: 'One', type, backupType: 'none' });
    expect(wallet.externalDescriptor.startsWith(form)).toBe(true);
    expect(wallet.fingerprint).toMatch(/^[0-9a-f]{8}$/);
    expect(wallet.externalDescriptor).toContain(`[${wallet.fingerprint}/`);
    expect([mnemonic, backup]).toEqual([null, null]);
    expect(wallet.scan.state).toBe('idle');
    const { script } = await house.wallets.reserveAddress(
      wallet.walletId,
      { change: false, label: null },
      house.context(),
    );
    expect(type === 'legacy' ? /^[mn]/.test(script.address) : script.address.startsWith(prefix)).toBe(true);
    const ring = await house.openKeyRing((await house.store.read.ledger.wallet(wallet.walletId))!, OF_SERVICE);
    expect(ecc.isPrivate(ring.privateKey(false, 0))).toBe(true);
    ring.dispose();
  });

  it.each([12, 24] as const)('answers %i fresh words once, which restore the same wallet', async (words) => {
    const made = await create({ ...SEGWIT, backupType: 'mnemonic', words });
    expect(parseMnemonic(made.mnemonic!).split(' ')).toHaveLength(words);
    const again = await house.wallets.get(made.wallet.walletId, house.context());
    expect(JSON.stringify(again, (_, value) => (typeof value === 'bigint' ? `${value}` : value))).not.toContain(
      made.mnemonic!.split(' ').slice(0, 3).join(' '),
    );
    const restored = await create({ ...SEGWIT, backupType: 'mnemonic', mnemonic: made.mnemonic!, birthday: 0 });
    expect(restored.wallet.externalDescriptor).toBe(made.wallet.externalDescriptor);
    expect(restored.mnemonic).toBeNull();
    expect(restored.wallet.scan).toMatchObject({ state: 'queued', fromHeight: 0 });
  });

  it('takes the BIP39 passphrase into the seed', async () => {
    const plain = await create({ ...SEGWIT, mnemonic: ABANDON });
    const other = await create({ ...SEGWIT, mnemonic: ABANDON, mnemonicPassphrase: 'TREZOR' });
    expect(plain.wallet.fingerprint).toBe('73c5da0a');
    expect(other.wallet.fingerprint).toBe('b4e3f5ed');
  });

  it('makes a multisig wallet with a key of its own, or without', async () => {
    const cosigners = [`[d34db33f/48h/1h/0h/2h]${TPUB}`];
    const own = await create({ name: 'Vault', type: 'multisig', backupType: 'mnemonic', required: 2, cosigners });
    expect(own.wallet.externalDescriptor).toMatch(
      /^wsh\(sortedmulti\(2,\[[0-9a-f]{8}\/48h\/1h\/0h\/2h\]tpub\w+\/0\/\*,\[d34db33f/,
    );
    expect(own.mnemonic).not.toBeNull();
    const { secret } = (await house.store.read.ledger.wallet(own.wallet.walletId))!;
    expect(secret).not.toBeNull();
    const refusal = await refusalOf(house.openKeyRing(own.wallet, OF_SERVICE));
    expect(refusal).toMatchObject({ code: 'signing_unavailable' });
    expect(refusal.message).toContain('PSBT');
    const foreign = await create({
      name: 'V',
      type: 'multisig',
      backupType: 'none',
      required: 1,
      cosigners,
      ownKey: false,
    });
    expect(foreign.wallet.secret).toBeNull();
    expect(foreign.wallet.scan.state).toBe('queued');
  });

  it('makes a multisig wallet of taproot, with a key of its own or without', async () => {
    const made = (more: object) =>
      create({
        ...{ name: 'Vault', type: 'multisig', backupType: 'none', required: 1, scriptType: 'taproot' },
        ...{ cosigners: [`[d34db33f/87h/1h/0h]${TPUB}`], ...more },
      });
    const own = /^tr\(50929b74c1a0\w+,sortedmulti_a\(1,\[[0-9a-f]{8}\/87h\/1h\/0h\]tpub\w+\/0\/\*,\[d34db33f/;
    expect((await made({})).wallet.externalDescriptor).toMatch(own);
    const words = { mnemonic: ABANDON };
    expect((await made(words)).wallet.internalDescriptor).toBe((await made(words)).wallet.internalDescriptor);
    expect((await made({ ownKey: false })).wallet.externalDescriptor).toMatch(/sortedmulti_a\(1,\[d34db33f/);
  });

  it('makes a MuSig2 wallet, all of whose keys sign', async () => {
    const cosigners = [`[d34db33f/87h/1h/0h]${TPUB}`];
    const musig = { name: 'Vault', type: 'multisig', scriptType: 'musig', cosigners } as const;
    const passphrase = { backupPassphrase: 'correct horse battery staple' };
    const made = await create({ ...musig, ...passphrase, backupType: 'encrypted', required: 2 });
    expect(made.wallet.externalDescriptor).toMatch(
      /^tr\(musig\(\[[0-9a-f]{8}\/87h\/1h\/0h\]tpub\w+,\[d34db33f\/87h\/1h\/0h\]tpub\w+\)\/0\/\*\)#/,
    );
    const again = await create({
      ...{ name: 'V', type: 'multisig', backup: made.backup!.jwe, backupType: 'none', ...passphrase },
    });
    expect(again.wallet.internalDescriptor).toBe(made.wallet.internalDescriptor);
    expect(again.wallet.secret).not.toBeNull();
  });

  it('makes watch-only wallets of descriptors and extended keys', async () => {
    const base = { name: 'Watch', type: 'watch-only', backupType: 'none' } as const;
    const described = await create({ ...base, descriptor: `wpkh([d34db33f/84h/1h/0h]${TPUB}/<0;1>/*)` });
    const keyed = await create({ ...base, xpub: `[d34db33f/84'/1'/0']${TPUB}`, scriptType: 'segwit' });
    expect(keyed.wallet.externalDescriptor).toBe(described.wallet.externalDescriptor);
    expect(keyed.wallet.fingerprint).toBe('d34db33f');
    const slip132 = await create({ ...base, xpub: VPUB });
    expect(slip132.wallet.externalDescriptor).toMatch(/^wpkh\(tpub/);
    const fixed = await create({ ...base, descriptor: 'addr(2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2)' });
    const reserve = () =>
      house.wallets.reserveAddress(fixed.wallet.walletId, { change: false, label: null }, house.context());
    expect((await reserve()).script.address).toBe('2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2');
    expect((await reserve()).script.index).toBe(0);
    expect(await refusalOf(house.openKeyRing(fixed.wallet, OF_SERVICE))).toMatchObject({ code: 'signing_unavailable' });
  });

  it("makes the account's first wallet that can pay its default", async () => {
    const watch = { name: 'W', type: 'watch-only', backupType: 'none', xpub: TPUB, scriptType: 'segwit' } as const;
    expect((await create(watch, 'acc_two')).wallet.isDefault).toBe(false);
    const first = await create(SEGWIT, 'acc_two');
    const second = await create(SEGWIT, 'acc_two');
    expect([first.wallet.isDefault, second.wallet.isDefault]).toEqual([true, false]);
    const context = house.context('acc_two');
    await house.wallets.update(second.wallet.walletId, { isDefault: true }, context);
    expect((await house.wallets.get(first.wallet.walletId, context)).wallet.isDefault).toBe(false);
    const archived = await house.wallets.update(second.wallet.walletId, { archived: true }, context);
    expect(archived.wallet).toMatchObject({ isDefault: false });
    expect(archived.wallet.archivedAt).not.toBeNull();
    expect(await house.store.read.wallets.findDefault('acc_two')).toBeNull();
    expect(await refusalOf(house.wallets.update(second.wallet.walletId, { isDefault: true }, context))).toMatchObject({
      code: 'state_conflict',
    });
  });

  it.each<[Partial<CreateWalletRequest>, string, string]>([
    [{ required: 2 }, 'required', 'invalid_value'],
    [{ cosigners: [TPUB] }, 'cosigners', 'invalid_value'],
    [{ descriptor: 'wpkh()' }, 'descriptor', 'invalid_value'],
    [{ birthday: 0 }, 'birthday', 'invalid_value'],
    [{ mnemonic: ABANDON, words: 12 }, 'words', 'invalid_value'],
    [{ mnemonic: 'abandon abandon' }, 'mnemonic', 'invalid_mnemonic'],
    [{ mnemonic: ABANDON, birthday: 99_999 }, 'birthday', 'invalid_value'],
    [{ mnemonic: ABANDON, birthday: 'yesterday' }, 'birthday', 'invalid_value'],
    [{ backupPassphrase: 'long enough' }, 'backup_passphrase', 'invalid_value'],
    [{ backup: 'a.b.c.d.e' }, 'backup', 'invalid_backup'],
    [{ backup: 'a.b.c.d.e', mnemonic: ABANDON }, 'mnemonic', 'invalid_value'],
    [{ type: 'watch-only' }, 'descriptor', 'invalid_value'],
    [{ type: 'watch-only', xpub: TPUB }, 'script_type', 'invalid_value'],
    [{ type: 'watch-only', xpub: VPUB, scriptType: 'taproot' }, 'script_type', 'invalid_value'],
    [{ type: 'watch-only', xpub: TPUB.slice(0, -1) }, 'xpub', 'invalid_descriptor'],
    [{ type: 'watch-only', xpub: TPUB, scriptType: 'segwit', mnemonic: ABANDON }, 'mnemonic', 'invalid_value'],
    [{ type: 'watch-only', xpub: TPUB, scriptType: 'segwit', backupType: 'mnemonic' }, 'backup_type', 'invalid_value'],
    [{ type: 'watch-only', descriptor: `combo(${TPUB}/*)` }, 'descriptor', 'unsupported'],
    [{ type: 'multisig', cosigners: [TPUB] }, 'required', 'invalid_value'],
    [{ type: 'multisig', required: 3, cosigners: [TPUB] }, 'required', 'invalid_value'],
    [{ type: 'multisig', required: 1 }, 'cosigners', 'invalid_value'],
    [{ type: 'multisig', required: 1, cosigners: [TPUB], scriptType: 'legacy' }, 'script_type', 'invalid_value'],
    [{ type: 'multisig', required: 1, cosigners: [TPUB], scriptType: 'musig' }, 'required', 'invalid_value'],
    [{ type: 'watch-only', xpub: TPUB, scriptType: 'musig' }, 'script_type', 'invalid_value'],
    [{ type: 'multisig', required: 2, cosigners: [TPUB, TPUB] }, 'cosigners[1]', 'invalid_value'],
    [{ type: 'multisig', required: 1, cosigners: [`${TPUB}/0/*`] }, 'cosigners[0]', 'invalid_descriptor'],
    [{ type: 'multisig', required: 1, cosigners: [TPUB], ownKey: false, words: 12 }, 'words', 'invalid_value'],
  ])('refuses %j, naming %s', async (changes, field, code) => {
    const refusal = await refusalOf(create({ ...SEGWIT, ...changes }));
    expect(refusal).toMatchObject({ code, field });
    expect(refusal.message).not.toMatch(/abandon/);
  });

  it('keeps nothing of the seed or the words in clear in the database', async () => {
    const made = await create({ ...SEGWIT, backupType: 'mnemonic' });
    const record = JSON.stringify((await house.store.read.ledger.wallet(made.wallet.walletId))!.secret);
    for (const word of made.mnemonic!.split(' ').filter((one) => one.length > 5)) expect(record).not.toContain(word);
    expect(record).not.toMatch(/prv/);
  });

  it('is not there for another account', async () => {
    const { wallet } = await create(SEGWIT);
    const calls: ((wallets: WalletService) => Promise<unknown>)[] = [
      (wallets) => wallets.get(wallet.walletId, house.context('acc_two')),
      (wallets) => wallets.update(wallet.walletId, { name: 'Mine' }, house.context('acc_two')),
      (wallets) => wallets.backup(wallet.walletId, null, house.context('acc_two')),
      (wallets) => wallets.balance(wallet.walletId, null, house.context('acc_two')),
      (wallets) => wallets.reserveAddress(wallet.walletId, { change: false, label: null }, house.context('acc_two')),
      (wallets) => wallets.listAddresses(wallet.walletId, {}, { limit: 1, offset: 0 }, house.context('acc_two')),
      (wallets) => wallets.listUtxos(wallet.walletId, {}, { limit: 1, offset: 0 }, house.context('acc_two')),
      (wallets) => wallets.exportLabels(wallet.walletId, house.context('acc_two')),
      (wallets) => wallets.importLabels(wallet.walletId, '', house.context('acc_two')),
      (wallets) => wallets.rescan(wallet.walletId, 0, house.context('acc_two')),
    ];
    for (const call of calls) expect(await refusalOf(call(house.wallets))).toMatchObject({ code: 'not_found' });
  });

  it('needs an opt-in for keys on mainnet, and none to watch', async () => {
    const mainnet = house.another({ network: 'mainnet' });
    expect(await refusalOf(mainnet.create(SEGWIT, house.context()))).toMatchObject({
      code: 'policy_refused',
      field: 'type',
    });
    const allowed = house.another({ network: 'mainnet', allowMainnetHotWallets: true });
    expect((await allowed.create(SEGWIT, house.context())).wallet.externalDescriptor).toContain('/84h/0h/0h]xpub');
    const watch = { name: 'W', type: 'watch-only', backupType: 'none' } as const;
    const descriptor = 'addr(bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu)';
    expect((await mainnet.create({ ...watch, descriptor }, house.context())).wallet.network).toBe('mainnet');
  });
});
