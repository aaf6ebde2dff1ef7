/** What the chain makes of a contract, by name; on the simulated chain, with the real follower, ledger and store. */

import { describe, expect, it } from 'vitest';
import { coinHoldOf } from '../../../src/core/dlc/coin-hold.ts';
import type { Txid } from '../../../src/core/outpoint.ts';
import { NOBODY, stranger } from '../ledger/world.ts';
import { BTC, trackedContract } from './tracked-contract.ts';

describe('a funding transaction', () => {
  it('is seen, gets into a block, and out of it again', async () => {
    const one = await trackedContract();
    await one.commitFunding();
    await one.send(one.funding);
    expect(await one.contract()).toMatchObject({ status: 'funded', fundingHeight: null });
    await one.mine();
    const { height } = (await one.world.store.read.ledger.tip())!;
    expect(await one.contract()).toMatchObject({ status: 'confirmed', fundingHeight: height });
    expect(await one.story()).toEqual(['funded', 'confirmed']);
    await one.world.settle();
    await one.mine();
    expect(await one.story()).toEqual(['funded', 'confirmed']);
    await one.world.chain.reorganize(2);
    await one.world.settle();
    expect(await one.contract()).toMatchObject({ status: 'funded', fundingHeight: null });
    await one.mine();
    expect(await one.contract()).toMatchObject({ status: 'confirmed' });
    expect(await one.story()).toEqual(['funded', 'confirmed', '-funded', 'confirmed']);
  });

  it('that only the counterparty can complete waits, is locked, harms nobody, and is kept once it is seen', async () => {
    const one = await trackedContract();
    await one.commitFunding({ raw: null });
    await one.mine(2);
    expect(await one.record(one.funding.txid)).toMatchObject({ status: 'signed', raw: null, reason: null });
    expect(await one.contract()).toMatchObject({ status: 'signed' });
    expect(await one.balance()).toMatchObject({ confirmedSats: BTC, lockedSats: BTC });
    const missing: unknown[] = [];
    one.world.follower().onOwnMissing((found) => missing.push(...found));
    await one.mine();
    expect(missing).toEqual([]);

    await one.send(one.funding);
    const kept = await one.record(one.funding.txid);
    expect(kept).toMatchObject({ status: 'broadcast', kind: 'funding' });
    expect(Buffer.from(kept!.raw!).equals(Buffer.from(one.funding.raw))).toBe(true);
    expect(await one.story()).toEqual(['funded']);
    expect(await one.balance()).toMatchObject({ confirmedSats: 0n, lockedSats: 0n });
    // Lost, it is ours to send again.
    await one.world.chain.evict(one.funding.txid as Txid);
    await one.mine();
    expect(missing).toContainEqual({ accountId: one.accountId, txid: one.funding.txid });
    expect(await one.contract()).toMatchObject({ status: 'funded' });
  });

  it('double-spent in the mempool fails the contract, and lives again when it is mined after all', async () => {
    const one = await trackedContract();
    await one.commitFunding();
    await one.send(one.funding);
    await one.send(one.doubleSpend);
    const failed = await one.contract();
    expect(failed).toMatchObject({ status: 'failed' });
    expect(failed.reason).toMatch(new RegExp(one.doubleSpend.txid));
    await one.mineOnly(one.funding);
    expect(await one.contract()).toMatchObject({ status: 'confirmed', reason: null });
    expect(await one.story()).toEqual(['funded', 'failed', '-confirmed']);
  });

  it('double-spent in a block fails the contract, and taking the block back does not fund it', async () => {
    const one = await trackedContract();
    await one.commitFunding();
    await one.mineOnly(one.doubleSpend);
    expect(await one.contract()).toMatchObject({ status: 'failed', reason: expect.stringMatching(/conflicted/) });
    expect(await one.story()).toEqual(['failed']);
    await one.mine();
    expect(await one.story()).toEqual(['failed']);
  });

  it('in a block that another block with a double spend replaces fails the contract', async () => {
    const one = await trackedContract();
    await one.commitFunding();
    await one.mineOnly(one.funding);
    await one.world.chain.reorganize(1, { include: [one.doubleSpend.raw] });
    await one.world.settle();
    expect(await one.contract()).toMatchObject({ status: 'failed', fundingHeight: null });
    expect(await one.story()).toEqual(['confirmed', '-funded', 'failed']);
  });

  it('that we double-spend ourselves is cancelled', async () => {
    const one = await trackedContract();
    await one.commitFunding();
    await one.send(one.funding);
    await one.commit(one.doubleSpend, { kind: 'cancel', replaces: one.funding.txid });
    await one.send(one.doubleSpend);
    expect(await one.contract()).toMatchObject({ status: 'cancelled', reason: expect.stringMatching(/cancelled/) });
    await one.mine();
    expect(await one.story()).toEqual(['funded', 'cancelled']);
  });
});

