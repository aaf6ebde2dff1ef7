import { Transaction } from 'bitcoinjs-lib';
import { describe, expect, it } from 'vitest';
import type { FeeRate } from '../../../src/core/fee-rate.ts';
import { sha256 } from '../../../src/core/hashes.ts';
import { txid } from '../../../src/core/outpoint.ts';
import { fundedChain, mempoolOf, NOBODY, owner, sorted, split } from './simulated-setup.ts';

const later = (reason: RegExp) => ({ result: 'refused', reason: expect.stringMatching(reason), final: false });
const never = (reason: RegExp) => ({ result: 'refused', reason: expect.stringMatching(reason), final: true });
const OWNER = owner.script;

describe('standardness', () => {
  const withOutput = async (script: Uint8Array, amountSats: bigint) => {
    const { chain, coins } = await fundedChain(1);
    const rest = coins[0]!.amountSats - amountSats - 50_000n;
    const outputs = [
      { script, amountSats },
      { script: OWNER, amountSats: rest },
    ];
    return chain.broadcast(owner.spend({ coins, outputs }).raw);
  };
  const segwit = Buffer.concat([Buffer.from('0014', 'hex'), Buffer.alloc(20, 1)]);
  const legacy = Buffer.from(`76a914${'11'.repeat(20)}88ac`, 'hex');

  it.each([
    [segwit, 293n, 294n],
    [legacy, 545n, 546n],
    [Buffer.from(`0020${'11'.repeat(32)}`, 'hex'), 329n, 330n],
    [Buffer.from('51024e73', 'hex'), 239n, 240n],
  ])('refuses dust at %# and accepts one satoshi more', async (script, dust, enough) => {
    expect(await withOutput(script, dust)).toEqual(never(/^dust/));
    expect(await withOutput(script, enough)).toEqual({ result: 'accepted' });
  });

  it('lets data outputs hold nothing, and refuses scripts that nobody knows', async () => {
    expect(await withOutput(Buffer.from('6a0401020304', 'hex'), 0n)).toEqual({ result: 'accepted' });
    expect(await withOutput(Buffer.from('51', 'hex'), 1_000n)).toEqual(never(/^scriptpubkey/));
    expect(await withOutput(Buffer.concat([Buffer.from('0013', 'hex'), Buffer.alloc(19)]), 1_000n)).toEqual(
      never(/^scriptpubkey/),
    );
  });

  it.each([0, 4, 0xffffffff])('refuses transaction version %d', async (version) => {
    const { chain, coins } = await fundedChain(1);
    expect(await chain.broadcast(owner.spend({ coins, version }).raw)).toEqual(never(/^version/));
  });

  it('refuses a transaction above 400,000 weight units', async () => {
    const { chain, coins } = await fundedChain(1);
    const outputs = Array.from({ length: 3300 }, () => ({ script: OWNER, amountSats: 1_000n }));
    expect(await chain.broadcast(owner.spend({ coins, outputs }).raw)).toEqual(never(/^tx-size$/));
  });

  it('refuses a transaction of less than 65 bytes without witness', async () => {
    const { chain, coins } = await fundedChain(1);
    const outputs = [{ script: Buffer.from('6a', 'hex'), amountSats: 0n }];
    expect(await chain.broadcast(owner.spend({ coins, outputs }).raw)).toEqual(never(/^tx-size-small/));
  });
});

