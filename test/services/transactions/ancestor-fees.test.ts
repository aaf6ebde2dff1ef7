import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import type { Txid } from '../../../src/core/outpoint.ts';
import { decodeAddress } from '../../../src/core/relay-policy/address.ts';
import { createAncestryLookup } from '../../../src/services/transactions/coins/ancestry.ts';
import { BTC, openPayments, type Payments, rate } from './payments-setup.ts';

type Wallet = Parameters<Payments['pay']>[0];
const create = (p: Payments, wallet: Wallet, sats: bigint, more = {}) =>
  p.transactions.create(p.pay(wallet, sats, more), { dryRun: false }, p.context());

/** A cheap payment to ourselves: two coins of ours on one unconfirmed parent. */
async function twoCoinsOfOneParent() {
  const p = await openPayments();
  const wallet = await p.newWallet();
  await p.fund(wallet, [BTC]);
  const address = await p.newAddress(wallet);
  const recipients = [{ address, amount: BTC / 4n }];
  const parent = await create(p, wallet, 0n, { recipients, feeRate: rate('2') });
  const { scriptPubKey } = decodeAddress(address, 'regtest');
  const vout = parseTransaction(parent.raw!).outputs.findIndex((output) => output.scriptPubKey === scriptPubKey);
  await p.settle();
  const paid = (feeRate: string) =>
    create(p, wallet, BTC / 8n, {
      ...{ feeRate: rate(feeRate), minConf: 0 },
      coinControl: { include: [{ txid: parent.txid, vout }] },
    });
  return { p, parent, paid };
}

/** Satoshis that these lack together to `satVb`; below 0: they pay more. */
async function lacking(p: Payments, satVb: number, txids: readonly Txid[]): Promise<number> {
  const entries = await Promise.all(txids.map((txid) => p.chain.mempoolEntry(txid)));
  return entries.reduce((sum, entry) => sum + satVb * entry!.vsize - Number(entry!.feeSats), 0);
}

describe('an ancestor that another child of ours lifts already', () => {
  it('is not paid for again, at the feerate that it is lifted to', async () => {
    const { p, parent, paid } = await twoCoinsOfOneParent();
    const child = await p.transactions.cpfp(parent.txid, { feeRate: rate('50') }, p.context());
    expect(await lacking(p, 50, [parent.txid, child.txid])).toBeLessThanOrEqual(0);
    const payment = await paid('50');
    expect(payment).toMatchObject({ status: 'broadcast', ancestorFeeSats: 0n });
    expect(await lacking(p, 50, [parent.txid, child.txid, payment.txid])).toBeLessThanOrEqual(0);
  });

  it('is paid for where more is asked than that', async () => {
    const { p, parent, paid } = await twoCoinsOfOneParent();
    await p.transactions.cpfp(parent.txid, { feeRate: rate('50') }, p.context());
    const payment = await paid('51');
    expect(await lacking(p, 51, [parent.txid, payment.txid])).toBeLessThanOrEqual(0);
  });

  it('is paid for again by the bump of that child', async () => {
    const { p, parent, paid } = await twoCoinsOfOneParent();
    const payment = await paid('50');
    expect(payment.ancestorFeeSats).toBeGreaterThan(0n);
    const bumped = await p.transactions.bump(payment.txid, { feeRate: rate('90') }, p.context());
    expect(await lacking(p, 90, [parent.txid, bumped.txid])).toBeLessThanOrEqual(0);
  });

  it('counts nothing that is to be replaced', async () => {
    const { p, parent, paid } = await twoCoinsOfOneParent();
    const { txid } = await paid('50');
    const { transactions } = p.store.read;
    const relativesWithout = async (without: Txid[]) =>
      (await createAncestryLookup({ transactions }, p.accountId, { without }).of(parent.txid))!.relatives;
    expect(await relativesWithout([])).toMatchObject([{ txid }]);
    expect(await relativesWithout([txid])).toEqual([]);
  });

  it('needs no second child', async () => {
    const { p, parent, paid } = await twoCoinsOfOneParent();
    await paid('50');
    await expect(p.transactions.cpfp(parent.txid, { feeRate: rate('50') }, p.context())).rejects.toMatchObject({
      code: 'fee_too_low',
      details: { field: 'fee_rate' },
      message: expect.stringContaining('another child'),
    });
    const child = await p.transactions.cpfp(parent.txid, { feeRate: rate('80') }, p.context());
    expect(await lacking(p, 80, [parent.txid, child.txid])).toBeLessThanOrEqual(0);
  });

  it('is a deposit of somebody else, whose fee the node knows', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    const deposit = await p.fund(wallet, [BTC, BTC / 2n], { confirm: false });
    await p.settle();
    const child = await p.transactions.cpfp(deposit, { feeRate: rate('50') }, p.context());
    const include = [{ txid: deposit, vout: 1 }];
    const payment = await create(p, wallet, BTC / 4n, {
      ...{ feeRate: rate('50'), minConf: 0, coinControl: { include } },
    });
    expect(payment.ancestorFeeSats).toBe(0n);
    expect(await lacking(p, 50, [deposit, child.txid, payment.txid])).toBeLessThanOrEqual(0);
  });
});
