import { Block } from 'bitcoinjs-lib';
import { describe, expect, it } from 'vitest';
import { createSimulatedChain } from '../../../src/chain/simulated/simulated-chain.ts';
import { coinbaseHeight, commitsToTransactions } from '../../../src/core/blocks/block.ts';
import { meetsTarget, parseHeader } from '../../../src/core/blocks/header.ts';
import { txid } from '../../../src/core/outpoint.ts';
import {
  coinbaseCoin,
  fundedChain,
  NOBODY,
  openChain,
  owner,
  silent,
  split,
  transactionsOf,
} from './simulated-setup.ts';

const REGTEST_GENESIS = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206';

describe('blocks of the simulated chain', () => {
  it("start at a block of their own, the same in every process and not regtest's", async () => {
    const [a, b] = await Promise.all([openChain(), openChain({ randomBytes: (size) => new Uint8Array(size).fill(9) })]);
    const genesis = (await a.info()).genesisHash;
    expect(genesis).toBe((await b.info()).genesisHash);
    expect(genesis).not.toBe(REGTEST_GENESIS);
  });

  it('carry work, merkle root, witness commitment, BIP34 height and linked hashes, as bitcoinjs-lib checks them', async () => {
    const { chain, coins } = await fundedChain(3);
    for (const coin of coins) await chain.broadcast(owner.spend({ coins: [coin] }).raw);
    await chain.mine(1, NOBODY);
    const { height } = await chain.info();
    let previous = (await chain.info()).genesisHash;
    for (let at = 1; at <= height; at++) {
      const hash = (await chain.blockHashAt(at))!;
      const { bytes } = (await chain.block(hash))!;
      const block = Block.fromBuffer(bytes);
      expect(block.getId()).toBe(hash);
      expect(block.checkProofOfWork()).toBe(true);
      expect(block.checkTxRoots()).toBe(true);
      expect(commitsToTransactions(bytes)).toBe(true);
      const header = parseHeader(bytes);
      expect(meetsTarget(header)).toBe(true);
      expect(header.prevHash).toBe(previous);
      expect(coinbaseHeight(block.transactions![0]!.ins[0]!.script)).toBe(at);
      previous = hash;
    }
    expect((await transactionsOf(chain, previous)).length).toBe(4);
  });

  it('pay 50 BTC, halved every 150 blocks, and the fees', async () => {
    const { chain, coins } = await fundedChain(1);
    await chain.broadcast(owner.spend({ coins, feeSats: 12_345n }).raw);
    const blocks = await chain.mine(249, NOBODY);
    const paid = async (height: number) => (await coinbaseCoin(chain, (await chain.blockHashAt(height))!)).amountSats;
    expect(await paid(blocks[0]!.height)).toBe(5_000_012_345n);
    expect(await paid(149)).toBe(5_000_000_000n);
    expect(await paid(150)).toBe(2_500_000_000n);
    expect(await paid(299)).toBe(2_500_000_000n);
    expect(await paid(300)).toBe(1_250_000_000n);
  });

  it('take time from the clock, but never fall behind the median of those before', async () => {
    let now = 1_800_000_000_000;
    const chain = await openChain({ clock: () => now });
    const [first] = await chain.mine(1, NOBODY);
    expect((await chain.header(first!.hash))!.time).toBe(1_800_000_000);
    now = 1_000_000_000_000;
    let median = (await chain.header(first!.hash))!.medianTime;
    for (const { hash } of await chain.mine(30, NOBODY)) {
      const header = (await chain.header(hash))!;
      expect(header.time).toBeGreaterThan(median);
      median = header.medianTime;
    }
  });

  it('let a coinbase be spent from its hundredth confirmation on', async () => {
    const chain = await openChain();
    const [block] = await chain.mine(1, owner.scriptHex);
    await chain.mine(98, NOBODY);
    const payment = owner.spend({ coins: [await coinbaseCoin(chain, block!.hash)] });
    expect(await chain.broadcast(payment.raw)).toMatchObject({
      result: 'refused',
      reason: expect.stringMatching(/^bad-txns-premature-spend-of-coinbase/),
      final: false,
    });
    await chain.mine(1, NOBODY);
    expect(await chain.broadcast(payment.raw)).toEqual({ result: 'accepted' });
  });

  it('never give two coinbases one txid, so that a branch mined to the same script is another one', async () => {
    const chain = await openChain();
    const [old] = await chain.mine(1, owner.scriptHex);
    const coinbase = await coinbaseCoin(chain, old!.hash);
    const [fresh] = await chain.reorganize(1, { scriptPubKey: owner.scriptHex });
    expect(fresh!.height).toBe(old!.height);
    expect((await coinbaseCoin(chain, fresh!.hash)).txid).not.toBe(coinbase.txid);
  });
});

