import { Block, Transaction } from 'bitcoinjs-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BroadcastVerdict, ChainNotification, ChainSource } from '../../src/chain/chain-source.ts';
import { DomainError } from '../../src/core/errors.ts';
import type { FeeRate } from '../../src/core/fee-rate.ts';
import { type BlockHash, displayHash, txid as toTxid } from '../../src/core/outpoint.ts';
import { type TestCoin, testKey } from '../builders/test-key.ts';

/** What a kind of chain source must offer so that the suite can drive the chain behind it. */
export interface ChainHarness {
  source: ChainSource;
  /** Mines on the chain behind the source, mempool included; resolves when the source shows it. */
  mine(count: number, scriptPubKey: string): Promise<void>;
  /** Replaces the last `depth` blocks by `depth + 1` blocks that hold no transactions. */
  reorg(depth: number): Promise<void>;
  /** Takes what the source talks to away and brings it back; absent where there is nothing to take away. */
  outage?: { begin(): Promise<void>; end(): Promise<void> };
  close(): Promise<void>;
}

const owner = testKey('owner');
const other = testKey('other');
const NOBODY = `0014${'00'.repeat(20)}`;
const UNKNOWN = 'ab'.repeat(32);

/** One suite for every chain source: what the ledger and the payments rely on. */
export function describeChainSource(name: string, open: () => Promise<ChainHarness>): void {
  describe(`chain source: ${name}`, () => {
    let harness: ChainHarness;
    let source: ChainSource;
    let coins: TestCoin[] = [];

    /** A confirmed, mature coin of the owner. */
    const coin = (): TestCoin => {
      const next = coins.shift();
      if (!next) throw new Error('the suite needs more coins');
      return next;
    };
    const tip = async (): Promise<BlockHash> => (await source.info()).bestBlockHash;
    const send = async (raw: Uint8Array): Promise<BroadcastVerdict> => source.broadcast(raw);
    const inMempool = async (txid: string): Promise<boolean> => (await source.mempoolTxids()).includes(toTxid(txid));
    const blockOf = async (hash: BlockHash): Promise<Block> => {
      const block = await source.block(hash);
      if (!block) throw new Error(`block ${hash} is missing`);
      return Block.fromBuffer(Buffer.from(block.bytes));
    };
    const coinbaseOf = async (height: number): Promise<TestCoin> => {
      const block = await blockOf((await source.blockHashAt(height))!);
      const coinbase = block.transactions![0]!;
      return { txid: coinbase.getId(), vout: 0, amountSats: coinbase.outs[0]!.value };
    };

    beforeAll(async () => {
      harness = await open();
      source = harness.source;
      const { height } = await source.info();
      await harness.mine(36, owner.scriptHex);
      await harness.mine(100, NOBODY);
      coins = await Promise.all(Array.from({ length: 36 }, (_, index) => coinbaseOf(height + 1 + index)));
    });
    afterAll(() => harness?.close());

    describe('blocks', () => {
      it('describes the chain it is on', async () => {
        const info = await source.info();
        expect(info).toMatchObject({ network: 'regtest', syncing: false, prunedBelow: 0 });
        expect(info.genesisHash).toBe(await source.blockHashAt(0));
        expect(info.bestBlockHash).toBe(await source.blockHashAt(info.height));
        expect(await source.bestBlockHash()).toBe(info.bestBlockHash);
        expect(info.headers).toBe(info.height);
      });

      it('answers block hashes in the order asked and null above the tip', async () => {
        const { height } = await source.info();
        const hashes = await source.blockHashesAt([5, height + 1, 0, 5]);
        expect(hashes).toEqual([await source.blockHashAt(5), null, await source.blockHashAt(0), hashes[0]]);
        expect(await source.blockHashAt(height + 1)).toBeNull();
      });

      it('tells of a header what its bytes say, and the median of the last 11 times', async () => {
        const { height, bestBlockHash } = await source.info();
        const header = (await source.header(bestBlockHash))!;
        const block = await blockOf(bestBlockHash);
        expect(header).toEqual({
          hash: block.getId(),
          height,
          prevHash: displayHash(block.prevHash!),
          time: block.timestamp,
          medianTime: header.medianTime,
          inBestChain: true,
        });
        const hashes = await source.blockHashesAt(Array.from({ length: 11 }, (_, back) => height - back));
        const times = await Promise.all(hashes.map(async (hash) => (await source.header(hash!))!.time));
        expect(header.medianTime).toBe(times.toSorted((a, b) => a - b)[5]);
      });

      it('gives whole headers, in the order asked, with how many transactions their blocks have', async () => {
        const { height } = await source.info();
        await send(owner.spend({ coins: [coin()] }).raw);
        await harness.mine(1, NOBODY);
        const hashes = (await source.blockHashesAt([height + 1, 0, height])) as BlockHash[];
        const [newest, genesis, unknown, before] = await source.headerRecords([
          hashes[0]!,
          hashes[1]!,
          UNKNOWN as BlockHash,
          hashes[2]!,
        ]);
        const { header, ...info } = newest!;
        expect(info).toEqual({ ...(await source.header(hashes[0]!)), transactionCount: 2 });
        const bytes = (await source.block(hashes[0]!))!.bytes;
        expect(Buffer.from(header).equals(Buffer.from(bytes).subarray(0, 80))).toBe(true);
        expect(genesis).toMatchObject({ height: 0, transactionCount: 1 });
        expect(genesis!.header.length).toBe(80);
        expect(unknown).toBeNull();
        expect(before).toMatchObject({ height, transactionCount: 1 });
        expect(await source.headerRecords([])).toEqual([]);
      });

      it('gives the genesis block a parent of zeros', async () => {
        const genesis = (await source.header((await source.info()).genesisHash))!;
        expect(genesis).toMatchObject({ height: 0, prevHash: '00'.repeat(32), inBestChain: true });
      });

      it('reads many blocks in order, the same as one by one', async () => {
        const { height } = await source.info();
        const heights = Array.from({ length: 40 }, (_, back) => height - back);
        const hashes = (await source.blockHashesAt(heights)) as BlockHash[];
        const blocks = await source.blocks(hashes);
        expect(blocks.map((block) => block.height)).toEqual(heights);
        expect(blocks.map((block) => Block.fromBuffer(Buffer.from(block.bytes)).getId())).toEqual(hashes);
        const alone = (await source.block(hashes[7]!))!;
        expect({ ...blocks[7], bytes: Buffer.from(blocks[7]!.bytes) }).toEqual({
          ...alone,
          bytes: Buffer.from(alone.bytes),
        });
      });

      it('answers null for a block that does not exist', async () => {
        expect(await source.header(UNKNOWN as BlockHash)).toBeNull();
        expect(await source.block(UNKNOWN as BlockHash)).toBeNull();
      });

      it('mines where it can, and says where it cannot', async () => {
        const { height, capabilities } = await source.info();
        if (!capabilities.mining) {
          await expect(source.mine(1, NOBODY)).rejects.toThrow(DomainError);
          return;
        }
        const mined = await source.mine(3, owner.scriptHex);
        expect(mined.map((block) => block.height)).toEqual([height + 1, height + 2, height + 3]);
        expect(mined.at(-1)!.hash).toBe(await tip());
        const paid = (await blockOf(mined[0]!.hash)).transactions![0]!.outs[0]!;
        expect(Buffer.from(paid.script).toString('hex')).toBe(owner.scriptHex);
      });
    });

    describe('mempool', () => {
      it('takes a transaction, shows it, knows it again, and confirms it', async () => {
        const spent = coin();
        const before = await source.mempoolInfo();
        const payment = owner.spend({ coins: [spent], feeSats: 2_000n });
        expect(await send(payment.raw)).toEqual({ result: 'accepted' });
        expect(await send(payment.raw)).toEqual({ result: 'known' });
        expect(await inMempool(payment.txid)).toBe(true);
        const txid = toTxid(payment.txid);
        const [bytes, missing] = await source.mempoolTransactions([txid, toTxid(UNKNOWN)]);
        expect(Buffer.from(bytes!)).toEqual(Buffer.from(payment.raw));
        expect(missing).toBeNull();
        const after = await source.mempoolInfo();
        expect(after.count).toBe(before.count + 1);
        expect(after.vbytes).toBe(before.vbytes + payment.transaction.virtualSize());
        expect(await source.mempoolEntry(txid)).toEqual({
          txid,
          vsize: payment.transaction.virtualSize(),
          feeSats: 2_000n,
          ancestorCount: 1,
          ancestorVsize: payment.transaction.virtualSize(),
          ancestorFeesSats: 2_000n,
          descendantCount: 1,
          descendantVsize: payment.transaction.virtualSize(),
          descendantFeesSats: 2_000n,
          ancestors: [],
          descendants: [],
          time: source.kind === 'esplora' ? null : expect.toSatisfy((time: number) => time > 1_600_000_000),
        });
        expect(after.totalFeesSats! - before.totalFeesSats!).toBe(2_000n);
        const pending = (await source.transaction(txid))!;
        expect(Buffer.from(pending.raw)).toEqual(Buffer.from(payment.raw));
        expect(pending).toMatchObject({ blockHash: null, confirmations: 0 });

        await harness.mine(1, NOBODY);
        expect(await inMempool(payment.txid)).toBe(false);
        expect(await source.mempoolEntry(txid)).toBeNull();
        expect(await source.mempoolTransactions([txid])).toEqual([null]);
        expect(await source.transaction(txid)).toMatchObject({ blockHash: await tip(), confirmations: 1 });
        expect(await send(payment.raw)).toEqual({ result: 'known' });
      });

      it('still knows a confirmed transaction whose outputs are spent by a confirmed one', async () => {
        const first = owner.spend({ coins: [coin()] });
        const second = owner.spend({ coins: [first.coin(0)] });
        await send(first.raw);
        await send(second.raw);
        await harness.mine(1, NOBODY);
        expect(await send(first.raw)).toEqual({ result: 'known' });
      });

      it('sums ancestors and descendants, the transaction itself included', async () => {
        const parent = owner.spend({ coins: [coin()], feeSats: 1_000n });
        const child = owner.spend({ coins: [parent.coin(0)], feeSats: 3_000n });
        await send(parent.raw);
        await send(child.raw);
        const vsize = parent.transaction.virtualSize() + child.transaction.virtualSize();
        expect(await source.mempoolEntry(toTxid(parent.txid))).toMatchObject({
          descendantCount: 2,
          descendantVsize: vsize,
          descendantFeesSats: 4_000n,
          descendants: [child.txid],
          ancestorCount: 1,
          ancestors: [],
        });
        expect(await source.mempoolEntry(toTxid(child.txid))).toMatchObject({
          ancestors: [parent.txid],
          ancestorCount: 2,
          ancestorVsize: vsize,
          ancestorFeesSats: 4_000n,
          descendantCount: 1,
        });
        await harness.mine(1, NOBODY);
      });

      it('tells how much waits at which feerate', async () => {
        const [cheap, dear] = [
          owner.spend({ coins: [coin()], feeSats: 1_000n }),
          owner.spend({ coins: [coin()], feeSats: 50_000n }),
        ];
        await send(cheap.raw);
        await send(dear.raw);
        // A node is asked about once a second.
        const bands = async () => (await source.feeRateDistribution()).bands;
        const sum = async () => (await bands()).reduce((total, band) => total + band.vsize, 0);
        await expect.poll(sum).toBe((await source.mempoolInfo()).vbytes);
        const waiting = await source.feeRateDistribution();
        expect(waiting.complete).toBe(true);
        const rates = waiting.bands.map(({ feeRate }) => feeRate);
        expect(rates).toEqual(rates.toSorted((a, b) => (a < b ? 1 : -1)));
        // Signatures differ by a byte now and then, and the sizes with them.
        const near = (feeSats: bigint, { transaction }: typeof cheap) => {
          const vsize = transaction.virtualSize();
          const exact = (feeSats * 1000n) / BigInt(vsize);
          return waiting.bands.some(
            (band) => band.feeRate - exact <= 1n && band.feeRate >= exact && band.vsize >= vsize,
          );
        };
        expect([near(1_000n, cheap), near(50_000n, dear), near(3_333n, cheap)]).toEqual([true, true, false]);
        await harness.mine(1, NOBODY);
        await expect.poll(bands).toEqual([]);
      });

      it('sums what the transactions of a block pay, where it can, and tells of the node', async () => {
        await send(owner.spend({ coins: [coin()], feeSats: 4_321n }).raw);
        const entries = await Promise.all((await source.mempoolTxids()).map((txid) => source.mempoolEntry(txid)));
        const fees = entries.reduce((sum, entry) => sum + entry!.feeSats, 0n);
        await harness.mine(1, NOBODY);
        expect(await source.blockFees(await tip())).toBe(source.kind === 'esplora' ? null : fees);
        const node = await source.node();
        expect(node.peers).toEqual(source.kind === 'esplora' ? null : { inbound: 0, outbound: 0 });
        expect(node.verificationProgress).toBe(source.kind === 'esplora' ? null : 1);
      });

      it('tells of a transaction what it spends, in the mempool, in the chain and by its block', async () => {
        const spent = coin();
        const first = owner.spend({ coins: [spent], feeSats: 1_000n });
        const second = owner.spend({ coins: [first.coin(0), coin()], feeSats: 2_000n });
        await send(first.raw);
        await send(second.raw);
        const ownerOutput = (amountSats: bigint) => ({ amountSats, scriptPubKey: owner.scriptHex });
        const expected = [ownerOutput(first.coin(0).amountSats)];
        const pending = (await source.transactionDetails(toTxid(second.txid)))!;
        expect(pending).toMatchObject({ blockHash: null, confirmations: 0 });
        expect(pending.spent[0]).toEqual(expected[0]);
        expect(pending.spent[1]).toMatchObject({ scriptPubKey: owner.scriptHex });
        expect(Buffer.from(pending.raw)).toEqual(Buffer.from(second.raw));
        expect((await source.transactionDetails(toTxid(first.txid)))!.spent).toEqual([ownerOutput(spent.amountSats)]);
        await harness.mine(1, NOBODY);
        const block = await tip();
        const mined = (await source.transactionDetails(toTxid(second.txid)))!;
        expect(mined).toMatchObject({ blockHash: block, confirmations: 1, spent: pending.spent });
        expect(await source.transactionDetails(toTxid(second.txid), block)).toEqual(mined);
        const other = (await source.blockHashAt(1))!;
        expect(await source.transactionDetails(toTxid(second.txid), other)).toBeNull();
        expect(await source.transactionDetails(toTxid(UNKNOWN))).toBeNull();
        const coinbase = toTxid((await coinbaseOf(1)).txid);
        expect((await source.transactionDetails(coinbase))!.spent).toEqual([null]);
      });

      it('replaces by fee, and refuses a replacement that pays too little, not for good', async () => {
        const contested = coin();
        const first = owner.spend({ coins: [contested], feeSats: 5_000n });
        await send(first.raw);
        const cheap = owner.spend({
          coins: [contested],
          outputs: [{ script: other.script, amountSats: contested.amountSats - 5_001n }],
        });
        expect(await send(cheap.raw)).toMatchObject({ result: 'refused', final: false });
        expect(await inMempool(first.txid)).toBe(true);
        const better = owner.spend({ coins: [contested], feeSats: 20_000n });
        expect(await send(better.raw)).toEqual({ result: 'accepted' });
        expect([await inMempool(first.txid), await inMempool(better.txid)]).toEqual([false, true]);
        expect(await source.mempoolTransactions([toTxid(first.txid)])).toEqual([null]);
        await harness.mine(1, NOBODY);
      });

      it('tells its relay floors as feerates above zero', async () => {
        const info = await source.mempoolInfo();
        expect(info.minRelayFeeRate).toBeGreaterThan(0n);
        expect(info.incrementalRelayFeeRate).toBeGreaterThan(0n);
        expect(info.minFeeRate).toBeGreaterThanOrEqual(info.minRelayFeeRate);
      });

      it('answers null for a transaction that does not exist', async () => {
        expect(await source.transaction(toTxid(UNKNOWN))).toBeNull();
        expect(await source.mempoolEntry(toTxid(UNKNOWN))).toBeNull();
        expect(await source.mempoolTransactions([])).toEqual([]);
      });
    });

    describe('verdicts', () => {
      it('refuses bytes that are no transaction for good', async () => {
        expect(await send(Buffer.from('00ff', 'hex'))).toMatchObject({ result: 'refused', final: true });
      });

      it('refuses a wrong signature for good', async () => {
        const forged = owner.spend({ coins: [coin()], badSignature: true });
        expect(await send(forged.raw)).toMatchObject({ result: 'refused', final: true });
      });

      it('refuses to create money for good', async () => {
        const spent = coin();
        const outputs = [{ script: owner.script, amountSats: spent.amountSats + 1n }];
        expect(await send(owner.spend({ coins: [spent], outputs }).raw)).toMatchObject({
          result: 'refused',
          final: true,
        });
      });

      it('refuses a child whose parent it has not seen, and takes it once the parent is there', async () => {
        const parent = owner.spend({ coins: [coin()] });
        const child = owner.spend({ coins: [parent.coin(0)] });
        expect(await send(child.raw)).toMatchObject({ result: 'refused', final: false });
        await send(parent.raw);
        expect(await send(child.raw)).toEqual({ result: 'accepted' });
        await harness.mine(1, NOBODY);
      });

      it('refuses a coin that a confirmed transaction spent, for good', async () => {
        const spent = coin();
        await send(owner.spend({ coins: [spent] }).raw);
        await harness.mine(1, NOBODY);
        const late = owner.spend({ coins: [spent], feeSats: 50_000n });
        expect(await send(late.raw)).toMatchObject({ result: 'refused', final: true });
      });

      it('refuses an output that its confirmed parent does not have, for good', async () => {
        const real = coin();
        const imaginary = owner.spend({ coins: [{ ...real, vout: 99 }] });
        expect(await send(imaginary.raw)).toMatchObject({ result: 'refused', final: true });
      });

      it('refuses an immature coinbase, a future locktime, a future relative locktime: not for good', async () => {
        await harness.mine(1, owner.scriptHex);
        const { height } = await source.info();
        const immature = await coinbaseOf(height);
        expect(await send(owner.spend({ coins: [immature] }).raw)).toMatchObject({ result: 'refused', final: false });
        const spent = coin();
        const early = owner.spend({ coins: [spent], locktime: height + 5 });
        expect(await send(early.raw)).toMatchObject({ result: 'refused', final: false });
        const relative = owner.spend({ coins: [spent], sequence: 5_000 });
        expect(await send(relative.raw)).toMatchObject({ result: 'refused', final: false });
        await harness.mine(5, NOBODY);
        expect(await send(early.raw)).toEqual({ result: 'accepted' });
        await harness.mine(1, NOBODY);
      });

      it('tests without sending', async () => {
        const spent = coin();
        const payment = owner.spend({ coins: [spent] });
        expect(await source.testAccept(payment.raw)).toEqual({ result: 'accepted' });
        expect(await inMempool(payment.txid)).toBe(false);
        const forged = owner.spend({ coins: [spent], badSignature: true });
        expect(await source.testAccept(forged.raw)).toMatchObject({ result: 'refused', final: true });
        await send(payment.raw);
        expect(await source.testAccept(payment.raw)).toEqual({ result: 'known' });
        await harness.mine(1, NOBODY);
      });

      it('refuses above the highest feerate that is asked for, and takes it without', async () => {
        const payment = owner.spend({ coins: [coin()], feeSats: 30_000n });
        const rate = (30_000n * 1000n) / BigInt(payment.transaction.virtualSize());
        const above = await source.broadcast(payment.raw, { maxFeeRate: (rate - 1000n) as FeeRate });
        expect(above).toEqual({ result: 'refused', reason: 'max-fee-exceeded', final: false });
        expect(await inMempool(payment.txid)).toBe(false);
        const below = await source.broadcast(payment.raw, { maxFeeRate: (rate + 1000n) as FeeRate });
        expect(below).toEqual({ result: 'accepted' });
        // What is known is no risk any more.
        expect(await source.broadcast(payment.raw, { maxFeeRate: 1n as FeeRate })).toEqual({ result: 'known' });
        await harness.mine(1, NOBODY);
      });

      it('tests several together: a child on its parent, and none judged beside a refused one', async () => {
        const parent = owner.spend({ coins: [coin()], feeSats: 1_000n });
        const child = owner.spend({ coins: [parent.coin(0)], feeSats: 3_000n });
        const allowed = { allowed: true, known: false, reason: null };
        expect(await source.testTogether([parent.raw, child.raw])).toEqual([
          { ...allowed, txid: parent.txid, vsize: parent.transaction.virtualSize(), feeSats: 1_000n },
          { ...allowed, txid: child.txid, vsize: child.transaction.virtualSize(), feeSats: 3_000n },
        ]);
        expect(await inMempool(parent.txid)).toBe(false);
        const [alone] = await source.testTogether([child.raw]);
        expect(alone).toMatchObject({ allowed: false, known: false, vsize: null, feeSats: null });
        expect(alone!.reason).toMatch(/missing/);
        const forged = owner.spend({ coins: [coin()], badSignature: true });
        const [good, bad] = await source.testTogether([parent.raw, forged.raw]);
        expect(good!.allowed).not.toBe(false);
        expect(bad).toMatchObject({ allowed: false, known: false });
        await send(parent.raw);
        expect(await source.testTogether([parent.raw])).toMatchObject([{ allowed: false, known: true }]);
        await harness.mine(1, NOBODY);
      });

      it('takes a parent below the minimum with a child that pays for both, or says that it has no packages', async () => {
        // Below the relay minimum only TRUC packages (BIP431) get in.
        const parent = owner.spend({ coins: [coin()], feeSats: 0n, version: 3 });
        const child = owner.spend({ coins: [parent.coin(0)], feeSats: 5_000n, version: 3 });
        const { capabilities } = await source.info();
        if (!capabilities.packages) {
          await expect(source.broadcastPackage([parent.raw, child.raw])).rejects.toMatchObject({
            code: 'source_incapable',
          });
          return;
        }
        expect(await send(parent.raw)).toMatchObject({ result: 'refused', final: false });
        expect(await source.broadcastPackage([parent.raw, child.raw])).toEqual({ result: 'accepted' });
        expect([await inMempool(parent.txid), await inMempool(child.txid)]).toEqual([true, true]);
        expect(await source.broadcastPackage([parent.raw, child.raw])).toEqual({ result: 'known' });
        await harness.mine(1, NOBODY);
        const next = owner.spend({ coins: [child.coin(0)] });
        const forged = owner.spend({ coins: [next.coin(0)], badSignature: true });
        expect(await source.broadcastPackage([next.raw, forged.raw])).toMatchObject({
          result: 'refused',
          final: true,
        });
        await harness.mine(1, NOBODY);
      });
    });

    describe('outputs', () => {
      it('tells amount, script, height and coinbase of an unspent output', async () => {
        const { height } = await source.info();
        const { txid, amountSats } = await coinbaseOf(height);
        const expected = { amountSats, scriptPubKey: NOBODY, height, coinbase: true };
        expect(await source.utxo({ txid: toTxid(txid), vout: 0 })).toEqual(expected);
      });

      it('follows the mempool: a new output has no height, a spent one is gone', async () => {
        const spent = coin();
        const payment = owner.spend({ coins: [spent], feeSats: 1_234n });
        await send(payment.raw);
        const expected = { amountSats: spent.amountSats - 1_234n, scriptPubKey: owner.scriptHex, coinbase: false };
        expect(await source.utxo({ txid: toTxid(payment.txid), vout: 0 })).toEqual({ ...expected, height: null });
        expect(await source.utxo({ txid: toTxid(spent.txid), vout: 0 })).toBeNull();
        await harness.mine(2, NOBODY);
        const { height } = await source.info();
        expect(await source.utxo({ txid: toTxid(payment.txid), vout: 0 })).toEqual({ ...expected, height: height - 1 });
      });

      it('says what became of an output: unspent, spent by which waiting transaction, spent in a block', async () => {
        const spent = coin();
        const outpoint = { txid: toTxid(spent.txid), vout: spent.vout };
        const before = (await source.outputStatus(outpoint))!;
        const facts = { amountSats: spent.amountSats, scriptPubKey: owner.scriptHex, coinbase: true };
        expect(before).toEqual({ ...facts, height: (await source.utxo(outpoint))!.height, spent: null });
        const payment = owner.spend({ coins: [spent], feeSats: 1_500n });
        await send(payment.raw);
        expect(await source.outputStatus(outpoint)).toEqual({
          ...before,
          spent: { by: { txid: payment.txid, blockHash: null } },
        });
        const made = { txid: toTxid(payment.txid), vout: 0 };
        expect(await source.outputStatus(made)).toMatchObject({ height: null, coinbase: false, spent: null });
        await harness.mine(1, NOBODY);
        const later = (await source.outputStatus(outpoint))!;
        expect({ ...later, spent: null }).toEqual(before);
        // A node without an index of spends knows only that there is one.
        if (source.kind === 'bitcoind') expect(later.spent).not.toBeNull();
        else expect(later.spent).toEqual({ by: { txid: payment.txid, blockHash: await tip() } });
        expect(await source.outputStatus(made)).toMatchObject({ height: (await source.info()).height, spent: null });
        expect(await source.outputStatus({ ...made, vout: 7 })).toBeNull();
        expect(await source.outputStatus({ txid: toTxid(UNKNOWN), vout: 0 })).toBeNull();
      });

      it('does not take an output that nobody can spend for a spent one', async () => {
        const { height } = await source.info();
        const { hash } = (await source.header((await source.blockHashAt(height))!))!;
        const coinbase = (await blockOf(hash)).transactions![0]!;
        const vout = coinbase.outs.findIndex(({ script }) => script[0] === 0x6a);
        expect(vout).toBeGreaterThan(0);
        const status = await source.outputStatus({ txid: toTxid(coinbase.getId()), vout });
        expect(status).toMatchObject({ amountSats: 0n, coinbase: true, spent: null });
      });

      it('answers null for an output that does not exist', async () => {
        expect(await source.utxo({ txid: toTxid(UNKNOWN), vout: 0 })).toBeNull();
        expect(await source.utxo({ txid: toTxid((await coinbaseOf(1)).txid), vout: 7 })).toBeNull();
      });
    });

    it('says that it has no fee estimates rather than inventing one', async () => {
      const estimates = await source.estimateFees([2, 6, 144]);
      expect([...estimates]).toEqual([
        [2, 'unavailable'],
        [6, 'unavailable'],
        [144, 'unavailable'],
      ]);
    });

    it('finds every block that pays or spends a script, or says that it has no filters', async () => {
      const from = (await source.info()).height + 1;
      const stranger = testKey('stranger');
      const deposit = owner.spend({ coins: [coin()], outputs: [{ script: stranger.script, amountSats: 100_000n }] });
      await send(deposit.raw);
      await harness.mine(1, NOBODY);
      await harness.mine(4, NOBODY);
      await send(
        stranger.spend({ coins: [deposit.coin(0)], outputs: [{ script: other.script, amountSats: 90_000n }] }).raw,
      );
      await harness.mine(1, NOBODY);
      await harness.mine(3, NOBODY);
      const to = (await source.info()).height;
      const progress: number[] = [];
      const heights = await source.matchingBlocks([stranger.scriptHex], 0, to, (height) => progress.push(height));
      if (!(await source.info()).capabilities.blockFilters) {
        expect(heights).toBeNull();
        return;
      }
      expect(heights).toEqual(expect.arrayContaining([from, from + 5]));
      expect(heights).toEqual(heights!.toSorted((a, b) => a - b));
      expect(heights!.length).toBeLessThan(to / 2);
      expect(progress.at(-1)).toBe(to);
      expect(await source.matchingBlocks([stranger.scriptHex], from + 6, to)).toEqual([]);
      const stopped = source.matchingBlocks([stranger.scriptHex], 0, to, undefined, AbortSignal.abort());
      await expect(stopped).rejects.toThrow();
    });

    it('notifies soon after a block and a transaction, where it can push', async () => {
      if (source.kind === 'esplora') return;
      const notifications: ChainNotification['type'][] = [];
      const notified = (type: ChainNotification['type']) => expect.poll(() => notifications.includes(type)).toBe(true);
      const end = source.onNotification((notification) => notifications.push(notification.type));
      // A subscription takes a moment to reach the publisher: keep mining until the first notification is here.
      await expect.poll(() => harness.mine(1, NOBODY).then(() => notifications.includes('block'))).toBe(true);
      notifications.length = 0;
      await send(owner.spend({ coins: [coin()] }).raw);
      await notified('transaction');
      end();
      notifications.length = 0;
      await harness.mine(1, NOBODY);
      expect(notifications).toEqual([]);
    });

    it('shows a reorg: other blocks at those heights, the old ones outside the best chain, payments back in the mempool', async () => {
      const payment = owner.spend({ coins: [coin()] });
      await send(payment.raw);
      await harness.mine(3, owner.scriptHex);
      const old = await source.info();
      const lostCoinbase = await coinbaseOf(old.height);
      const oldHashes = await source.blockHashesAt([old.height - 3, old.height - 2, old.height]);
      await harness.reorg(3);
      const now = await source.info();
      expect(now.height).toBe(old.height + 1);
      const hashes = await source.blockHashesAt([old.height - 3, old.height - 2, old.height]);
      expect(hashes[0]).toBe(oldHashes[0]);
      expect(hashes[1]).not.toBe(oldHashes[1]);
      expect(hashes[2]).not.toBe(oldHashes[2]);
      expect(await source.header(oldHashes[2]!)).toMatchObject({ height: old.height, inBestChain: false });
      expect(await source.block(oldHashes[2]!)).toMatchObject({ height: old.height, inBestChain: false });
      expect(await source.header(oldHashes[0]!)).toMatchObject({ inBestChain: true });
      expect(await inMempool(payment.txid)).toBe(true);
      expect(await source.transaction(toTxid(payment.txid))).toMatchObject({ blockHash: null, confirmations: 0 });
      expect(await source.utxo({ txid: toTxid(lostCoinbase.txid), vout: 0 })).toBeNull();
      expect(await source.transaction(toTxid(lostCoinbase.txid))).toBeNull();
      await harness.mine(1, NOBODY);
      expect(await source.transaction(toTxid(payment.txid))).toMatchObject({
        blockHash: await tip(),
        confirmations: 1,
      });
    });

    it('says that the node is unavailable while it is away, and is back by itself', async () => {
      if (!harness.outage) return;
      const { height } = await source.info();
      const bytes = new Transaction().toBuffer();
      await harness.outage.begin();
      const away = { name: 'DomainError', code: 'node_unavailable' };
      await expect(source.info()).rejects.toMatchObject(away);
      await expect(source.broadcast(bytes)).rejects.toMatchObject(away);
      await expect(source.blocks([UNKNOWN as BlockHash])).rejects.toMatchObject(away);
      await expect(source.estimateFees([2])).rejects.toMatchObject(away);
      await expect(source.headerRecords([UNKNOWN as BlockHash])).rejects.toMatchObject(away);
      await expect(source.transactionDetails(toTxid(UNKNOWN))).rejects.toMatchObject(away);
      await expect(source.outputStatus({ txid: toTxid(UNKNOWN), vout: 0 })).rejects.toMatchObject(away);
      await expect(source.testTogether([bytes])).rejects.toMatchObject(away);
      await expect
        .poll(
          () =>
            source.feeRateDistribution().then(
              () => 'answered',
              (error: DomainError) => error.code,
            ),
          {
            timeout: 20_000,
          },
        )
        .toBe('node_unavailable');
      await harness.outage.end();
      expect((await source.info()).height).toBe(height);
    });
  });
}
