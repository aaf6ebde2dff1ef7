import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { feeFor } from '../../../src/core/fee-rate.ts';
import { outpointKey } from '../../../src/core/outpoint.ts';
import { BTC, openPayments, outsider, rate } from './payments-setup.ts';

const mints = { txid: 'ff'.repeat(32) };

describe('a payment', () => {
  it.each([
    'segwit',
    'taproot',
    'nested-segwit',
    'legacy',
  ] as const)('from a %s wallet is taken, mined and accounted for', async (type) => {
    const p = await openPayments();
    const wallet = await p.newWallet(type);
    await p.fund(wallet, [BTC, 2n * BTC]);
    const paid = await p.transactions.create(
      p.pay(wallet, 0n, {
        recipients: [
          { address: outsider('a'), amount: BTC / 2n },
          { address: outsider('b'), amount: BTC / 4n },
        ],
        feeRate: rate('3.5'),
        label: 'invoice 7',
        externalId: 'order-7',
      }),
      { dryRun: false },
      p.context(),
    );
    expect(paid).toMatchObject({
      status: 'broadcast',
      direction: 'outgoing',
      amountSats: (BTC * 3n) / 4n,
      label: 'invoice 7',
      externalId: 'order-7',
      confirmations: 0,
      blockHeight: null,
      rbf: true,
    });
    expect(await p.mempool()).toEqual([paid.txid]);
    const entry = (await p.chain.mempoolEntry(paid.txid))!;
    expect(entry.vsize).toBe(paid.vsize);
    expect(entry.feeSats).toBe(paid.feeSats);
    expect(paid.feeSats).toBeGreaterThanOrEqual(feeFor(rate('3.5'), entry.vsize));
    await p.mine();
    const confirmed = await p.transactions.get(paid.txid, p.context());
    expect(confirmed).toMatchObject({ status: 'confirmed', confirmations: 1 });
    expect((await p.balance(wallet)).confirmedSats).toBe(3n * BTC - (BTC * 3n) / 4n - paid.feeSats!);
    expect((await p.balance(wallet)).pendingSats).toBe(0n);
  });

  it('keeps its change in the books before any node has seen it', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC]);
    p.onBroadcast(() => 'unreachable');
    const paid = await p.transactions.create(p.pay(wallet, BTC / 4n), { dryRun: false }, p.context());
    expect(paid).toMatchObject({ status: 'signed', reason: null });
    expect(await p.mempool()).toEqual([]);
    expect(await p.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats: (BTC * 3n) / 4n - paid.feeSats! });
  });

  it('to another wallet of the account is internal and pending there', async () => {
    const p = await openPayments();
    const [from, to] = [await p.newWallet(), await p.newWallet('taproot')];
    await p.fund(from, [BTC]);
    const address = await p.newAddress(to);
    const paid = await p.transactions.create(
      p.pay(from, 0n, { recipients: [{ address, amount: BTC / 2n }] }),
      { dryRun: false },
      p.context(),
    );
    expect(paid.direction).toBe('internal');
    expect((await p.balance(to)).pendingSats).toBe(BTC / 2n);
    await p.mine();
    expect((await p.balance(to)).confirmedSats).toBe(BTC / 2n);
    for (const wallet of [from, to]) {
      const history = await p.transactions.listOfWallet(wallet.walletId, {}, { limit: 20, offset: 0 }, p.context());
      expect(history.data[0]!.txid).toBe(paid.txid);
    }
  });

  it('to a wallet of another account is an incoming one there, of the same txid', async () => {
    const p = await openPayments({ accounts: ['acc_second'] });
    const from = await p.newWallet();
    const to = await p.newWallet('segwit', 'acc_second');
    await p.fund(from, [BTC]);
    const paid = await p.transactions.create(
      p.pay(from, 0n, { recipients: [{ address: await p.newAddress(to), amount: BTC / 2n }] }),
      { dryRun: false },
      p.context(),
    );
    expect(paid.direction).toBe('outgoing');
    await p.settle();
    const other = await p.transactions.get(paid.txid, p.context({ accountId: 'acc_second' }));
    expect(other).toMatchObject({ direction: 'incoming', walletId: to.walletId, label: null, amountSats: BTC / 2n });
  });

  it('sends all there is with "max", leaving no change', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC, BTC / 10n]);
    const paid = await p.transactions.create(p.pay(wallet, 'max'), { dryRun: false }, p.context());
    expect(paid.amountSats).toBe(BTC + BTC / 10n - paid.feeSats!);
    expect(parseTransaction(paid.raw!).outputs).toHaveLength(1);
    await p.mine();
    expect(await p.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats: 0n });
  });

  it('takes the fee from the recipients named in subtract_fee_from', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC]);
    const paid = await p.transactions.create(
      p.pay(wallet, 0n, {
        recipients: [
          { address: outsider('a'), amount: BTC / 4n },
          { address: outsider('b'), amount: BTC / 4n },
        ],
        subtractFeeFrom: [1],
      }),
      { dryRun: false },
      p.context(),
    );
    expect(paid.recipients.map((one) => one.amountSats)).toEqual([BTC / 4n, BTC / 4n - paid.feeSats!]);
    await p.mine();
    expect((await p.balance(wallet)).confirmedSats).toBe(BTC / 2n);
  });

  it('spends the included coins and not the excluded ones', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC, BTC, BTC]);
    const coins = await p.store.read.coins.few(p.accountId, wallet.walletId, 10_000);
    const [include, exclude] = [coins[2]!, coins[0]!];
    const spent = async (request: Parameters<typeof p.transactions.create>[0]) => {
      const paid = await p.transactions.create(request, { dryRun: true }, p.context());
      return parseTransaction(paid.raw!).inputs.map((input) => outpointKey(input.prev));
    };
    expect(await spent(p.pay(wallet, BTC / 2n, { coinControl: { include: [include] } }))).toEqual([
      outpointKey(include),
    ]);
    const rest = await spent(p.pay(wallet, 'max', { coinControl: { exclude: [exclude] } }));
    expect(rest).toHaveLength(2);
    expect(rest).not.toContain(outpointKey(exclude));
  });

  it('spends own change before it confirms, and chains that reach the limit are refused by name', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC]);
    for (let i = 0; i < 25; i++) {
      const paid = await p.transactions.create(p.pay(wallet, 10_000n), { dryRun: false }, p.context());
      expect(paid.status).toBe('broadcast');
    }
    expect(await p.mempool()).toHaveLength(25);
    await expect(p.transactions.create(p.pay(wallet, 10_000n), { dryRun: false }, p.context())).rejects.toMatchObject({
      code: 'too_many_ancestors',
    });
    await p.mine();
    const paid = await p.transactions.create(p.pay(wallet, 10_000n), { dryRun: false }, p.context());
    expect(paid.status).toBe('broadcast');
  });

  it('leaves unconfirmed deposits alone unless min_conf is 0', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC], { confirm: false });
    await expect(p.transactions.create(p.pay(wallet, BTC / 2n), { dryRun: false }, p.context())).rejects.toMatchObject({
      code: 'insufficient_funds',
      details: { field: 'recipients' },
    });
    const paid = await p.transactions.create(p.pay(wallet, BTC / 2n, { minConf: 0 }), { dryRun: false }, p.context());
    expect(paid.status).toBe('broadcast');
  });

  it('spends an unconfirmed version 3 deposit in a version 3 transaction of at most 1,000 vB', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC], { confirm: false, version: 3 });
    const paid = await p.transactions.create(p.pay(wallet, BTC / 2n, { minConf: 0 }), { dryRun: false }, p.context());
    expect(paid).toMatchObject({ status: 'broadcast', version: 3 });
    expect(paid.vsize).toBeLessThanOrEqual(1000);
  });
});

