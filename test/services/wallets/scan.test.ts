import { Transaction } from 'bitcoinjs-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { displayHash } from '../../../src/core/outpoint.ts';
import { OF_SERVICE } from '../../../src/services/policies/gate.ts';
import { lookAheadBound } from '../../../src/services/wallets/scan/scan-watch.ts';
import type { CreateWalletRequest } from '../../../src/services/wallets/wallet-service.ts';
import type { WalletRecord } from '../../../src/store/records.ts';
import { ABANDON, openWalletSetup, refusalOf, type WalletSetup } from './wallet-setup.ts';

const SEGWIT: CreateWalletRequest = { name: 'Restored', type: 'segwit', backupType: 'none' };
const MASTER_KEY = new Uint8Array(32).fill(7);
const ELSEWHERE = '0014751e76e8199196d454941c45d1b3a323f1433bd6';

/** Spends a coinbase of one of the wallet's scripts to other scripts; the rest is fee. */
async function spend(
  house: WalletSetup,
  wallet: WalletRecord,
  coin: { txid: string; vout: number; amountSats: bigint; index: number },
  outputs: readonly { script: string; amountSats: bigint }[],
): Promise<Buffer> {
  const ring = await house.openKeyRing(wallet, OF_SERVICE);
  const transaction = new Transaction();
  transaction.version = 2;
  transaction.addInput(Buffer.from(coin.txid, 'hex').reverse(), coin.vout);
  for (const output of outputs) transaction.addOutput(Buffer.from(output.script, 'hex'), output.amountSats);
  const script = house.pool.model(wallet).scriptAt(false, coin.index).scriptPubKey;
  const code = Buffer.from(`76a914${script.slice(4)}88ac`, 'hex');
  const hash = transaction.hashForWitnessV0(0, code, coin.amountSats, Transaction.SIGHASH_ALL);
  const [r, s] = split(ecc.signEcdsa(hash, ring.privateKey(false, coin.index)));
  const der = Buffer.concat([
    Buffer.from([0x30, r.length + s.length + 4, 2, r.length]),
    r,
    Buffer.from([2, s.length]),
    s,
  ]);
  transaction.setWitness(0, [Buffer.concat([der, Buffer.from([1])]), ring.publicKey(false, coin.index)]);
  ring.dispose();
  return Buffer.from(transaction.toBuffer());
}

function split(signature: Uint8Array): [Buffer, Buffer] {
  const derInteger = (bytes: Uint8Array) => {
    let at = 0;
    while (bytes[at] === 0) at++;
    const trimmed = Buffer.from(bytes.subarray(at));
    return trimmed[0]! >= 0x80 ? Buffer.concat([Buffer.from([0]), trimmed]) : trimmed;
  };
  return [derInteger(signature.subarray(0, 32)), derInteger(signature.subarray(32))];
}

