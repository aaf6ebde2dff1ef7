import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Outpoint } from '../../../src/core/outpoint.ts';
import type { WalletRecord } from '../../../src/store/records.ts';
import { openWalletSetup, refusalOf, type WalletSetup } from './wallet-setup.ts';

describe('labels and coins of a wallet', () => {
  let house: WalletSetup;
  let wallet: WalletRecord;
  let address: string;
  const page = { limit: 20, offset: 0 };
  beforeAll(async () => {
    house = await openWalletSetup();
    await house.follow();
    await house.synced();
    wallet = (await house.wallets.create({ name: 'Labels', type: 'segwit', backupType: 'none' }, house.context()))
      .wallet;
    const reserved = await house.wallets.reserveAddress(
      wallet.walletId,
      { change: false, label: 'Invoice 7' },
      house.context(),
    );
    address = reserved.script.address;
    await house.chain.mine(2, reserved.script.scriptPubKey);
    await house.synced();
  });
  afterAll(() => house[Symbol.asyncDispose]());
  const coins = () => house.wallets.listUtxos(wallet.walletId, {}, page, house.context());
  const lines = async () =>
    (await house.wallets.exportLabels(wallet.walletId, house.context()))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));

  it('lists immature coins with address, path and confirmations', async () => {
    const { data } = await coins();
    expect(data).toHaveLength(2);
    for (const view of data) {
      expect(view).toMatchObject({ address, path: 'm/84h/1h/0h/0/0', coinbase: true });
    }
    expect(data.map((view) => view.confirmations).sort()).toEqual([1, 2]);
    const { balance } = await house.wallets.get(wallet.walletId, house.context());
    expect(balance).toMatchObject({ confirmedSats: 0n, pendingSats: 0n });
    expect(balance.immatureSats).toBe(data.reduce((sum, view) => sum + view.amountSats, 0n));
    const first = await house.wallets.balance(wallet.walletId, 1, house.context());
    expect(first.height).toBe(1);
    expect(first.balance.immatureSats + first.balance.confirmedSats).toBe(data[0]!.amountSats);
    expect(await refusalOf(house.wallets.balance(wallet.walletId, 3, house.context()))).toMatchObject({
      field: 'query.height',
    });
  });

  it('exports the label of an address with origin and key path', async () => {
    expect(await lines()).toEqual([
      {
        type: 'addr',
        ref: address,
        label: 'Invoice 7',
        origin: `wpkh([${wallet.fingerprint}/84h/1h/0h])`,
        keypath: '/0/0',
      },
    ]);
  });

  it('locks and freezes coins, all of them or none', async () => {
    const [one, two] = (await coins()).data.map((coin) => ({ txid: coin.txid, vout: coin.vout }));
    const flag = (outpoints: Outpoint[], flags: { locked: boolean } | { frozen: boolean }) =>
      house.wallets.flagUtxos(wallet.walletId, outpoints, flags, house.context());
    expect((await flag([one!, two!], { locked: true })).map((coin) => coin.locked)).toEqual([true, true]);
    const refusal = await refusalOf(flag([one!, { ...two!, vout: 9 }], { locked: false }));
    expect(refusal).toMatchObject({ code: 'not_found', field: 'outpoints[1]' });
    expect((await coins()).data.map((coin) => coin.locked)).toEqual([true, true]);
    await flag([one!], { locked: false });
    await flag([two!], { frozen: true });
    const view = await house.wallets.listUtxos(wallet.walletId, { locked: true }, page, house.context());
    expect(view.data.map((coin) => coin.txid)).toEqual([two!.txid]);
    const { balance } = await house.wallets.get(wallet.walletId, house.context());
    expect(balance.lockedSats).toBe(view.data[0]!.amountSats);
    await flag([two!], { locked: false });
    await flag([two!], { frozen: false });
  });

  it('imports labels of addresses, coins and transactions, and gives them out again', async () => {
    const [coin] = (await coins()).data;
    const outpoint = `${coin!.txid}:${coin!.vout}`;
    const unknown = 'f546156d9044844e02b181026a1a407abfca62e7ea1159f87bbeaa77b4286c74';
    const text = [
      { type: 'addr', ref: address, label: 'Renamed' },
      { type: 'output', ref: outpoint, label: 'Block reward', spendable: false },
      { type: 'tx', ref: coin!.txid, label: 'Mined' },
      { type: 'tx', ref: unknown, label: 'Not here yet' },
      { type: 'tx', ref: unknown, label: 'Of another wallet', origin: "wpkh([d34db33f/84'/1'/9'])" },
      { type: 'channel', ref: 'x', label: 'Unknown type' },
    ]
      .map((line) => JSON.stringify(line))
      .join('\n');
    const counts = { imported: 4, ignored: 2 };
    expect(await house.wallets.importLabels(wallet.walletId, text, house.context())).toEqual(counts);
    // Twice is as once.
    expect(await house.wallets.importLabels(wallet.walletId, text, house.context())).toEqual(counts);

    const frozen = await house.wallets.listUtxos(wallet.walletId, { frozen: true }, page, house.context());
    expect(frozen.data.map((one) => [one.txid, one.label])).toEqual([[coin!.txid, 'Block reward']]);
    expect((await house.store.read.transactions.find('acc_one', coin!.txid))?.label).toBe('Mined');
    const given = (await lines()).map(({ type, ref, label, spendable }) => `${type} ${ref} ${label} ${spendable}`);
    expect(given.sort()).toEqual(
      [
        `addr ${address} Renamed undefined`,
        `tx ${unknown} Not here yet undefined`,
        `tx ${coin!.txid} Mined undefined`,
        `output ${outpoint} Block reward false`,
      ].sort(),
    );
    // An absent label leaves the one that is there (BIP329).
    const free = JSON.stringify({ type: 'output', ref: outpoint, spendable: true });
    await house.wallets.importLabels(wallet.walletId, free, house.context());
    const [after] = (await coins()).data.filter((one) => one.txid === coin!.txid);
    expect(after!).toMatchObject({ frozen: false, label: 'Block reward' });
  });

  it('imports nothing of a file with a malformed line', async () => {
    const before = await lines();
    const text = `{"type":"addr","ref":"${address}","label":"Half"}\n{"type":"tx","ref":"short"}`;
    const refusal = await refusalOf(house.wallets.importLabels(wallet.walletId, text, house.context()));
    expect(refusal.code).toBe('invalid_label_file');
    expect(refusal.message).toContain('line 2');
    expect(await lines()).toEqual(before);
  });
});