describe('a dry run', () => {
  it('answers the record that would be, and leaves nothing behind', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC]);
    const preview = await p.transactions.create(p.pay(wallet, BTC / 2n), { dryRun: true }, p.context());
    expect(preview).toMatchObject({ status: 'signed', direction: 'outgoing', amountSats: BTC / 2n });
    await expect(p.transactions.get(preview.txid, p.context())).rejects.toMatchObject({ code: 'not_found' });
    expect(await p.mempool()).toEqual([]);
    expect(await p.balance(wallet)).toMatchObject({ confirmedSats: BTC, pendingSats: 0n });
    const paid = await p.transactions.create(p.pay(wallet, 'max'), { dryRun: false }, p.context());
    expect(paid.status).toBe('broadcast');
    const change = (one: typeof paid) => parseTransaction(one.raw!).outputs.map((output) => output.scriptPubKey);
    // The change script of the dry run is given out again.
    const again = await openPayments();
    const other = await again.newWallet();
    await again.fund(other, [BTC]);
    const [first, second] = [
      await again.transactions.create(again.pay(other, BTC / 2n), { dryRun: true }, again.context()),
      await again.transactions.create(again.pay(other, BTC / 2n), { dryRun: false }, again.context()),
    ];
    expect(new Set(change(first))).toEqual(new Set(change(second)));
  });
});