describe('what goes into a block', () => {
  it('is ordered by feerate, and a child brings its parent along', async () => {
    const { chain, coins } = await fundedChain(4);
    const low = owner.spend({ coins: [coins[0]!], feeSats: 200n });
    const middle = owner.spend({ coins: [coins[1]!], feeSats: 2_000n });
    const parent = owner.spend({ coins: [coins[2]!], feeSats: 100n });
    const child = owner.spend({ coins: [parent.coin(0)], feeSats: 20_000n });
    for (const { raw } of [low, middle, parent, child]) await chain.broadcast(raw);
    const [block] = await chain.mine(1, NOBODY);
    expect((await transactionsOf(chain, block!.hash)).slice(1).map((tx) => tx.txid)).toEqual([
      parent.txid,
      child.txid,
      middle.txid,
      low.txid,
    ]);
  });

  it('stops at four million weight units, leaving what pays least', async () => {
    const { chain, coins } = await fundedChain(30);
    // Each has about 100,000 bytes without witness: ten of them fill a block.
    const filler = Buffer.concat([Buffer.from('6a4e', 'hex'), Buffer.alloc(4), Buffer.alloc(99_000)]);
    filler.writeUInt32LE(99_000, 2);
    const payments = coins.slice(0, 15).map((coin, i) =>
      owner.spend({
        coins: [coin],
        outputs: [
          { script: filler, amountSats: 0n },
          { script: owner.script, amountSats: coin.amountSats - 100_000n - BigInt(i) * 1000n },
        ],
      }),
    );
    for (const { raw } of payments) expect(await chain.broadcast(raw)).toEqual({ result: 'accepted' });
    const [block] = await chain.mine(1, NOBODY);
    const { bytes } = (await chain.block(block!.hash))!;
    expect(Block.fromBuffer(bytes).weight()).toBeLessThanOrEqual(4_000_000);
    const mined = (await transactionsOf(chain, block!.hash)).slice(1).map((tx) => tx.txid);
    expect(mined).toEqual(
      payments
        .slice(5)
        .toReversed()
        .map((payment) => payment.txid),
    );
    expect((await chain.mempoolTxids()).length).toBe(5);
    await chain.mine(1, NOBODY);
    expect((await chain.mempoolTxids()).length).toBe(0);
  });

  it('may be given by name, with transactions that relay would refuse, but not ones that break the rules', async () => {
    const { chain, coins } = await fundedChain(2);
    const free = owner.spend({ coins: [coins[0]!], feeSats: 0n });
    const rival = owner.spend({ coins: [coins[0]!], feeSats: 500n });
    await chain.broadcast(rival.raw);
    const child = owner.spend({ coins: [free.coin(0)], feeSats: 0n });
    const mined = await chain.mineTransactions([free.raw, child.raw]);
    expect((await transactionsOf(chain, mined.hash)).map((tx) => tx.txid).slice(1)).toEqual([free.txid, child.txid]);
    expect(await chain.mempoolTxids()).toEqual([]);
    await expect(chain.mineTransactions([rival.raw])).rejects.toThrow('bad-txns-inputs-missingorspent');
    const forged = owner.spend({ coins: [coins[1]!], badSignature: true });
    await expect(chain.mineTransactions([forged.raw])).rejects.toThrow('block-script-verify-flag-failed');
    const twice = [owner.spend({ coins: [coins[1]!] }).raw, owner.spend({ coins: [coins[1]!], feeSats: 7n }).raw];
    await expect(chain.mineTransactions(twice)).rejects.toThrow('bad-txns-inputs-missingorspent');
    expect((await chain.info()).height).toBe(mined.height);
  });
});