describe.each([
  ['with block filters', true],
  ['from raw blocks', false],
])('a wallet with history, restored %s', (_, filters) => {
  let house: WalletSetup;

  beforeAll(async () => {
    house = await openWalletSetup({ masterKey: MASTER_KEY });
    const { chain } = house;
    if (!filters) chain.matchingBlocks = async () => null;
    // The history is made by a wallet of another service with the same keys: this one does not know its scripts yet.
    const other = await openWalletSetup({ masterKey: MASTER_KEY });
    const { wallet } = await other.wallets.create({ ...SEGWIT, mnemonic: ABANDON }, other.context());
    const script = (change: boolean, index: number) => other.pool.model(wallet).scriptAt(change, index).scriptPubKey;
    const coinbase = async (to: string) => {
      const [block] = await chain.mine(1, to);
      const raw = (await chain.block(block!.hash))!.bytes;
      const transaction = Transaction.fromBuffer(Buffer.from(raw.subarray(81)).subarray(0, coinbaseLength(raw)));
      return { txid: displayHash(transaction.getHash()), vout: 0, amountSats: transaction.outs[0]!.value };
    };
    const first = await coinbase(script(false, 0));
    // Far out of order: index 40 is paid before anything between.
    const second = await coinbase(script(false, 40));
    await chain.mine(1, script(false, 15));
    await chain.mine(110, ELSEWHERE);
    const toChange = 1_000_000n;
    const raw = await spend(house, wallet, { ...first, index: 0 }, [
      { script: ELSEWHERE, amountSats: first.amountSats - toChange - 1_000n },
      { script: script(true, 3), amountSats: toChange },
    ]);
    await chain.mineTransactions([raw]);
    // And one that stays in the mempool.
    const pending = await spend(house, wallet, { ...second, index: 40 }, [
      { script: script(false, 60), amountSats: second.amountSats - 1_000n },
    ]);
    expect(await chain.broadcast(pending)).toEqual({ result: 'accepted' });
    await other[Symbol.asyncDispose]();
    await house.follow();
    await house.synced();
  });
  afterAll(() => house[Symbol.asyncDispose]());

  it('finds every coin, spend and pending payment, and goes on after them', async () => {
    const { wallet } = await house.wallets.create({ ...SEGWIT, mnemonic: ABANDON, birthday: 0 }, house.context());
    const done = await house.scanned(wallet.walletId);
    const { height } = await house.chain.info();
    expect(done.scan).toEqual({ state: 'idle', fromHeight: 0, atHeight: height, toHeight: height, error: null });

    const coins = await house.store.read.coins.list('acc_one', wallet.walletId, {}, { limit: 100, offset: 0 });
    const found = coins.data.map(
      (coin) => `${coin.change ? 1 : 0}/${coin.index} ${coin.height === null ? 'pending' : 'block'}`,
    );
    expect(found.sort()).toEqual(['0/15 block', '0/60 pending', '1/3 block']);
    // What was used is not given out again.
    const next = await house.wallets.reserveAddress(wallet.walletId, { change: false, label: null }, house.context());
    expect(next.script.index).toBe(61);
    expect(await house.store.read.scripts.highestIndex('acc_one', wallet.walletId, false)).toBe(81);
    const listed = await house.wallets.listAddresses(
      wallet.walletId,
      { used: true },
      { limit: 100, offset: 0 },
      house.context(),
    );
    expect(listed.data.map(({ script }) => `${script.change ? 1 : 0}/${script.index}`).sort()).toEqual([
      '0/0',
      '0/15',
      '0/40',
      '0/60',
      '1/3',
    ]);
    // The follower takes over: the pending payment confirms.
    await house.chain.mine(1, ELSEWHERE);
    await house.synced();
    const { balance } = await house.wallets.get(wallet.walletId, house.context());
    expect(balance.pendingSats).toBe(0n);
    expect(balance.confirmedSats).toBe(coins.data.reduce((sum, coin) => sum + coin.amountSats, 0n));
  });

  it('a rescan changes nothing', async () => {
    const { data } = await house.wallets.list({}, { limit: 10, offset: 0 }, house.context());
    const before = data[0]!;
    const asked = await house.wallets.rescan(before.wallet.walletId, null, house.context());
    expect(asked.wallet.scan.state).toBe('queued');
    await house.scanned(before.wallet.walletId);
    const after = await house.wallets.get(before.wallet.walletId, house.context());
    expect(after.balance).toEqual(before.balance);
    expect(after.wallet.nextExternalIndex).toBe(before.wallet.nextExternalIndex);
    expect(after.wallet.transactionCount).toBe(before.wallet.transactionCount);
  });

  it('resumes from the noted height, as after a crash', async () => {
    const { wallet } = await house.wallets.create(
      { ...SEGWIT, mnemonic: ABANDON, birthday: 0 },
      house.context('acc_two'),
    );
    await house.scanned(wallet.walletId);
    const { height } = await house.chain.info();
    const read: number[] = [];
    const original = house.chain.blockHashesAt.bind(house.chain);
    house.chain.blockHashesAt = async (heights) => {
      read.push(...heights);
      return original(heights);
    };
    await house.store.write((tx) =>
      tx.wallets.setScan('acc_two', wallet.walletId, {
        state: 'scanning',
        fromHeight: 0,
        atHeight: height - 3,
        toHeight: height,
        error: null,
      }),
    );
    house.lookForScans();
    await house.scanned(wallet.walletId);
    house.chain.blockHashesAt = original;
    expect(read.every((one) => one > height - 3)).toBe(true);
  });
});

