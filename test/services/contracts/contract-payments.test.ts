/** What of a contract's transactions callers may touch as payments, and that one which waits for its counterparty is in nobody's way. */
import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import type { Txid } from '../../../src/core/outpoint.ts';
import { outpointKey } from '../../../src/core/outpoint.ts';
import { decodeAddress } from '../../../src/core/relay-policy/address.ts';
import { insertOwnCoins, ownersOf } from '../../../src/services/transactions/sending/own-outputs.ts';
import { CONTRACT_KINDS, type ContractKind } from '../../../src/store/records.ts';
import { transactionRecord } from '../../builders/store-records.ts';
import { testKey } from '../../builders/test-key.ts';
import { BTC, openPayments, outsider, type Payments, rate } from '../transactions/payments-setup.ts';

async function funded(coins: readonly bigint[]) {
  const p = await openPayments();
  const wallet = await p.newWallet();
  await p.fund(wallet, coins);
  return { p, wallet };
}
const pay = (p: Payments, wallet: Parameters<Payments['pay']>[0], sats: bigint) =>
  p.transactions.create(p.pay(wallet, sats), { dryRun: false }, p.context());
const become = (p: Payments, txid: Txid, kind: ContractKind) =>
  p.store.write((tx) => tx.transactions.update(p.accountId, txid, { kind }));
const scriptOf = (address: string) => Buffer.from(decodeAddress(address, 'regtest').scriptPubKey, 'hex');

describe("a contract's transaction", () => {
  it.each(
    CONTRACT_KINDS,
  )('that is its %s is neither bumped, cancelled nor abandoned; a child pays for it', async (kind) => {
    const { p, wallet } = await funded([BTC]);
    const { txid } = await pay(p, wallet, BTC / 4n);
    await become(p, txid, kind);
    const refused = {
      code: 'state_conflict',
      message: expect.stringMatching(`contract.*/api/v1/transactions/${txid}/cpfp`),
    };
    await expect(p.transactions.bump(txid, { feeRate: rate('20') }, p.context())).rejects.toMatchObject(refused);
    await expect(p.transactions.cancel(txid, {}, p.context())).rejects.toMatchObject(refused);
    await expect(p.transactions.abandon(txid, p.context())).rejects.toMatchObject(refused);
    const child = await p.transactions.cpfp(txid, { feeRate: rate('20') }, p.context());
    expect(child).toMatchObject({ status: 'broadcast', kind: 'cpfp' });
    expect(await p.mempool()).toEqual(expect.arrayContaining([txid, child.txid]));
  });

  it('in a block is said to be a contract’s as well, before its state', async () => {
    const { p, wallet } = await funded([BTC]);
    const { txid } = await pay(p, wallet, BTC / 4n);
    await become(p, txid, 'funding');
    await p.mine();
    await expect(p.transactions.bump(txid, { feeRate: rate('20') }, p.context())).rejects.toMatchObject({
      code: 'state_conflict',
    });
    await expect(p.transactions.cpfp(txid, { feeRate: rate('20') }, p.context())).rejects.toMatchObject({
      message: expect.stringMatching(/in a block/),
    });
  });

  it('built on a payment keeps that from being replaced, its recipients notwithstanding', async () => {
    const { p, wallet } = await funded([BTC]);
    const parent = await pay(p, wallet, BTC / 4n);
    const funding = await pay(p, wallet, BTC / 8n);
    expect(parseTransaction(funding.raw!).inputs[0]!.prev.txid).toBe(parent.txid);
    await become(p, funding.txid, 'funding');
    for (const replaceDescendants of [true, false]) {
      await expect(
        p.transactions.bump(parent.txid, { feeRate: rate('20'), replaceDescendants }, p.context()),
      ).rejects.toMatchObject({ code: 'descendants_would_be_evicted' });
    }
  });
});