describe('refusals', () => {
  it.each([
    [
      'an address of mainnet',
      { recipients: [{ address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', amount: 5_000n }] },
      'wrong_network',
      'recipients[0].address',
    ],
    [
      'no address at all',
      { recipients: [{ address: 'hello', amount: 5_000n }] },
      'invalid_address',
      'recipients[0].address',
    ],
    ['dust', { recipients: [{ address: outsider('x'), amount: 100n }] }, 'dust', 'recipients[0].amount'],
    [
      'more than there is',
      { recipients: [{ address: outsider('x'), amount: 9n * BTC }] },
      'insufficient_funds',
      'recipients',
    ],
    ['a fee above max_fee', { maxFeeSats: 10n }, 'fee_too_high', 'max_fee'],
    ['a feerate below the relay floor', { feeRate: rate('0.05') }, 'fee_too_low', 'fee_rate'],
    [
      'an included coin that is not there',
      { coinControl: { include: [{ txid: mints.txid as never, vout: 1 }] } },
      'coin_unavailable',
      'coin_control.include[0]',
    ],
    [
      'an amount that the fee eats up',
      { recipients: [{ address: outsider('x'), amount: 600n }], subtractFeeFrom: [0], feeRate: rate('50') },
      'amount_too_small_for_fee',
      'recipients[0].amount',
    ],
  ] as const)('%s', async (_, more, code, field) => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC]);
    await expect(
      p.transactions.create(p.pay(wallet, 5_000n, more), { dryRun: false }, p.context()),
    ).rejects.toMatchObject({
      code,
      details: { field },
    });
    expect((await p.transactions.list({ direction: 'outgoing' }, { limit: 1, offset: 0 }, p.context())).total).toBe(0);
    expect((await p.transactions.create(p.pay(wallet, 'max'), { dryRun: false }, p.context())).status).toBe(
      'broadcast',
    );
  });

  it('a locked coin that is included', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC, BTC]);
    const [coin] = await p.store.read.coins.few(p.accountId, wallet.walletId, 10_000);
    await p.store.write((tx) => tx.coins.setFlags(p.accountId, wallet.walletId, coin!, { locked: true }));
    const request = p.pay(wallet, BTC / 2n, { coinControl: { include: [coin!] } });
    await expect(p.transactions.create(request, { dryRun: false }, p.context())).rejects.toMatchObject({
      code: 'coin_unavailable',
      message: expect.stringContaining('locked'),
    });
  });

  it('a second living payment with the same external_id; after a failed one it may be used again', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC, BTC]);
    const request = p.pay(wallet, BTC / 4n, { externalId: 'order-1' });
    p.onBroadcast(() => ({ result: 'refused', reason: 'mandatory-script-verify-flag-failed', final: true }));
    expect((await p.transactions.create(request, { dryRun: false }, p.context())).status).toBe('failed');
    p.onBroadcast(() => 'pass');
    const paid = await p.transactions.create(request, { dryRun: false }, p.context());
    await expect(p.transactions.create(request, { dryRun: false }, p.context())).rejects.toMatchObject({
      code: 'already_exists',
      message: expect.stringContaining(paid.txid),
      details: { field: 'external_id' },
    });
  });

  it('a payment without wallet_id where the account has none; with one, that is the default', async () => {
    const p = await openPayments();
    const request = p.pay({ walletId: 'x' } as never, 5_000n, { walletId: undefined });
    await expect(p.transactions.create(request, { dryRun: false }, p.context())).rejects.toMatchObject({
      code: 'not_found',
      details: { field: 'wallet_id' },
    });
    const wallet = await p.newWallet();
    await p.newWallet();
    await p.fund(wallet, [BTC]);
    const paid = await p.transactions.create(request, { dryRun: false }, p.context());
    expect(paid).toMatchObject({ walletId: wallet.walletId, status: 'broadcast' });
  });

  it('a wallet of another account', async () => {
    const p = await openPayments({ accounts: ['acc_second'] });
    const theirs = await p.newWallet('segwit', 'acc_second');
    await expect(p.transactions.create(p.pay(theirs, 5_000n), { dryRun: false }, p.context())).rejects.toMatchObject({
      code: 'not_found',
      details: { field: 'wallet_id' },
    });
  });

  it('everything while spending is halted', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC]);
    p.halt('the chain turned back too far');
    await expect(p.transactions.create(p.pay(wallet, 5_000n), { dryRun: false }, p.context())).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});