describe('a funding output', () => {
  it('spent by our CET settles the contract by the outcome kept with it, and closes it in a block', async () => {
    const one = await trackedContract();
    await one.commitFunding();
    await one.mineOnly(one.funding);
    await one.commitClosing(one.cets.yes, 'cet', { closingKind: 'cet', outcome: 'yes' });
    expect(await one.contract()).toMatchObject({ status: 'confirmed' });
    await one.send(one.cets.yes);
    expect(await one.contract()).toMatchObject({ status: 'executed', outcome: 'yes', closingTxid: one.cets.yes.txid });
    expect(await one.record(one.cets.yes.txid)).toMatchObject({ kind: 'cet', status: 'broadcast' });
    await one.mine();
    const { height, hash } = (await one.world.store.read.ledger.tip())!;
    expect(await one.contract()).toMatchObject({ status: 'closed', closingHeight: height, closingBlockHash: hash });
    await one.world.chain.reorganize(1);
    await one.world.settle();
    expect(await one.contract()).toMatchObject({ status: 'executed', closingHeight: null, outcome: 'yes' });
    await one.mine();
    expect(await one.story()).toEqual(['confirmed', 'executed yes', 'closed yes', '-executed yes', 'closed yes']);
  });

  it('spent by the counterparty’s CET that pays us nothing is noticed, and noticed to have gone', async () => {
    const one = await trackedContract();
    await one.commitFunding();
    await one.mineOnly(one.funding);
    await one.send(one.cets.no);
    expect(await one.contract()).toMatchObject({
      status: 'executed',
      outcome: null,
      closingTxid: one.cets.no.txid,
      closingKind: 'cet',
    });
    expect(await one.record(one.cets.no.txid)).toMatchObject({
      kind: 'cet',
      status: 'broadcast',
      raw: null,
      walletId: one.wallet.walletId,
    });
    await one.world.chain.evict(one.cets.no.txid as Txid);
    await one.world.settle();
    expect(await one.contract()).toMatchObject({ status: 'confirmed', closingTxid: null, closingKind: null });
    await one.mineOnly(one.cets.no);
    expect(await one.contract()).toMatchObject({ status: 'closed', closingKind: 'cet' });
    expect(await one.story()).toEqual(['confirmed', 'executed', '-confirmed', 'closed']);
  });

  it('spent after a restart is noticed as well', async () => {
    const one = await trackedContract();
    await one.commitFunding();
    await one.mineOnly(one.funding);
    await one.world.stop();
    await one.world.chain.mineTransactions([one.cets.no.raw]);
    one.world.start();
    await one.world.settle();
    expect(await one.contract()).toMatchObject({ status: 'closed', closingKind: 'cet' });
    expect(await one.story()).toEqual(['confirmed', 'closed']);
    await one.world.stop();
  });

  it('spent by the refund is refunded, and closed in a block', async () => {
    const one = await trackedContract();
    await one.commitFunding();
    await one.mineOnly(one.funding);
    await one.send(one.refund);
    expect(await one.contract()).toMatchObject({ status: 'refunded', closingKind: 'refund' });
    await one.mine();
    expect(await one.contract()).toMatchObject({ status: 'closed', closingKind: 'refund', outcome: null });
    expect(await one.story()).toEqual(['confirmed', 'refunded', 'closed']);
    expect(await one.balance()).toMatchObject({ confirmedSats: BTC - 201_500n + 100_000n });
  });

  it('spent by a refund in a block instead of our CET in the mempool ends refunded, the settlement taken back', async () => {
    const one = await trackedContract();
    await one.commitFunding();
    await one.mineOnly(one.funding);
    await one.commitClosing(one.cets.yes, 'cet', { closingKind: 'cet', outcome: 'yes' });
    await one.send(one.cets.yes);
    await one.mineOnly(one.refund);
    expect(await one.contract()).toMatchObject({
      status: 'closed',
      closingTxid: one.refund.txid,
      closingKind: 'refund',
      outcome: null,
    });
    expect(await one.record(one.cets.yes.txid)).toMatchObject({ status: 'conflicted' });
    expect(await one.story()).toEqual(['confirmed', 'executed yes', '-closed']);
    await one.world.chain.reorganize(1, { include: [one.cets.yes.raw] });
    await one.world.settle();
    expect(await one.contract()).toMatchObject({
      status: 'closed',
      closingTxid: one.cets.yes.txid,
      closingKind: 'cet',
    });
    expect((await one.story()).slice(3)).toEqual(['-refunded', '-closed']);
  });

  it('spent by what both have agreed on is no CET', async () => {
    const one = await trackedContract();
    await one.commitFunding();
    await one.mineOnly(one.funding);
    await one.send(one.agreed);
    expect(await one.contract()).toMatchObject({ status: 'executed', closingKind: 'unknown', outcome: null });
    await one.mine();
    expect(await one.contract()).toMatchObject({ status: 'closed' });
  });

  it('spent by a cooperative close of ours says so, whoever sends it', async () => {
    const one = await trackedContract();
    await one.commitFunding();
    await one.mineOnly(one.funding);
    await one.commitClosing(one.agreed, 'cooperative_close', { closingKind: 'cooperative' });
    await one.mineOnly(one.agreed);
    expect(await one.contract()).toMatchObject({ status: 'closed', closingKind: 'cooperative' });
    expect(await one.story()).toEqual(['confirmed', 'closed']);
  });

  it('made and spent in one block, and taken back with it', async () => {
    const one = await trackedContract();
    await one.commitFunding();
    await one.mineOnly(one.funding, one.cets.no);
    expect(await one.contract()).toMatchObject({ status: 'closed' });
    expect(await one.story()).toEqual(['confirmed', 'closed']);
    await one.world.chain.reorganize(1, { include: [one.doubleSpend.raw] });
    await one.world.settle();
    expect(await one.contract()).toMatchObject({ status: 'failed', closingTxid: null, fundingHeight: null });
    expect(await one.story()).toEqual(['confirmed', 'closed', '-executed', '-failed']);
  });
});

