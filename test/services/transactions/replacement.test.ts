import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import type { FeeRate } from '../../../src/core/fee-rate.ts';
import { outpointKey } from '../../../src/core/outpoint.ts';
import { decodeAddress } from '../../../src/core/relay-policy/address.ts';
import { BTC, openPayments, outsider, type Payments, rate } from './payments-setup.ts';

type Wallet = Parameters<Payments['pay']>[0];
const create = (p: Payments, wallet: Wallet, sats: bigint | 'max', more = {}) =>
  p.transactions.create(p.pay(wallet, sats, more), { dryRun: false }, p.context());

async function funded(coins: readonly bigint[]) {
  const p = await openPayments();
  const wallet = await p.newWallet();
  await p.fund(wallet, coins);
  return { p, wallet };
}

const paysTo = (raw: Uint8Array, address: string): bigint[] =>
  parseTransaction(raw)
    .outputs.filter((output) => output.scriptPubKey === decodeAddress(address, 'regtest').scriptPubKey)
    .map((output) => output.amountSats);

describe('bump', () => {
  it('replaces the payment by the same one at a higher feerate, out of the change', async () => {
    const { p, wallet } = await funded([BTC]);
    const first = await create(p, wallet, BTC / 4n, { label: 'rent', externalId: 'rent-11' });
    const second = await p.transactions.bump(first.txid, { feeRate: rate('20') }, p.context());
    expect(second).toMatchObject({
      status: 'broadcast',
      replaces: first.txid,
      label: 'rent',
      externalId: 'rent-11',
      recipients: first.recipients,
      amountSats: first.amountSats,
    });
    expect(paysTo(second.raw!, outsider('payee'))).toEqual([BTC / 4n]);
    expect(await p.mempool()).toEqual([second.txid]);
    expect(await p.transactions.get(first.txid, p.context())).toMatchObject({
      status: 'replaced',
      replacedBy: second.txid,
    });
    await p.settle();
    expect(await p.balance(wallet)).toMatchObject({
      confirmedSats: 0n,
      pendingSats: (BTC * 3n) / 4n - second.feeSats!,
    });
    await p.mine();
    expect((await p.balance(wallet)).confirmedSats).toBe((BTC * 3n) / 4n - second.feeSats!);
  });

  it('works without the BIP125 signal', async () => {
    const { p, wallet } = await funded([BTC]);
    const first = await create(p, wallet, BTC / 4n, { rbf: false });
    const second = await p.transactions.bump(first.txid, { feeRate: rate('20') }, p.context());
    expect(second).toMatchObject({ status: 'broadcast', rbf: false });
  });

  it('again and again: each replaces the one before', async () => {
    const { p, wallet } = await funded([BTC]);
    let last = await create(p, wallet, BTC / 4n);
    for (const feeRate of ['4', '8', '16']) {
      const next = await p.transactions.bump(last.txid, { feeRate: rate(feeRate) }, p.context());
      expect(next.replaces).toBe(last.txid);
      last = next;
    }
    expect(await p.mempool()).toEqual([last.txid]);
  });

  it('adds confirmed coins where the change does not suffice', async () => {
    const { p, wallet } = await funded([BTC / 4n, BTC / 5n]);
    const first = await create(p, wallet, BTC / 4n - 1_000n, { subtractFeeFrom: undefined });
    const inputs = (raw: Uint8Array) => parseTransaction(raw).inputs.map((input) => outpointKey(input.prev));
    const second = await p.transactions.bump(first.txid, { feeRate: rate('300') }, p.context());
    expect(second.status).toBe('broadcast');
    expect(inputs(second.raw!)).toEqual(expect.arrayContaining(inputs(first.raw!)));
    expect(second.feeSats).toBeGreaterThan(1_000n);
  });

  it('of a payment of all coins lets the recipient pay, when told so', async () => {
    const { p, wallet } = await funded([BTC]);
    const first = await create(p, wallet, 'max');
    await expect(p.transactions.bump(first.txid, { feeRate: rate('20') }, p.context())).rejects.toMatchObject({
      code: 'insufficient_funds',
    });
    const second = await p.transactions.bump(first.txid, { feeRate: rate('20'), subtractFeeFrom: [0] }, p.context());
    expect(second).toMatchObject({ status: 'broadcast', amountSats: BTC - second.feeSats! });
    expect(second.recipients).toEqual([{ address: outsider('payee'), amountSats: BTC - second.feeSats! }]);
  });

  it('below the rules is refused, naming the rule and the fee that would do, which then does', async () => {
    const { p, wallet } = await funded([BTC]);
    const first = await create(p, wallet, BTC / 4n, { feeRate: rate('10') });
    const refused = await p.transactions
      .bump(first.txid, { feeRate: rate('10.05') }, p.context())
      .catch((error) => error);
    expect(refused).toMatchObject({ code: 'fee_too_low', details: { field: 'fee_rate' } });
    expect(refused.message).toMatch(/rules? 3 and 4/);
    const [, would] = /([\d.]+) sat\/vB, would do/.exec(refused.message) ?? [];
    expect(await p.mempool()).toEqual([first.txid]);
    const second = await p.transactions.bump(first.txid, { feeRate: rate(would!) }, p.context());
    expect(second.status).toBe('broadcast');
  });

  it.each([
    ['0.1'],
    ['9.99'],
    ['10'],
    ['30'],
  ])('at an estimate of %s pays that, or the least that replaces', async (estimate) => {
    const { p, wallet } = await funded([BTC]);
    const first = await create(p, wallet, BTC / 4n, { feeRate: rate('10') });
    const asked = { feeRate: rate(estimate), orLeast: true };
    const second = await p.transactions.bump(first.txid, asked, p.context());
    expect(await p.mempool()).toEqual([second.txid]);
    const { incrementalRelayFeeRate } = await p.chain.mempoolInfo();
    const least = first.feeSats! + (BigInt(second.vsize! + 2) * incrementalRelayFeeRate) / 1000n + 1n;
    if (estimate === '30') expect(second.feeSats! * 1000n).toBeGreaterThanOrEqual(30_000n * BigInt(second.vsize!));
    else expect(second.feeSats!).toBeLessThanOrEqual(least);
    const cancelled = await p.transactions.cancel(second.txid, asked, p.context());
    expect(await p.mempool()).toEqual([cancelled.txid]);
  });

  it('that would evict own descendants is refused naming them, or carries their recipients along', async () => {
    const { p, wallet } = await funded([BTC]);
    const first = await create(p, wallet, BTC / 4n);
    const child = await create(p, wallet, BTC / 8n, {
      recipients: [{ address: outsider('second'), amount: BTC / 8n }],
    });
    const grandchild = await create(p, wallet, BTC / 16n, {
      recipients: [{ address: outsider('third'), amount: BTC / 16n }],
    });
    await expect(p.transactions.bump(first.txid, { feeRate: rate('30') }, p.context())).rejects.toMatchObject({
      code: 'descendants_would_be_evicted',
      message: expect.stringMatching(new RegExp(`${child.txid}.*${grandchild.txid}`)),
    });
    const all = await p.transactions.bump(first.txid, { feeRate: rate('30'), replaceDescendants: true }, p.context());
    expect(all.status).toBe('broadcast');
    expect(await p.mempool()).toEqual([all.txid]);
    for (const [name, sats] of [
      ['payee', BTC / 4n],
      ['second', BTC / 8n],
      ['third', BTC / 16n],
    ] as const) {
      expect(paysTo(all.raw!, outsider(name))).toEqual([sats]);
    }
    expect(all.amountSats).toBe(BTC / 4n + BTC / 8n + BTC / 16n);
    for (const gone of [first, child, grandchild]) {
      expect(await p.transactions.get(gone.txid, p.context())).toMatchObject({
        status: 'replaced',
        replacedBy: all.txid,
      });
    }
    await p.mine();
    expect((await p.balance(wallet)).confirmedSats).toBe(BTC - all.amountSats - all.feeSats!);
  });

  it('asked twice at once makes one replacement', async () => {
    const { p, wallet } = await funded([BTC]);
    const first = await create(p, wallet, BTC / 4n);
    const outcomes = await Promise.allSettled(
      ['20', '21', '22'].map((feeRate) => p.transactions.bump(first.txid, { feeRate: rate(feeRate) }, p.context())),
    );
    const made = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(made).toHaveLength(1);
    for (const one of outcomes) if (one.status === 'rejected') expect(one.reason.code).toBe('state_conflict');
    expect(await p.mempool()).toEqual([made[0]!.txid]);
  });

  it('that the node refuses after all leaves the payment as it was', async () => {
    const { p, wallet } = await funded([BTC]);
    const first = await create(p, wallet, BTC / 4n);
    p.onBroadcast(() => ({ result: 'refused', reason: 'insufficient fee, rejecting replacement', final: false }));
    const failed = await p.transactions.bump(first.txid, { feeRate: rate('20') }, p.context());
    expect(failed).toMatchObject({ status: 'failed', replaces: first.txid });
    expect(await p.transactions.get(first.txid, p.context())).toMatchObject({ status: 'broadcast', replacedBy: null });
    expect(await p.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats: (BTC * 3n) / 4n - first.feeSats! });
    p.onBroadcast(() => 'pass');
    // Its change can be spent, and it can be bumped.
    const child = await create(p, wallet, BTC / 8n);
    expect(child.status).toBe('broadcast');
    const again = await p.transactions.bump(first.txid, { feeRate: rate('20'), replaceDescendants: true }, p.context());
    expect(again.status).toBe('broadcast');
  });

  it('that no node hears of is sent later; until then nobody builds on what it replaces', async () => {
    const { p, wallet } = await funded([BTC]);
    const first = await create(p, wallet, BTC / 4n);
    p.onBroadcast(() => 'unreachable');
    const second = await p.transactions.bump(first.txid, { feeRate: rate('20') }, p.context());
    expect(second.status).toBe('signed');
    await p.settle();
    expect((await p.transactions.get(first.txid, p.context())).status).toBe('broadcast');
    expect(await p.balance(wallet)).toMatchObject({
      confirmedSats: 0n,
      pendingSats: (BTC * 3n) / 4n - second.feeSats!,
    });
    await expect(p.transactions.bump(first.txid, { feeRate: rate('40') }, p.context())).rejects.toMatchObject({
      code: 'state_conflict',
      message: expect.stringContaining(second.txid),
    });
    // A bump of the bump replaces both.
    const third = await p.transactions.bump(second.txid, { feeRate: rate('40') }, p.context());
    expect(third.status).toBe('signed');
    p.onBroadcast(() => 'pass');
    await p.broadcaster.resend();
    expect(await p.mempool()).toEqual([third.txid]);
    for (const gone of [first, second]) {
      expect(await p.transactions.get(gone.txid, p.context())).toMatchObject({
        status: 'replaced',
        replacedBy: third.txid,
      });
    }
  });

  it('loses where the original is mined first: the original is confirmed, the replacement replaced or conflicted, balances right', async () => {
    const { p, wallet } = await funded([BTC]);
    const first = await create(p, wallet, BTC / 4n);
    const second = await p.transactions.bump(first.txid, { feeRate: rate('20') }, p.context());
    await p.chain.mineTransactions([first.raw!]);
    await p.settle();
    expect((await p.transactions.get(first.txid, p.context())).status).toBe('confirmed');
    expect((await p.transactions.get(second.txid, p.context())).status).toBe('conflicted');
    expect(await p.balance(wallet)).toMatchObject({ confirmedSats: (BTC * 3n) / 4n - first.feeSats!, pendingSats: 0n });
    expect((await create(p, wallet, BTC / 2n)).status).toBe('broadcast');
  });

  it.each([
    'confirmed',
    'replaced',
    'abandoned',
  ] as const)('of a %s one is refused, naming the state', async (status) => {
    const { p, wallet } = await funded([BTC]);
    if (status === 'abandoned') p.onBroadcast(() => ({ result: 'refused', reason: 'mempool full', final: false }));
    const first = await create(p, wallet, BTC / 4n);
    if (status === 'confirmed') await p.mine();
    if (status === 'replaced') await p.transactions.bump(first.txid, { feeRate: rate('20') }, p.context());
    if (status === 'abandoned') await p.transactions.abandon(first.txid, p.context());
    await expect(p.transactions.bump(first.txid, { feeRate: rate('50') }, p.context())).rejects.toMatchObject({
      code: 'state_conflict',
      message: expect.stringContaining(`is ${status}`),
    });
  });

  it('of a deposit, and of what is not there, is refused', async () => {
    const { p, wallet } = await funded([BTC]);
    const deposit = await p.fund(wallet, [BTC], { confirm: false });
    await expect(p.transactions.bump(deposit, { feeRate: rate('50') }, p.context())).rejects.toMatchObject({
      code: 'state_conflict',
      message: expect.stringContaining('deposit'),
    });
    await expect(
      p.transactions.bump('ab'.repeat(32) as never, { feeRate: rate('5') }, p.context()),
    ).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('cancel', () => {
  it('spends the coins back to the wallet at the least fee that replaces', async () => {
    const { p, wallet } = await funded([BTC]);
    const first = await create(p, wallet, BTC / 4n);
    const cancelled = await p.transactions.cancel(first.txid, {}, p.context());
    expect(cancelled).toMatchObject({
      status: 'broadcast',
      direction: 'internal',
      replaces: first.txid,
      externalId: null,
    });
    expect(await p.mempool()).toEqual([cancelled.txid]);
    const { incrementalRelayFeeRate } = await p.chain.mempoolInfo();
    expect(cancelled.feeSats! - first.feeSats!).toBeLessThanOrEqual(
      (BigInt(cancelled.vsize! + 2) * incrementalRelayFeeRate) / 1000n + 1n,
    );
    await p.mine();
    expect((await p.balance(wallet)).confirmedSats).toBe(BTC - cancelled.feeSats!);
    expect((await p.transactions.get(first.txid, p.context())).status).toBe('replaced');
  });

  it('with descendants asks first, then pays their recipients', async () => {
    const { p, wallet } = await funded([BTC]);
    const first = await create(p, wallet, BTC / 4n);
    await create(p, wallet, BTC / 8n, { recipients: [{ address: outsider('second'), amount: BTC / 8n }] });
    await expect(p.transactions.cancel(first.txid, {}, p.context())).rejects.toMatchObject({
      code: 'descendants_would_be_evicted',
    });
    const cancelled = await p.transactions.cancel(first.txid, { replaceDescendants: true }, p.context());
    expect(cancelled.status).toBe('broadcast');
    expect(paysTo(cancelled.raw!, outsider('payee'))).toEqual([]);
    expect(paysTo(cancelled.raw!, outsider('second'))).toEqual([BTC / 8n]);
    expect(cancelled).toMatchObject({ direction: 'outgoing', amountSats: BTC / 8n });
    await p.mine();
    expect((await p.balance(wallet)).confirmedSats).toBe(BTC - BTC / 8n - cancelled.feeSats!);
  });
});

describe('cpfp', () => {
  it('lifts an unconfirmed deposit to the feerate asked for', async () => {
    const { p, wallet } = await funded([]);
    const deposit = await p.fund(wallet, [BTC], { confirm: false });
    const parent = (await p.chain.mempoolEntry(deposit))!;
    const child = await p.transactions.cpfp(deposit, { feeRate: rate('50') }, p.context());
    expect(child).toMatchObject({ status: 'broadcast', direction: 'internal' });
    const fees = parent.feeSats + child.feeSats!;
    const vsize = BigInt(parent.vsize + child.vsize!);
    expect(fees * 1000n).toBeGreaterThanOrEqual(50_000n * vsize);
    expect(fees * 1000n).toBeLessThan(51_000n * vsize);
    await p.mine();
    expect((await p.balance(wallet)).confirmedSats).toBe(BTC - child.feeSats!);
  });

  it('lifts an own payment through its change', async () => {
    const { p, wallet } = await funded([BTC]);
    const first = await create(p, wallet, BTC / 4n);
    const child = await p.transactions.cpfp(first.txid, { feeRate: rate('25') }, p.context());
    expect(new Set(await p.mempool())).toEqual(new Set([first.txid, child.txid]));
    expect((first.feeSats! + child.feeSats!) * 1000n).toBeGreaterThanOrEqual(
      25_000n * BigInt(first.vsize! + child.vsize!),
    );
  });

  it('below what it pays already, without an output of ours, and when confirmed, is refused', async () => {
    const { p, wallet } = await funded([BTC, BTC / 2n]);
    const first = await create(p, wallet, BTC / 4n, { feeRate: rate('10') });
    await expect(p.transactions.cpfp(first.txid, { feeRate: rate('5') }, p.context())).rejects.toMatchObject({
      code: 'fee_too_low',
    });
    const all = await create(p, wallet, 'max');
    await expect(p.transactions.cpfp(all.txid, { feeRate: rate('50') }, p.context())).rejects.toMatchObject({
      code: 'nothing_to_spend',
    });
    await p.mine();
    await expect(p.transactions.cpfp(first.txid, { feeRate: rate('50') }, p.context())).rejects.toMatchObject({
      code: 'state_conflict',
    });
  });

  it('of a version 3 deposit is a version 3 child, and there can be one only', async () => {
    const { p, wallet } = await funded([]);
    const deposit = await p.fund(wallet, [BTC, BTC], { confirm: false, version: 3 });
    const child = await p.transactions.cpfp(deposit, { feeRate: rate('20') }, p.context());
    expect(child).toMatchObject({ status: 'broadcast', version: 3 });
    await expect(p.transactions.cpfp(deposit, { feeRate: rate('60') }, p.context())).rejects.toMatchObject({
      code: 'truc_violation',
    });
  });
});

describe('abandon', () => {
  it('frees the coins of what no mempool has, and of its children', async () => {
    const { p, wallet } = await funded([BTC]);
    p.onBroadcast(() => 'unreachable');
    const first = await create(p, wallet, BTC / 4n);
    const child = await create(p, wallet, BTC / 4n);
    const given = await p.transactions.abandon(first.txid, p.context());
    expect(given).toMatchObject({ status: 'abandoned', reason: 'abandoned on request' });
    expect((await p.transactions.get(child.txid, p.context())).status).toBe('abandoned');
    expect(await p.balance(wallet)).toMatchObject({ confirmedSats: BTC, pendingSats: 0n });
    p.onBroadcast(() => 'pass');
    expect(await p.broadcaster.resend()).toBe(0);
    expect(await p.mempool()).toEqual([]);
    expect((await create(p, wallet, BTC / 2n)).status).toBe('broadcast');
  });

  it('of what is in the mempool or a block is refused, pointing to cancel', async () => {
    const { p, wallet } = await funded([BTC]);
    const first = await create(p, wallet, BTC / 4n);
    await expect(p.transactions.abandon(first.txid, p.context())).rejects.toMatchObject({
      code: 'state_conflict',
      message: expect.stringContaining('cancel'),
    });
    await p.mine();
    await expect(p.transactions.abandon(first.txid, p.context())).rejects.toMatchObject({ code: 'state_conflict' });
  });

  it('that is mined after all is confirmed, and counted', async () => {
    const { p, wallet } = await funded([BTC]);
    p.onBroadcast(() => 'unreachable');
    const first = await create(p, wallet, BTC / 4n);
    await p.transactions.abandon(first.txid, p.context());
    await p.chain.mineTransactions([first.raw!]);
    await p.settle();
    expect((await p.transactions.get(first.txid, p.context())).status).toBe('confirmed');
    expect((await p.balance(wallet)).confirmedSats).toBe((BTC * 3n) / 4n - first.feeSats!);
  });

  it('while the node is away is refused: it might have it', async () => {
    const { p, wallet } = await funded([BTC]);
    p.onBroadcast(() => 'unreachable');
    const first = await create(p, wallet, BTC / 4n);
    p.chain.setReachable(false);
    await expect(p.transactions.abandon(first.txid, p.context())).rejects.toMatchObject({ code: 'node_unavailable' });
  });

  it('of a replacement that no node took gives the original its coins back', async () => {
    const { p, wallet } = await funded([BTC]);
    const first = await create(p, wallet, BTC / 4n);
    p.onBroadcast(() => 'unreachable');
    const second = await p.transactions.bump(first.txid, { feeRate: rate('20') }, p.context());
    await p.transactions.abandon(second.txid, p.context());
    p.onBroadcast(() => 'pass');
    expect((await p.transactions.get(first.txid, p.context())).status).toBe('broadcast');
    expect((await create(p, wallet, BTC / 8n)).status).toBe('broadcast');
    await p.mine();
    expect((await p.transactions.get(first.txid, p.context())).status).toBe('confirmed');
  });
});

describe('bulk', () => {
  it('makes what can be made, in one commit, a later one from the change of an earlier one', async () => {
    const { p, wallet } = await funded([BTC]);
    const requests = [
      p.pay(wallet, BTC / 8n),
      p.pay(wallet, BTC / 8n),
      p.pay(wallet, 50n * BTC),
      p.pay(wallet, BTC / 8n, { feeRate: 50n as FeeRate }),
      p.pay(wallet, BTC / 8n, { externalId: 'x' }),
      p.pay(wallet, BTC / 8n, { externalId: 'x' }),
    ];
    const outcomes = await p.transactions.createBulk(requests, {}, p.context());
    expect(outcomes.map((one) => ('transaction' in one ? one.transaction.status : one.refusal.code))).toEqual([
      'broadcast',
      'broadcast',
      'insufficient_funds',
      'fee_too_low',
      'broadcast',
      'already_exists',
    ]);
    expect(await p.mempool()).toHaveLength(3);
    await p.mine();
    const fees = outcomes.reduce((sum, one) => sum + ('transaction' in one ? one.transaction.feeSats! : 0n), 0n);
    expect((await p.balance(wallet)).confirmedSats).toBe(BTC - (3n * BTC) / 8n - fees);
  });

  it('beside single payments never shares a coin with them', async () => {
    const { p, wallet } = await funded(Array.from({ length: 30 }, () => BTC / 10n));
    const [bulk, ...single] = await Promise.all([
      p.transactions.createBulk(
        Array.from({ length: 10 }, () => p.pay(wallet, BTC / 20n)),
        {},
        p.context(),
      ),
      ...Array.from({ length: 10 }, () => create(p, wallet, BTC / 20n)),
    ]);
    const made = [...bulk.flatMap((one) => ('transaction' in one ? [one.transaction] : [])), ...single];
    expect(made).toHaveLength(20);
    const spent = made.flatMap((one) => parseTransaction(one.raw!).inputs.map((input) => outpointKey(input.prev)));
    expect(new Set(spent).size).toBe(spent.length);
    expect(await p.mempool()).toHaveLength(20);
  });
});