describe('scans that cannot begin', () => {
  it('while another of the wallet is queued', async () => {
    await using house = await openWalletSetup();
    await house.chain.mine(1, ELSEWHERE);
    const { wallet } = await house.wallets.create({ ...SEGWIT, mnemonic: ABANDON }, house.context());
    expect(await refusalOf(house.wallets.rescan(wallet.walletId, 0, house.context()))).toMatchObject({
      code: 'state_conflict',
    });
  });

  it('above the tip', async () => {
    await using house = await openWalletSetup();
    const { wallet } = await house.wallets.create(SEGWIT, house.context());
    expect(await refusalOf(house.wallets.rescan(wallet.walletId, 1, house.context()))).toMatchObject({
      code: 'invalid_value',
      field: 'from_height',
    });
  });

  it('below the blocks of a pruned node: birthday_pruned, naming the height', async () => {
    await using house = await openWalletSetup();
    const info = house.chain.info.bind(house.chain);
    house.chain.info = async () => ({ ...(await info()), prunedBelow: 50 });
    await house.chain.mine(60, ELSEWHERE);
    const create = (birthday?: number) =>
      house.wallets.create(
        { ...SEGWIT, mnemonic: ABANDON, ...(birthday === undefined ? {} : { birthday }) },
        house.context(),
      );
    const refusal = await refusalOf(create());
    expect(refusal).toMatchObject({ code: 'birthday_pruned', field: 'birthday' });
    expect(refusal.message).toContain('50');
    const { wallet } = await create(50);
    expect(wallet.birthdayHeight).toBe(50);
    expect(await refusalOf(house.wallets.rescan(wallet.walletId, 49, house.context()))).toMatchObject({
      code: 'birthday_pruned',
      field: 'from_height',
    });
  });

  it('with the chain away: a restore is refused, a fresh wallet is made', async () => {
    await using house = await openWalletSetup();
    house.chain.setReachable(false);
    expect(await refusalOf(house.wallets.create({ ...SEGWIT, mnemonic: ABANDON }, house.context()))).toMatchObject({
      code: 'node_unavailable',
    });
    expect((await house.wallets.create(SEGWIT, house.context())).wallet.birthdayHeight).toBe(0);
  });

  it('fails for good, saying why, where the source has lost the blocks', async () => {
    await using house = await openWalletSetup();
    await house.chain.mine(5, ELSEWHERE);
    house.chain.matchingBlocks = async () => null;
    house.chain.blocks = async () => {
      throw new DomainError('source_incapable', 'block 1 is pruned');
    };
    const { wallet } = await house.wallets.create({ ...SEGWIT, mnemonic: ABANDON, birthday: 1 }, house.context());
    await house.follow();
    expect((await house.scanned(wallet.walletId)).scan).toMatchObject({ state: 'failed', error: 'block 1 is pruned' });
  });
});

describe('birthdays as dates', () => {
  it('start at the last block before the date, with a margin', async () => {
    await using house = await openWalletSetup();
    const blocks = await house.chain.mine(30, ELSEWHERE);
    const times = await Promise.all(blocks.map(async ({ hash }) => (await house.chain.header(hash))!.medianTime));
    const make = async (birthday: string) =>
      (await house.wallets.create({ ...SEGWIT, mnemonic: ABANDON, birthday }, house.context())).wallet.birthdayHeight;
    const day = (seconds: number) => new Date(seconds * 1000).toISOString();
    const last = times.at(-1)!;
    const height = await make(day(last + 7_200 + 1));
    expect(height).toBe(30);
    expect(await make('2009-01-01')).toBe(0);
    const middle = await make(day(times[14]! + 7_200));
    expect(times[middle - 1] ?? 0).toBeLessThan(times[14]!);
  });
});

describe('the look-ahead of scans', () => {
  it('depends on the derived scripts alone and doubles before it is reached', () => {
    expect(lookAheadBound(-1)).toBe(512);
    expect(lookAheadBound(447)).toBe(512);
    expect(lookAheadBound(448)).toBe(1024);
    expect(lookAheadBound(100_000)).toBe(131_072);
  });

  it('starts over when a wallet was used further than it reaches', async () => {
    await using house = await openWalletSetup();
    const other = await openWalletSetup();
    const { wallet } = await other.wallets.create({ ...SEGWIT, mnemonic: ABANDON }, other.context());
    const script = (index: number) => other.pool.model(wallet).scriptAt(false, index).scriptPubKey;
    // 700 lies beyond the first look-ahead, and is paid before the one that leads there.
    for (const index of [700, 500, 0]) await house.chain.mine(1, script(index));
    await other[Symbol.asyncDispose]();
    await house.follow();
    await house.synced();
    const restored = await house.wallets.create({ ...SEGWIT, mnemonic: ABANDON, birthday: 0 }, house.context());
    await house.scanned(restored.wallet.walletId);
    const coins = await house.store.read.coins.list('acc_one', restored.wallet.walletId, {}, { limit: 10, offset: 0 });
    expect(coins.data.map((coin) => coin.index).sort((a, b) => a - b)).toEqual([0, 500, 700]);
  });
});

/** Length of the first transaction of a block with one transaction. */
const coinbaseLength = (block: Uint8Array): number => block.length - 81;