describe('coins held for an offer', () => {
  const offer = async () => {
    const one = await trackedContract({ contract: { status: 'offered', fundingTxid: null, fundingVout: null } });
    const { store } = one.world;
    const name = coinHoldOf((await one.contract()).contractId);
    await store.write((tx) => tx.coins.claim(one.accountId, [one.coin], name));
    return { ...one, store, name };
  };

  it('stay held, locked in the balance, through blocks, reorganizations and another look at them', async () => {
    const one = await offer();
    await one.mine();
    await one.world.chain.reorganize(2);
    await one.world.settle();
    await one.mine();
    const [coin] = await one.store.read.coins.findMany(one.accountId, [one.coin]);
    expect(coin).toMatchObject({ spentBy: one.name, spentHeight: null, live: true });
    expect(await one.balance()).toMatchObject({ lockedSats: BTC });
    expect(await one.contract()).toMatchObject({ status: 'offered' });
    expect(await one.story()).toEqual([]);
  });

  it('spent by another program with the wallet’s keys fail the contract, which lets go of the others', async () => {
    const one = await offer();
    const second = stranger.spend({
      coins: [one.strangers[1]!],
      outputs: [{ script: one.keys.script(1), amountSats: 70_000n }],
    });
    await one.mineOnly(second);
    const other = { txid: second.txid as Txid, vout: 0 };
    await one.store.write((tx) => tx.coins.claim(one.accountId, [other], one.name));
    await one.send(one.doubleSpend);
    expect(await one.contract()).toMatchObject({
      status: 'failed',
      reason: `its input ${one.coin.txid}:0 was spent by ${one.doubleSpend.txid}`,
    });
    expect(await one.story()).toEqual(['failed']);
    const [freed] = await one.store.read.coins.findMany(one.accountId, [other]);
    expect(freed).toMatchObject({ spentBy: null });
    expect(await one.balance()).toMatchObject({ confirmedSats: 70_000n, lockedSats: 0n });
    await one.world.chain.mine(1, NOBODY);
    await one.world.settle();
    expect(await one.story()).toEqual(['failed']);
  });
});