describe('a CET', () => {
  /** Of a 2-of-2 output that is no wallet's (a key of the test stands for both), below what the mempool takes. */
  async function parked() {
    const { p, wallet } = await funded([BTC]);
    const funding = await p.transactions.create(
      p.pay(wallet, BTC / 2n, {
        recipients: [{ address: outsider('both keys'), amount: BTC / 2n }],
        feeRate: rate('5'),
      }),
      { dryRun: false },
      p.context(),
    );
    const guard = testKey('outsider both keys');
    const vout = parseTransaction(funding.raw!).outputs.findIndex(
      ({ scriptPubKey }) => scriptPubKey === guard.scriptHex,
    );
    const address = await p.newAddress(wallet);
    const cet = guard.spend({
      coins: [{ txid: funding.txid, vout, amountSats: BTC / 2n }],
      sequence: 0xffffffff,
      outputs: [
        { script: scriptOf(outsider('counterparty')), amountSats: BTC / 4n },
        { script: scriptOf(address), amountSats: BTC / 4n - 200n },
      ],
    });
    await p.mine();
    const parsed = parseTransaction(cet.raw);
    const { txid } = parsed;
    p.chain.setMempoolLimits({ minFeeRate: rate('3') });
    await p.store.write(async (tx) => {
      await tx.transactions.insert(
        transactionRecord('cet', {
          accountId: p.accountId,
          txid,
          unsignedTxid: txid,
          walletId: wallet.walletId,
          kind: 'cet',
          status: 'signed',
          direction: 'incoming',
          raw: cet.raw,
          feeSats: 200n,
          vsize: parsed.vsize,
        }),
        [{ vin: 0, prev: { txid: funding.txid, vout } }],
        [],
      );
      const owners = await ownersOf(tx, p.accountId, parsed.outputs);
      await insertOwnCoins(tx, { accountId: p.accountId, ...parsed }, owners, Date.now());
    });
    return { p, wallet, txid };
  }

  it('below the minimum of the mempool, with an output that is not ours, gets in with a child as a package', async () => {
    const { p, txid } = await parked();
    await p.broadcaster.resend();
    expect(await p.transactions.get(txid, p.context())).toMatchObject({ status: 'signed' });
    const child = await p.transactions.cpfp(txid, { feeRate: rate('10') }, p.context());
    expect(parseTransaction(child.raw!).inputs.map(({ prev }) => outpointKey(prev))).toContain(`${txid}:1`);
    expect(await p.mempool()).toEqual(expect.arrayContaining([txid, child.txid]));
    expect(await p.transactions.get(txid, p.context())).toMatchObject({ status: 'broadcast', kind: 'cet' });
    // Lost with its child, both are sent again.
    await p.chain.evict(txid);
    expect(await p.mempool()).toEqual([]);
    await p.broadcaster.resend();
    expect(await p.mempool()).toEqual(expect.arrayContaining([txid, child.txid]));
    await p.mine();
    expect(await p.transactions.get(txid, p.context())).toMatchObject({ status: 'confirmed', kind: 'cet' });
  });
});

describe('a funding transaction that its counterparty is to complete', () => {
  it('is never sent, holds up nothing, is left alone at every tip, and cannot be helped yet', async () => {
    const { p, wallet } = await funded([BTC, BTC]);
    const coins = await p.store.read.coins.few(p.accountId, wallet.walletId, 10_000);
    const [coin] = coins;
    const txid = 'ab'.repeat(32) as Txid;
    await p.store.write(async (tx) => {
      await tx.coins.claim(p.accountId, [coin!], txid);
      await tx.transactions.insert(
        transactionRecord('funding', {
          accountId: p.accountId,
          txid,
          unsignedTxid: txid,
          walletId: wallet.walletId,
          kind: 'funding',
          status: 'signed',
          raw: null,
        }),
        [{ vin: 0, prev: coin! }],
        [],
      );
    });
    expect(await p.balance(wallet)).toMatchObject({ confirmedSats: 2n * BTC, lockedSats: BTC });
    const sent: number[] = [];
    p.onBroadcast((raw) => {
      sent.push(raw.length);
      return 'pass';
    });
    const other = await pay(p, wallet, BTC / 4n);
    await p.chain.evict(other.txid);
    expect(await p.broadcaster.resend()).toBe(1);
    expect(sent).toHaveLength(2);
    await p.mine(2);
    expect(await p.broadcaster.resend()).toBe(0);
    const stored = await p.store.read.transactions.find(p.accountId, txid);
    expect(stored).toMatchObject({ status: 'signed', raw: null, reason: null });
    await expect(p.transactions.cpfp(txid, { feeRate: rate('10') }, p.context())).rejects.toMatchObject({
      code: 'state_conflict',
      message: expect.stringMatching(/counterparty/),
    });
    // A payment that wants more than is free does not get it.
    await expect(pay(p, wallet, BTC)).rejects.toMatchObject({ code: 'insufficient_funds' });
  });
});
