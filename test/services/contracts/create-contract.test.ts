/** One holder's contracts on the simulated chain, from the four fields on. */
import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { outpointKey } from '../../../src/core/outpoint.ts';
import { loadContract } from '../../../src/services/contracts/load-contract.ts';
import type { IdempotencyClaim } from '../../../src/services/requests/request-context.ts';
import type { WalletType } from '../../../src/store/records.ts';
import { BTC } from '../transactions/payments-setup.ts';
import { openContracts } from './contracts-setup.ts';

async function funded(sats: readonly bigint[] = [BTC], type: WalletType = 'segwit') {
  const c = await openContracts();
  const wallet = await c.newWallet(type);
  await c.fund(wallet, sats);
  return { c, wallet };
}

describe('a contract of one holder', () => {
  it('is funded in the answer, confirmed by a block, settled by an outcome, closed by another block', async () => {
    const { c, wallet } = await funded();
    const made = await c.create(wallet);
    expect(made).toMatchObject({ status: 'funded', role: 'both', collateralSats: 1_000_000n, outcome: null });
    expect(made).toMatchObject({ cetLocktime: 0, refundLocktime: 131 + 4_320, feeRateSatVb: 1n, threshold: 1 });
    expect(await c.mempool()).toEqual([made.fundingTxid]);
    await c.mine();
    expect(await c.get(made.contractId)).toMatchObject({ status: 'confirmed' });
    const executed = await c.contracts.execute(made.contractId, { outcome: 'yes' }, c.context());
    expect(executed).toMatchObject({ status: 'executed', outcome: 'yes', closingKind: 'cet' });
    expect(await c.mempool()).toEqual([executed.closingTxid]);
    await c.mine();
    expect(await c.get(made.contractId)).toMatchObject({ status: 'closed', outcome: 'yes' });
    expect((await c.told(made.contractId)).map(({ status }) => status)).toEqual([
      'offered',
      'accepted',
      'signed',
      'funded',
      'confirmed',
      'executed',
      'closed',
    ]);
  });

  it('has two keys of the wallet in its funding output, and addresses that name it', async () => {
    const { c, wallet } = await funded();
    const made = await c.create(wallet);
    const { contract, offer, accept } = await loadContract(c.store.read, made);
    expect(Buffer.from(offer.party.fundingPublicKey).equals(accept.party.fundingPublicKey)).toBe(false);
    const raw = (await c.store.read.transactions.find(c.accountId, made.fundingTxid!))!.raw!;
    const output = parseTransaction(raw).outputs[made.fundingVout!]!;
    expect(output.amountSats).toBe(contract.fundingAmountSats);
    const labels = (await c.store.read.scripts.all(c.accountId, wallet.walletId)).flatMap(({ label }) => label ?? []);
    for (const what of ['funding key', 'funding key', 'payout', 'payout', 'change', 'change']) {
      const name = `contract ${made.contractId}: ${what}`;
      expect(labels).toContain(name);
      labels.splice(labels.indexOf(name), 1);
    }
  });

  it.each(['taproot', 'nested-segwit'] as const)('is funded by a %s wallet', async (type) => {
    const { c, wallet } = await funded([BTC / 2n, BTC / 2n], type);
    const made = await c.confirmed(wallet, { collateralSats: (BTC * 3n) / 4n });
    expect(made.status).toBe('confirmed');
    const executed = await c.contracts.execute(made.contractId, { outcome: 'no' }, c.context());
    await c.mine();
    expect(await c.get(executed.contractId)).toMatchObject({ status: 'closed', outcome: 'no' });
  });

  it('refuses wallets that cannot fund one, saying what can', async () => {
    const { c } = await funded();
    const legacy = await c.newWallet('legacy');
    await expect(c.create(legacy)).rejects.toMatchObject({
      code: 'policy_refused',
      message: expect.stringContaining('take a segwit, nested-segwit or taproot wallet'),
      details: { field: 'wallet_id' },
    });
    const { wallet: watching } = await c.wallets.create(
      {
        ...{ name: 'watching', type: 'watch-only', backupType: 'none' },
        descriptor:
          'wpkh([d34db33f/84h/1h/0h]tpubDC5FSnBiZDMmhiuCmWAYsLwgLYrrT9rAqvTySfuCCrgsWz8wxMXUS9Tb9iVMvcRbvFcAHGkMD5Kx8koh4GquNGNTfohfk7pgjhaPCdXpoba/0/*)',
      } as never,
      c.context(),
    );
    await expect(c.create(watching)).rejects.toMatchObject({ code: 'signing_unavailable' });
  });

  it('is funded by two wallets of the account, each with its collateral', async () => {
    const c = await openContracts();
    const [one, other] = [await c.newWallet(), await c.newWallet('taproot')];
    await c.fund(one, [BTC]);
    await c.fund(other, [BTC]);
    const made = await c.confirmed(one, { counterparty: { walletId: other.walletId }, collateralSats: BTC });
    expect(made).toMatchObject({ status: 'confirmed', role: 'both', offerCollateralSats: BTC / 2n });
    for (const wallet of [one, other]) {
      const { confirmedSats } = await c.balance(wallet);
      expect(confirmedSats).toBeLessThan(BTC / 2n);
      expect(confirmedSats).toBeGreaterThan(BTC / 2n - 2_000n);
    }
    await c.contracts.execute(made.contractId, { outcome: 'yes' }, c.context());
    await c.mine();
    expect((await c.balance(one)).confirmedSats).toBeGreaterThan(BTC + BTC / 2n - 2_000n);
    expect((await c.balance(other)).confirmedSats).toBeLessThan(BTC / 2n);
  });

  it('can have both collaterals from one wallet, of different coins', async () => {
    const { c, wallet } = await funded([BTC, BTC]);
    const made = await c.create(wallet, { offerCollateralSats: 400_000n });
    expect(made.status).toBe('funded');
    expect(made.offerSide!.inputs).toHaveLength(1);
    expect(made.acceptSide!.inputs).toHaveLength(1);
    expect(made.offerSide!.inputs[0]).not.toMatchObject({ vout: made.acceptSide!.inputs[0]!.vout });
  });

  it('is refused where one coin would have to serve both sides', async () => {
    const { c, wallet } = await funded();
    await expect(c.create(wallet, { offerCollateralSats: 400_000n })).rejects.toMatchObject({
      code: 'insufficient_funds',
      message: expect.stringContaining('the other side takes a coin of the same wallet'),
    });
    expect((await c.create(wallet)).status).toBe('funded');
  });

  it('takes unconfirmed change of its wallet, and not deposits that are unconfirmed', async () => {
    const { c, wallet } = await funded();
    await c.transactions.create(c.pay(wallet, BTC / 10n), { dryRun: false }, c.context());
    expect((await c.create(wallet)).status).toBe('funded');
    const empty = await c.newWallet();
    await c.fund(empty, [BTC], { confirm: false });
    await expect(c.create(empty)).rejects.toMatchObject({
      code: 'insufficient_funds',
      details: { field: 'collateral' },
    });
  });

  it('leaves nothing behind where it is refused', async () => {
    const { c, wallet } = await funded();
    const before = await c.balance(wallet);
    await expect(c.create(wallet, { collateralSats: 2n * BTC })).rejects.toMatchObject({ code: 'insufficient_funds' });
    await expect(c.create(wallet, { refundLocktime: 5 })).rejects.toMatchObject({
      code: 'invalid_value',
      details: { field: 'refund_locktime' },
    });
    await expect(
      c.create(wallet, {
        collateralSats: 1_500n,
        payouts: new Map([
          ['yes', 750n],
          ['no', 0n],
        ]),
      }),
    ).rejects.toMatchObject({
      code: 'dust',
    });
    const line = [0n, (1n << 20n) - 1n].map((eventOutcome) => ({
      eventOutcome,
      payoutSats: eventOutcome,
      extraPrecision: 0,
    }));
    const tooLarge = c.create(wallet, {
      outcomes: undefined,
      collateralSats: 1n << 20n,
      numeric: {
        ...{ digits: 20, unit: '', precision: 0, written: {}, roundingIntervals: [] },
        payoutFunction: {
          pieces: [{ endPoint: line[0]!, curve: { kind: 'polynomial', points: [] } }],
          lastEndPoint: line[1]!,
        },
      },
    });
    await expect(tooLarge).rejects.toMatchObject({ code: 'contract_refused' });
    expect(await c.balance(wallet)).toEqual(before);
    expect((await c.contracts.list({}, { limit: 10, offset: 0 }, c.context())).total).toBe(0);
    expect((await c.store.read.oracleEvents.list(c.accountId, {}, { limit: 10, offset: 0 })).total).toBe(0);
    // All of it can be spent at once: nothing is leased or claimed.
    await c.transactions.create(c.pay(wallet, 'max'), { dryRun: false }, c.context());
  });

  it('shares no coin with payments and contracts made at the same time', async () => {
    const { c, wallet } = await funded(Array.from({ length: 8 }, () => BTC / 10n));
    const made = await Promise.all([
      ...[1, 2, 3, 4].map(() => c.create(wallet, { collateralSats: BTC / 20n })),
      ...[1, 2, 3, 4].map(() => c.transactions.create(c.pay(wallet, BTC / 20n), { dryRun: false }, c.context())),
    ]);
    const raws = await Promise.all(
      made.map(async (one) => {
        const txid = 'fundingTxid' in one ? one.fundingTxid! : one.txid;
        return parseTransaction((await c.store.read.transactions.find(c.accountId, txid))!.raw!);
      }),
    );
    const spent = raws.flatMap(({ inputs }) => inputs.map(({ prev }) => outpointKey(prev)));
    expect(new Set(spent).size).toBe(spent.length);
    expect((await c.mempool()).sort()).toEqual(raws.map(({ txid }) => txid).sort());
  });

  it('keeps the answer of the state that it reached, for whoever asks again', async () => {
    const { c, wallet } = await funded();
    const idempotency: IdempotencyClaim = {
      ...{ key: 'once', fingerprint: 'f', operation: 'contract.create', at: Date.now() },
      answer: (result) => ({ status: 201, body: JSON.stringify({ status: (result as { status: string }).status }) }),
    };
    await c.contracts.create(c.terms(wallet), c.context({ idempotency }));
    const kept = await c.store.read.idempotency.find(c.accountId, 'once', Date.now());
    expect(JSON.parse(kept!.body)).toEqual({ status: 'funded' });
  });

  it('has its external_id to itself', async () => {
    const { c, wallet } = await funded([BTC, BTC]);
    const made = await c.create(wallet, { externalId: 'match 7' });
    await expect(c.create(wallet, { externalId: 'match 7' })).rejects.toMatchObject({
      code: 'already_exists',
      details: { field: 'external_id' },
    });
    const named = await c.contracts.list({ externalId: 'match 7' }, { limit: 10, offset: 0 }, c.context());
    expect(named.data.map(({ contractId }) => contractId)).toEqual([made.contractId]);
    await expect(c.contracts.get(made.contractId, c.context({ accountId: 'acc_other' }))).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('is not offered where the offer has expired before it is made', async () => {
    const { c, wallet } = await funded();
    const expired = c.create(wallet, { counterparty: { mode: 'remote', expiresAt: 1 } });
    await expect(expired).rejects.toMatchObject({
      code: 'invalid_value',
      details: { field: 'counterparty.expires_at' },
    });
    expect((await c.contracts.list({}, { limit: 10, offset: 0 }, c.context())).data).toEqual([]);
  });
});