describe('consensus', () => {
  it('refuses a coin spent twice in one transaction, outputs above the money there is, and a loose coinbase', async () => {
    const { chain, coins } = await fundedChain(1);
    const [coin] = coins as [(typeof coins)[0]];
    expect(await chain.broadcast(owner.spend({ coins: [coin, coin] }).raw)).toEqual(
      never(/^bad-txns-inputs-duplicate/),
    );
    const outputs = [{ script: OWNER, amountSats: 2_100_000_000_000_001n }];
    expect(await chain.broadcast(owner.spend({ coins, outputs }).raw)).toEqual(never(/^bad-txns-vout-toolarge/));
    const three = Array.from({ length: 2 }, () => ({ script: OWNER, amountSats: 2_000_000_000_000_000n }));
    expect(await chain.broadcast(owner.spend({ coins, outputs: three }).raw)).toEqual(
      never(/^bad-txns-txouttotal-toolarge/),
    );
    const coinbase = new Transaction();
    coinbase.addInput(new Uint8Array(32), 0xffffffff, 0xffffffff, new Uint8Array(4));
    coinbase.addOutput(OWNER, 1_000n);
    expect(await chain.broadcast(coinbase.toBuffer())).toEqual(never(/^coinbase/));
  });

  it("names the script error of a bad signature in Bitcoin Core's words", async () => {
    const { chain, coins } = await fundedChain(1);
    expect(await chain.broadcast(owner.spend({ coins, badSignature: true }).raw)).toEqual(
      never(/^mempool-script-verify-flag-failed \(Signature must be zero for failed CHECK\(MULTI\)SIG operation\)/),
    );
  });

  it('lets what nothing protects be spent as nodes do, and refuses outputs of unknown kinds', async () => {
    const { chain, coins } = await fundedChain(1);
    const outputs = ['51024e73', '5220'.concat('07'.repeat(32))].map((script) => ({
      script: Buffer.from(script, 'hex'),
      amountSats: 1_000_000n,
    }));
    const open = owner.spend({ coins, outputs });
    expect(await chain.broadcast(open.raw)).toEqual({ result: 'accepted' });
    const spending = (vout: number) => {
      const spend = new Transaction();
      spend.version = 2;
      spend.addInput(Buffer.from(open.txid, 'hex').reverse(), vout);
      spend.addOutput(OWNER, 100_000n);
      return spend.toBuffer();
    };
    expect(await chain.broadcast(spending(0))).toEqual({ result: 'accepted' });
    expect(await chain.broadcast(spending(1))).toEqual(never(/^bad-txns-nonstandard-inputs/));
  });

  it('runs scripts with branches: a preimage, or nothing once the coin is old enough', async () => {
    const { chain, coins } = await fundedChain(1);
    const witnessScript = Buffer.concat([
      Buffer.from('63a820', 'hex'),
      sha256(Buffer.from('secret')),
      Buffer.from('876752b268', 'hex'),
    ]);
    const locked = Buffer.concat([Buffer.from('0020', 'hex'), sha256(witnessScript)]);
    const funding = owner.spend({ coins, outputs: [{ script: locked, amountSats: 1_000_000n }] });
    await chain.broadcast(funding.raw);
    const spending = (sequence: number, witness: Uint8Array[]) => {
      const spend = new Transaction();
      spend.version = 2;
      spend.addInput(Buffer.from(funding.txid, 'hex').reverse(), 0, sequence);
      spend.addOutput(OWNER, 900_000n);
      spend.setWitness(0, [...witness, witnessScript]);
      return spend.toBuffer();
    };
    const [yes, no] = [Uint8Array.of(1), new Uint8Array(0)];
    expect(await chain.testAccept(spending(0, [Buffer.from('secret'), yes]))).toEqual({ result: 'accepted' });
    expect(await chain.testAccept(spending(0, [Buffer.from('wrong'), yes]))).toEqual(
      never(/^mempool-script-verify-flag-failed \(Script evaluated without error but finished with a false/),
    );
    expect(await chain.testAccept(spending(0, [Buffer.from('secret'), Uint8Array.of(2)]))).toEqual(
      never(/^mempool-script-verify-flag-failed \(OP_IF\/NOTIF argument must be minimal\)/),
    );
    expect(await chain.testAccept(spending(0, [no]))).toEqual(never(/\(Locktime requirement not satisfied\)/));
    expect(await chain.testAccept(spending(2, [no]))).toEqual(later(/^non-BIP68-final/));
    await chain.mine(2, NOBODY);
    expect(await chain.testAccept(spending(2, [no]))).toEqual({ result: 'accepted' });
  });

  it('holds back a locktime until the height or the median time has passed, unless the sequence is final', async () => {
    let now = 1_800_000_000_000;
    const { chain, coins } = await fundedChain(3, { clock: () => now });
    const [a, b, c] = coins as [(typeof coins)[0], (typeof coins)[0], (typeof coins)[0]];
    const { height, bestBlockHash } = await chain.info();
    const { medianTime } = (await chain.header(bestBlockHash))!;
    const byHeight = owner.spend({ coins: [a], locktime: height + 1 });
    expect(await chain.broadcast(byHeight.raw)).toEqual(later(/^non-final/));
    expect(await chain.testAccept(owner.spend({ coins: [a], locktime: height }).raw)).toEqual({ result: 'accepted' });
    const byTime = owner.spend({ coins: [b], locktime: medianTime });
    expect(await chain.broadcast(byTime.raw)).toEqual(later(/^non-final/));
    const ignored = owner.spend({ coins: [c], locktime: height + 1000, sequence: 0xffffffff });
    expect(await chain.broadcast(ignored.raw)).toEqual({ result: 'accepted' });
    now += 3_600_000;
    await chain.mine(6, NOBODY);
    expect(await chain.broadcast(byHeight.raw)).toEqual({ result: 'accepted' });
    expect(await chain.broadcast(byTime.raw)).toEqual({ result: 'accepted' });
  });

  it('holds back a relative locktime (BIP68) until the coin is as deep or as old', async () => {
    let now = 1_800_000_000_000;
    const { chain, coins } = await fundedChain(2, { clock: () => now });
    const [a, b] = coins as [(typeof coins)[0], (typeof coins)[0]];
    const first = owner.spend({ coins: [a] });
    const second = owner.spend({ coins: [b] });
    await chain.broadcast(first.raw);
    await chain.broadcast(second.raw);
    await chain.mine(1, NOBODY);
    const deep = owner.spend({ coins: [first.coin(0)], sequence: 3 });
    const old = owner.spend({ coins: [second.coin(0)], sequence: 0x00400000 | 2 });
    await chain.mine(1, NOBODY);
    expect(await chain.broadcast(deep.raw)).toEqual(later(/^non-BIP68-final/));
    await chain.mine(1, NOBODY);
    expect(await chain.broadcast(deep.raw)).toEqual({ result: 'accepted' });
    expect(await chain.broadcast(old.raw)).toEqual(later(/^non-BIP68-final/));
    now += 1_100_000;
    await chain.mine(6, NOBODY);
    expect(await chain.broadcast(old.raw)).toEqual({ result: 'accepted' });
  });
});

describe('fees', () => {
  it('takes the relay minimum exactly and nothing below it', async () => {
    const { chain, coins } = await fundedChain(1);
    const vsize = owner.spend({ coins }).transaction.virtualSize();
    const least = BigInt(Math.ceil(vsize / 10));
    expect(await chain.broadcast(owner.spend({ coins, feeSats: least - 1n }).raw)).toEqual(
      later(/^min relay fee not met/),
    );
    expect(await chain.broadcast(owner.spend({ coins, feeSats: least }).raw)).toEqual({ result: 'accepted' });
  });

  it('asks for more while the mempool says so', async () => {
    const { chain, coins } = await fundedChain(1);
    chain.setMempoolLimits({ minFeeRate: 5_000n as FeeRate });
    expect(await chain.mempoolInfo()).toMatchObject({ minFeeRate: 5_000n, minRelayFeeRate: 100n });
    expect(await chain.broadcast(owner.spend({ coins, feeSats: 300n }).raw)).toEqual(later(/^mempool min fee not met/));
    expect(await chain.broadcast(owner.spend({ coins, feeSats: 3_000n }).raw)).toEqual({ result: 'accepted' });
  });

  it('drops what pays least when the mempool is full, with what spends it, and forgets the higher minimum in time', async () => {
    let now = 1_800_000_000_000;
    const { chain, coins } = await fundedChain(6, { clock: () => now });
    const [parentOfCheap, ...rest] = coins.map((coin, i) =>
      owner.spend({ coins: [coin], feeSats: 2_000n + BigInt(i) * 1_000n }),
    );
    const cheap = parentOfCheap!;
    const grandchild = owner.spend({ coins: [cheap.coin(0)], feeSats: 150n });
    for (const { raw } of [cheap, grandchild, ...rest])
      expect(await chain.broadcast(raw)).toEqual({ result: 'accepted' });
    const vsize = cheap.transaction.virtualSize();
    chain.setMempoolLimits({ maxVbytes: 5 * vsize + 50 });
    expect(await mempoolOf(chain)).toEqual(sorted(...rest));
    const raised = (await chain.mempoolInfo()).minFeeRate;
    expect(raised).toBeGreaterThan(1_000n);
    expect(await chain.broadcast(cheap.raw)).toEqual(later(/^(mempool min fee not met|mempool full)/));
    now += 14 * 24 * 3_600_000 - 1000;
    expect((await chain.mempoolInfo()).minFeeRate).toBe(100n);
    expect(await chain.broadcast(cheap.raw)).toEqual(later(/^mempool full/));
    expect(await mempoolOf(chain)).toEqual(sorted(...rest));
  });

  it('lets nothing wait longer than two weeks', async () => {
    let now = 1_800_000_000_000;
    const { chain, coins } = await fundedChain(1, { clock: () => now });
    const old = owner.spend({ coins: [coins[0]!], feeSats: 100n });
    await chain.broadcast(old.raw);
    now += 15 * 24 * 3_600_000;
    // A block that takes nothing from the mempool still ages it.
    await chain.mineTransactions([]);
    expect(await chain.mempoolTxids()).toEqual([]);
  });
});

describe('replacement', () => {
  it('needs no signal (full RBF), a higher feerate, all evicted fees, and the incremental fee on top', async () => {
    const { chain, coins } = await fundedChain(1);
    const pay = (feeSats: bigint) => owner.spend({ coins, feeSats, sequence: 0xffffffff });
    const first = pay(1_000n);
    const vsize = BigInt(first.transaction.virtualSize());
    const increment = (vsize * 100n + 999n) / 1000n;
    await chain.broadcast(first.raw);
    expect(await chain.broadcast(pay(999n).raw)).toEqual(later(/^insufficient fee/));
    expect(await chain.broadcast(pay(1_000n + increment - 1n).raw)).toEqual(
      later(/^insufficient fee.*not enough additional fees to relay/),
    );
    const better = pay(1_000n + increment);
    expect(await chain.broadcast(better.raw)).toEqual({ result: 'accepted' });
    expect(await mempoolOf(chain)).toEqual(sorted(better));
  });

  it('pays for descendants too, and evicts them', async () => {
    const { chain, coins } = await fundedChain(1);
    const parent = owner.spend({ coins, feeSats: 1_000n });
    const child = owner.spend({ coins: [parent.coin(0)], feeSats: 9_000n });
    await chain.broadcast(parent.raw);
    await chain.broadcast(child.raw);
    expect(await chain.broadcast(owner.spend({ coins, feeSats: 9_999n }).raw)).toEqual(
      later(/^insufficient fee.*less fees than conflicting txs/),
    );
    const replacement = owner.spend({ coins, feeSats: 10_100n });
    expect(await chain.broadcast(replacement.raw)).toEqual({ result: 'accepted' });
    expect(await mempoolOf(chain)).toEqual(sorted(replacement));
    expect(await chain.utxo({ txid: txid(child.txid), vout: 0 })).toBeNull();
  });

  it('is refused where the fee is higher but the feerate is not', async () => {
    const { chain, coins } = await fundedChain(2);
    const [a, b] = coins as [(typeof coins)[0], (typeof coins)[0]];
    await chain.broadcast(owner.spend({ coins: [a], feeSats: 1_100n }).raw);
    expect(await chain.broadcast(owner.spend({ coins: [a, b], feeSats: 1_500n }).raw)).toEqual(
      later(/^insufficient fee.*feerate/),
    );
  });

  it('may not add unconfirmed inputs, nor spend what it evicts', async () => {
    const { chain, coins } = await fundedChain(2);
    const [a, b] = coins as [(typeof coins)[0], (typeof coins)[0]];
    const first = owner.spend({ coins: [a], feeSats: 500n });
    const side = owner.spend({ coins: [b], feeSats: 500n });
    await chain.broadcast(first.raw);
    await chain.broadcast(side.raw);
    expect(await chain.broadcast(owner.spend({ coins: [a, side.coin(0)], feeSats: 50_000n }).raw)).toEqual(
      later(/^replacement-adds-unconfirmed/),
    );
    expect(await chain.broadcast(owner.spend({ coins: [a, first.coin(0)], feeSats: 50_000n }).raw)).toEqual(
      never(/^bad-txns-spends-conflicting-tx/),
    );
  });

  it('evicts a hundred transactions and not one more', async () => {
    const { chain, coins } = await fundedChain(5);
    const families = coins.map((coin) => {
      const { payment, coins: parts } = split(coin, 20);
      return { payment, children: parts.map((part) => owner.spend({ coins: [part], feeSats: 200n })) };
    });
    for (const { payment, children } of families)
      for (const { raw } of [payment, ...children]) expect(await chain.broadcast(raw)).toEqual({ result: 'accepted' });
    expect(await chain.broadcast(owner.spend({ coins, feeSats: 5_000_000n }).raw)).toEqual(
      later(/^too many potential replacements/),
    );
    const four = owner.spend({ coins: coins.slice(0, 4), feeSats: 5_000_000n });
    expect(await chain.broadcast(four.raw)).toEqual({ result: 'accepted' });
    expect((await chain.mempoolTxids()).length).toBe(22);
  });
});

describe('families', () => {
  it('have at most 25 members in a row', async () => {
    const { chain, coins } = await fundedChain(1);
    let tip = coins[0]!;
    for (let i = 0; i < 25; i++) {
      const next = owner.spend({ coins: [tip], feeSats: 200n });
      expect(await chain.broadcast(next.raw)).toEqual({ result: 'accepted' });
      tip = next.coin(0);
    }
    expect(await chain.broadcast(owner.spend({ coins: [tip] }).raw)).toEqual(later(/^too-long-mempool-chain/));
    await chain.mine(1, NOBODY);
    expect(await chain.broadcast(owner.spend({ coins: [tip] }).raw)).toEqual({ result: 'accepted' });
  });

  it('have at most 24 children of one', async () => {
    const { chain, coins } = await fundedChain(1);
    const { payment, coins: parts } = split(coins[0]!, 25);
    await chain.broadcast(payment.raw);
    for (const part of parts.slice(0, 24))
      expect(await chain.broadcast(owner.spend({ coins: [part] }).raw)).toEqual({ result: 'accepted' });
    expect(await chain.broadcast(owner.spend({ coins: [parts[24]!] }).raw)).toEqual(
      later(/^too-long-mempool-chain, too many descendants/),
    );
  });
});

describe('TRUC (BIP431)', () => {
  it('keeps version 3 to itself, two generations, and a small child', async () => {
    const { chain, coins } = await fundedChain(2);
    const parent = owner.spend({ coins: [coins[0]!], version: 3 });
    await chain.broadcast(parent.raw);
    const version2 = owner.spend({ coins: [parent.coin(0)], version: 2 });
    expect(await chain.broadcast(version2.raw)).toEqual(later(/^TRUC-violation/));
    const large = owner.spend({
      coins: [parent.coin(0)],
      version: 3,
      outputs: Array.from({ length: 31 }, () => ({ script: OWNER, amountSats: 10_000n })),
    });
    expect(large.transaction.virtualSize()).toBeGreaterThan(1_000);
    expect(await chain.broadcast(large.raw)).toEqual(later(/^TRUC-violation/));
    const child = owner.spend({ coins: [parent.coin(0)], version: 3 });
    expect(await chain.broadcast(child.raw)).toEqual({ result: 'accepted' });
    expect(await chain.broadcast(owner.spend({ coins: [child.coin(0)], version: 3 }).raw)).toEqual(
      later(/^TRUC-violation/),
    );
    const ordinary = owner.spend({ coins: [coins[1]!], version: 2 });
    await chain.broadcast(ordinary.raw);
    expect(await chain.broadcast(owner.spend({ coins: [ordinary.coin(0)], version: 3 }).raw)).toEqual(
      later(/^TRUC-violation/),
    );
    await chain.mine(1, NOBODY);
    expect(await chain.broadcast(owner.spend({ coins: [child.coin(0)], version: 2 }).raw)).toEqual({
      result: 'accepted',
    });
  });

  it('lets a second child push out the first where it pays for that', async () => {
    const { chain, coins } = await fundedChain(1);
    const half = (coins[0]!.amountSats - 1_000n) / 2n;
    const parent = owner.spend({
      coins,
      version: 3,
      outputs: [
        { script: OWNER, amountSats: half },
        { script: OWNER, amountSats: half },
      ],
    });
    const first = owner.spend({ coins: [parent.coin(0)], version: 3, feeSats: 1_000n });
    await chain.broadcast(parent.raw);
    await chain.broadcast(first.raw);
    expect(await chain.broadcast(owner.spend({ coins: [parent.coin(1)], version: 3, feeSats: 1_001n }).raw)).toEqual(
      later(/^insufficient fee/),
    );
    const second = owner.spend({ coins: [parent.coin(1)], version: 3, feeSats: 2_000n });
    expect(await chain.broadcast(second.raw)).toEqual({ result: 'accepted' });
    expect(await mempoolOf(chain)).toEqual(sorted(parent, second));
  });
});

describe('eviction', () => {
  it('takes descendants along, and what was dropped may come again', async () => {
    const { chain, coins } = await fundedChain(2);
    const parent = owner.spend({ coins: [coins[0]!] });
    const child = owner.spend({ coins: [parent.coin(0)] });
    const other = owner.spend({ coins: [coins[1]!] });
    for (const { raw } of [parent, child, other]) await chain.broadcast(raw);
    expect(await chain.evict(txid(parent.txid))).toBe(true);
    expect(await chain.evict(txid(parent.txid))).toBe(false);
    expect(await mempoolOf(chain)).toEqual(sorted(other));
    expect(await chain.broadcast(parent.raw)).toEqual({ result: 'accepted' });
    expect(await chain.broadcast(child.raw)).toEqual({ result: 'accepted' });
  });
});