describe('a closed or unreachable chain', () => {
  it('answers node_unavailable to every question and pushes nothing', async () => {
    const { chain, coins } = await fundedChain(1);
    const { raw, txid: id } = owner.spend({ coins });
    const hash = (await chain.info()).bestBlockHash;
    let notifications = 0;
    chain.onNotification(() => notifications++);
    const questions = [
      () => chain.info(),
      () => chain.blockHashAt(0),
      () => chain.blockHashesAt([0]),
      () => chain.header(hash),
      () => chain.block(hash),
      () => chain.blocks([hash]),
      () => chain.mempoolTxids(),
      () => chain.mempoolInfo(),
      () => chain.mempoolEntry(txid(id)),
      () => chain.mempoolTransactions([]),
      () => chain.transaction(txid(id)),
      () => chain.broadcast(raw),
      () => chain.broadcastPackage([raw]),
      () => chain.testAccept(raw),
      () => chain.utxo({ txid: txid(id), vout: 0 }),
      () => chain.estimateFees([1]),
      () => chain.matchingBlocks([], 0, 1),
      () => chain.mine(1, NOBODY),
      () => chain.mineTransactions([]),
      () => chain.reorganize(1),
      () => chain.disconnect(1),
      () => chain.evict(txid(id)),
    ];
    chain.setReachable(false);
    for (const ask of questions) await expect(ask()).rejects.toMatchObject({ code: 'node_unavailable' });
    expect(notifications).toBe(0);
    chain.setReachable(true);
    expect(await chain.broadcast(raw)).toEqual({ result: 'accepted' });
    await chain.close();
    await expect(chain.info()).rejects.toMatchObject({ code: 'node_unavailable' });
  });
});

describe('spent coins', () => {
  it('are what a replay of all blocks says, after a long history', async () => {
    const { chain, coins } = await fundedChain(20);
    let own = coins;
    for (let round = 0; round < 8; round++) {
      const next = own.slice(0, 6).flatMap((coin) => {
        const { payment, coins: parts } = split(coin, 2);
        void chain.broadcast(payment.raw);
        return parts;
      });
      await chain.mine(1, NOBODY);
      own = [...own.slice(6), ...next];
    }
    const unspent = new Map<string, bigint>();
    const { height } = await chain.info();
    for (let at = 1; at <= height; at++)
      for (const tx of await transactionsOf(chain, (await chain.blockHashAt(at))!)) {
        for (const { prev } of tx.inputs) unspent.delete(`${prev.txid}:${prev.vout}`);
        for (const [vout, output] of tx.outputs.entries()) unspent.set(`${tx.txid}:${vout}`, output.amountSats);
      }
    for (const coin of own) {
      expect(unspent.get(`${coin.txid}:${coin.vout}`)).toBe(coin.amountSats);
      const found = await chain.utxo({ txid: txid(coin.txid), vout: coin.vout });
      expect(found?.amountSats).toBe(coin.amountSats);
    }
    for (const coin of coins.slice(0, 6))
      expect(await chain.utxo({ txid: txid(coin.txid), vout: coin.vout })).toBeNull();
  });
});

describe('fee estimates', () => {
  it('are unavailable until someone sets them', async () => {
    const chain = await createSimulatedChain({ clock: Date.now, randomBytes: (n) => new Uint8Array(n), log: silent });
    expect([...(await chain.estimateFees([2, 6]))]).toEqual([
      [2, 'unavailable'],
      [6, 'unavailable'],
    ]);
    chain.setFeeEstimates(new Map([[2, 5_000n as never]]));
    expect([...(await chain.estimateFees([2, 6]))]).toEqual([
      [2, 5_000n],
      [6, 'unavailable'],
    ]);
    await chain.close();
  });
});
