import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CandidateCoin } from '../../../src/core/coin-selection/candidate.ts';
import { DomainError } from '../../../src/core/errors.ts';
import { type FeeRate, feeFor, feeRate, feeRateOf, parseFeeRate } from '../../../src/core/fee-rate.ts';
import type { Txid } from '../../../src/core/outpoint.ts';
import type { PaymentRecipient } from '../../../src/core/payments/payees.ts';
import type { PaymentPlan } from '../../../src/core/payments/payment-plan.ts';
import { planBump } from '../../../src/core/payments/plan-bump.ts';
import { planCancel } from '../../../src/core/payments/plan-cancel.ts';
import { planCpfp } from '../../../src/core/payments/plan-cpfp.ts';
import type { BumpRequest, CpfpRequest, OriginalTransaction } from '../../../src/core/payments/replacement-request.ts';
import { bytesFrom, COIN } from '../coin-selection/coins.ts';
import { keyCoin, scriptOf } from '../transactions/keys.ts';
import { planOf } from './plan-of.ts';

const PAYEE = '0014'.padEnd(44, 'a');
const rate = (satVb: number): FeeRate => feeRate(BigInt(Math.round(satVb * 1000)));
const change = { scriptType: 'p2wpkh' as const, scriptPubKey: scriptOf('p2wpkh', true, 500) };
const floors = { incrementalRelayFeeRate: rate(1), minFeeRate: rate(1) };
const settings = { rbf: true, tip: { height: 800_000, recent: true }, randomBytes: bytesFrom('bump') };
const total = (parts: readonly { amountSats: bigint }[]): bigint =>
  parts.reduce((sum, one) => sum + one.amountSats, 0n);

/** A payment from these coins, as it lies in the mempool. */
function payment(
  coins: readonly CandidateCoin[],
  recipients: readonly PaymentRecipient[],
  satVb = 2,
  version = 2,
): OriginalTransaction {
  const plan = planOf({
    ...settings,
    candidates: coins,
    recipients,
    change,
    feeRate: rate(satVb),
    include: coins,
  });
  return {
    txid: 'cc'.repeat(32) as Txid,
    version,
    feeSats: plan.feeSats,
    vsize: plan.vsize,
    inputs: coins,
    outputs: plan.outputs.map(({ scriptPubKey, amountSats, recipient }) => ({
      scriptPubKey,
      amountSats,
      change: recipient === null,
    })),
  };
}

const bump = (original: OriginalTransaction, satVb: number, fields: Partial<BumpRequest> = {}): PaymentPlan =>
  planBump({ ...settings, original, candidates: [], change, floors, feeRate: rate(satVb), ...fields });

function refusal(act: () => unknown): { code: string; field: string | undefined; message: string } {
  try {
    act();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { code: error.code, field: error.details.field, message: error.message };
  }
  throw new Error('nothing was refused');
}

/** BIP125's rules 3 and 4 and the asked feerate. */
function checkReplacement(plan: PaymentPlan, original: OriginalTransaction, asked: FeeRate, evictedSats = 0n): void {
  expect(total(plan.inputs)).toBe(total(plan.outputs) + plan.feeSats);
  expect(plan.feeSats).toBeGreaterThanOrEqual(feeFor(asked, plan.vsize));
  expect(plan.feeSats).toBeGreaterThanOrEqual(
    original.feeSats + evictedSats + feeFor(floors.incrementalRelayFeeRate, plan.vsize),
  );
  const spent = new Set(plan.inputs.map((one) => `${one.txid}:${one.vout}`));
  for (const input of original.inputs) expect(spent).toContain(`${input.txid}:${input.vout}`);
}

const coin = keyCoin('p2wpkh', COIN, 1);
const original = payment([coin], [{ scriptPubKey: PAYEE, amountSats: COIN / 2n }]);
const sweep = payment([coin], [{ scriptPubKey: PAYEE, amountSats: 'max' }]);
const spare = keyCoin('p2wpkh', COIN, 2);

describe('a bump', () => {
  it('takes the higher fee from the change, on the change script already shown', () => {
    const plan = bump(original, 20, { change: { ...change, scriptPubKey: () => expect.unreachable() } });
    checkReplacement(plan, original, rate(20));
    expect(plan.inputs).toHaveLength(1);
    expect(plan.outputs.find((one) => one.recipient !== null)!.amountSats).toBe(COIN / 2n);
    expect(plan.outputs[plan.changeIndex!]!.scriptPubKey).toBe(change.scriptPubKey);
    expect(plan.feeSats).toBe(feeFor(rate(20), plan.vsize));
  });

  it('adds confirmed coins where change does not suffice, never unconfirmed ones', () => {
    const young = keyCoin('p2wpkh', COIN, 3, { confirmations: 0, own: true });
    expect(refusal(() => bump(sweep, 20))).toMatchObject({ code: 'insufficient_funds', field: 'fee_rate' });
    expect(refusal(() => bump(sweep, 20, { candidates: [young] })).code).toBe('insufficient_funds');
    const plan = bump(sweep, 20, { candidates: [young, spare] });
    checkReplacement(plan, sweep, rate(20));
    expect(plan.inputs.map((one) => one.txid).sort()).toEqual([coin.txid, spare.txid].sort());
    expect(plan.changeIndex).not.toBeNull();
  });

  it('lets named recipients pay instead', () => {
    const plan = bump(sweep, 20, { subtractFeeFrom: [0], candidates: [spare] });
    checkReplacement(plan, sweep, rate(20));
    expect(plan.inputs).toHaveLength(1);
    expect(plan.changeIndex).toBeNull();
    expect(plan.outputs[0]!.amountSats).toBe(COIN - plan.feeSats);
    expect(refusal(() => bump(sweep, 20, { subtractFeeFrom: [1] }))).toMatchObject({ field: 'subtract_fee_from[0]' });
    // Change goes first.
    const kept = bump(original, 20, { subtractFeeFrom: [original.outputs.findIndex((one) => !one.change)] });
    expect(kept.outputs.find((one) => one.recipient !== null)!.amountSats).toBe(COIN / 2n);
  });

  it('names the rule and a fee that really would do', () => {
    for (const asked of [1, 2, 2.5, 2.9]) {
      const refused = refusal(() => bump(original, asked));
      expect(refused).toMatchObject({ code: 'fee_too_low', field: 'fee_rate' });
      expect(refused.message).toMatch(/rules 3 and 4/);
      const enough = parseFeeRate(/([\d.]+) sat\/vB, would do/.exec(refused.message)![1]!);
      const plan = bump(original, 0, { feeRate: enough });
      checkReplacement(plan, original, enough);
      expect(refusal(() => bump(original, 0, { feeRate: feeRate(enough - 1n) })).code).toBe('fee_too_low');
    }
  });

  /** The feerate that the refusal of `asked` names is taken, and nothing below it. */
  function expectLeast(asked: number, from: OriginalTransaction, fields: Partial<BumpRequest> = {}): PaymentPlan {
    const [, sats, satVb] = /(\d+) sat, ([\d.]+) sat\/vB, would do/.exec(
      refusal(() => bump(from, asked, fields)).message,
    )!;
    const least = parseFeeRate(satVb!);
    const plan = bump(from, 0, { ...fields, feeRate: least });
    expect(plan.feeSats).toBe(BigInt(sats!));
    expect(refusal(() => bump(from, 0, { ...fields, feeRate: feeRate(least - 1n) })).code).toBe('fee_too_low');
    return plan;
  }

  it('names the least feerate that would do where part of the fee lifts ancestors', () => {
    const sums = {
      ancestorCount: 1,
      ancestorVsize: 1000,
      ancestorFeesSats: 1000n,
      descendantCount: 2,
      descendantVsize: 0,
    };
    const young = { ...coin, confirmations: 0, own: true, ancestry: sums };
    const lifting = payment([young], [{ scriptPubKey: PAYEE, amountSats: COIN / 2n }], 4);
    const plan = expectLeast(3, lifting);
    expect(plan.feeSats - lifting.feeSats - feeFor(floors.incrementalRelayFeeRate, plan.vsize)).toBeLessThan(2n);
    expect(plan.ancestorFeeSats).toBeGreaterThan(0n);
    const dear = refusal(() => bump(lifting, 20, { maxFeeSats: 1000n }));
    expect(dear.message).toContain('of it to lift the unconfirmed transactions it builds on');
  });

  it('names the least feerate that would do where it uses up the change', () => {
    const tight = payment([coin], [{ scriptPubKey: PAYEE, amountSats: COIN - 282n - 1050n }], 2);
    expect(tight.outputs.some((output) => output.change)).toBe(true);
    expect(expectLeast(2, tight).changeIndex).toBeNull();
  });

  it('pays for the descendants it evicts, and their recipients again when asked', () => {
    const descendants = {
      count: 1,
      feesSats: 5000n,
      foreignFeesSats: 0n,
      recipients: [{ scriptPubKey: PAYEE, amountSats: 70_000n }],
    };
    expect(refusal(() => bump(original, 20, { descendants })).message).toContain(`${original.feeSats + 5000n} sat`);
    const plan = bump(original, 60, { descendants });
    checkReplacement(plan, original, rate(60), 5000n);
    const carried = plan.outputs.find((one) => one.recipient === original.outputs.length);
    expect(carried).toMatchObject({ scriptPubKey: PAYEE, amountSats: 70_000n });
  });

  it('raises an estimate to what replaces the original, not to what its payee paid after it', () => {
    const alone = bump(original, 0.5, { orLeast: true });
    expect(alone.feeSats).toBeLessThan(original.feeSats + 2n * BigInt(alone.vsize));
    const descendants = { count: 3, feesSats: 2_000_000n, foreignFeesSats: 2_000_000n, recipients: [] };
    const estimated = refusal(() => bump(original, 0.5, { orLeast: true, descendants }));
    expect(estimated).toMatchObject({ code: 'fee_too_low', field: 'fee_rate' });
    expect(estimated.message).toContain("2000000 sat of it by others' transactions that spend it");
    const request = { ...settings, original, descendants, change, floors };
    for (const asked of [{ feeRate: 'minimum' as const }, { feeRate: rate(0.5), orLeast: true }])
      expect(refusal(() => planCancel({ ...request, ...asked }))).toMatchObject({ code: 'fee_too_low' });
    const named = Number(/([\d.]+) sat\/vB, would do/.exec(estimated.message)?.[1]);
    expect(bump(original, named, { descendants }).feeSats).toBeGreaterThan(2_000_000n);
  });

  it('refuses to evict more than 100 transactions (rule 5)', () => {
    const descendants = { count: 100, feesSats: 0n, foreignFeesSats: 0n, recipients: [] };
    expect(refusal(() => bump(original, 50, { descendants }))).toMatchObject({ code: 'policy_refused' });
    expect(bump(original, 50, { descendants: { ...descendants, count: 99 } })).toBeTruthy();
  });

  it('keeps the node’s present minimum', () => {
    const full = { incrementalRelayFeeRate: rate(0.1), minFeeRate: rate(30) };
    const refused = refusal(() => bump(original, 20, { floors: full }));
    expect(refused.message).toContain('nothing below 30 sat/vB');
    expect(bump(original, 30, { floors: full }).feeRate).toBeGreaterThanOrEqual(rate(30));
  });

  it('raises the feerate above the original’s where only added size would pay (rule 6)', () => {
    const big = { ...original, feeSats: 100n, vsize: 20 };
    const tiny = { incrementalRelayFeeRate: rate(0.001), minFeeRate: rate(0.001) };
    const refused = refusal(() => bump(big, 4, { floors: tiny }));
    expect(refused.message).toContain('rule 6');
    const enough = parseFeeRate(/([\d.]+) sat\/vB, would do/.exec(refused.message)![1]!);
    expect(bump(big, 0, { floors: tiny, feeRate: enough }).feeRate).toBeGreaterThan(rate(5));
  });

  it('keeps to max_fee', () => {
    expect(refusal(() => bump(original, 20, { maxFeeSats: 1000n }))).toMatchObject({
      code: 'fee_too_high',
      field: 'max_fee',
    });
  });

  it('of a payment to ourselves alone takes all from its output', () => {
    const own = {
      ...original,
      outputs: [{ ...original.outputs[0]!, change: true, scriptPubKey: change.scriptPubKey }],
    };
    const plan = bump(own, 20);
    checkReplacement(plan, own, rate(20));
    expect(plan.outputs).toEqual([
      { scriptPubKey: change.scriptPubKey, amountSats: COIN - plan.feeSats, recipient: null },
    ]);
  });

  it('of a version 3 child stays version 3 within 1,000 vB, its own parent notwithstanding', () => {
    const ancestry = {
      ancestorCount: 1,
      ancestorVsize: 150,
      ancestorFeesSats: 5000n,
      descendantCount: 2,
      descendantVsize: 300,
    };
    const parentCoin = keyCoin('p2wpkh', COIN, 1, { confirmations: 0, own: true, txVersion: 3, ancestry });
    const child = { ...original, version: 3, inputs: [parentCoin] };
    expect(bump(child, 20)).toMatchObject({ version: 3 });
    const many = Array.from({ length: 40 }, (_, index) => keyCoin('p2wpkh', 3000n, index + 10));
    const spent = { ...sweep, version: 3, inputs: [parentCoin] };
    expect(refusal(() => bump(spent, 60, { candidates: many })).code).toMatch(/too_large|insufficient_funds/);
  });

  it('keeps every rule for any feerate and amounts', () => {
    let planned = 0;
    fc.assert(
      fc.property(
        fc.array(fc.bigInt(20_000n, 500_000n), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 99 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 200 }),
        (values, share, from, to) => {
          const coins = values.map((value, index) => keyCoin('p2wpkh', value, index));
          const amountSats = (total(coins) * BigInt(share)) / 100n;
          let first: OriginalTransaction;
          try {
            first = payment(coins, [{ scriptPubKey: PAYEE, amountSats }], from);
          } catch {
            return;
          }
          try {
            const plan = bump(first, to, { candidates: [spare] });
            checkReplacement(plan, first, rate(to));
            expect(plan.outputs.find((one) => one.recipient !== null)!.amountSats).toBe(amountSats);
            planned++;
          } catch (error) {
            expect(error).toMatchObject({ code: 'fee_too_low' });
            // Change too small to make went to the fee: the original may pay more than it was asked to.
            expect(rate(to)).toBeLessThanOrEqual(feeRateOf(first.feeSats, first.vsize) + rate(1));
          }
        },
      ),
      { numRuns: 150 },
    );
    expect(planned).toBeGreaterThan(40);
  });
});

describe('a cancellation', () => {
  const cancel = (satVb: number | 'minimum', from = original) =>
    planCancel({
      ...settings,
      original: from,
      change,
      floors,
      feeRate: satVb === 'minimum' ? 'minimum' : rate(satVb),
    });

  it('pays all inputs back to us, at the least fee that replaces', () => {
    const plan = cancel('minimum');
    expect(plan.outputs).toEqual([
      { scriptPubKey: change.scriptPubKey, amountSats: COIN - plan.feeSats, recipient: null },
    ]);
    expect(plan.feeSats).toBe(original.feeSats + feeFor(floors.incrementalRelayFeeRate, plan.vsize));
    checkReplacement(plan, original, rate(2));
  });

  it('at a given feerate, or names the rule and the fee that would do', () => {
    expect(cancel(30).feeSats).toBe(feeFor(rate(30), cancel(30).vsize));
    const refused = refusal(() => cancel(1));
    expect(refused).toMatchObject({ code: 'fee_too_low', field: 'fee_rate' });
    const enough = /([\d.]+) sat\/vB, would do/.exec(refused.message)![1]!;
    expect(cancel(Number(enough))).toBeTruthy();
    expect(refusal(() => cancel(Number(enough) - 0.001)).code).toBe('fee_too_low');
  });

  it('refuses what the inputs cannot pay', () => {
    const poor = payment([keyCoin('p2wpkh', 2000n, 4)], [{ scriptPubKey: PAYEE, amountSats: 'max' }]);
    expect(refusal(() => cancel(100, poor))).toMatchObject({ code: 'insufficient_funds', field: 'fee_rate' });
  });
});

describe('a child that pays for its parent', () => {
  const parent = { txid: 'dd'.repeat(32) as Txid, version: 2, packageFeesSats: 400n, packageVsize: 400 };
  const output = (amountSats: bigint, vout = 0, fields: Partial<CandidateCoin> = {}): CandidateCoin =>
    keyCoin('p2wpkh', amountSats, vout, { txid: parent.txid, vout, confirmations: 0, ...fields });
  const cpfp = (satVb: number, fields: Partial<CpfpRequest> = {}): PaymentPlan =>
    planCpfp({
      ...settings,
      parent,
      coins: [output(COIN)],
      candidates: [],
      change,
      floors,
      feeRate: rate(satVb),
      ...fields,
    });

  it('lifts the package to the feerate, not the child alone', () => {
    const plan = cpfp(10);
    expect(plan.inputs).toHaveLength(1);
    expect(400n + plan.feeSats).toBe(feeFor(rate(10), 400 + plan.vsize));
    expect(total(plan.inputs)).toBe(total(plan.outputs) + plan.feeSats);
    expect(plan.outputs[0]!.recipient).toBeNull();
  });

  it('spends our other outputs and then confirmed coins only where needed', () => {
    const two = cpfp(10, { coins: [output(3000n, 0), output(3500n, 1)], candidates: [spare] });
    expect(two.inputs.map((one) => one.vout).sort()).toEqual([0, 1]);
    const three = cpfp(10, {
      coins: [output(600n)],
      candidates: [keyCoin('p2wpkh', COIN, 7, { confirmations: 0, own: true }), spare],
    });
    expect(three.inputs.map((one) => one.txid).sort()).toEqual([parent.txid, spare.txid].sort());
    expect(refusal(() => cpfp(10, { coins: [output(600n)] }))).toMatchObject({
      code: 'insufficient_funds',
      field: 'fee_rate',
    });
  });

  it('pays the node’s minimum itself', () => {
    const rich = { ...parent, packageFeesSats: 3990n };
    const plan = cpfp(10, { parent: rich, floors: { ...floors, minFeeRate: rate(9) } });
    expect(plan.feeRate).toBeGreaterThanOrEqual(rate(9));
  });

  it('refuses where the package pays that already', () => {
    expect(refusal(() => cpfp(1))).toMatchObject({
      code: 'fee_too_low',
      field: 'fee_rate',
      message: expect.stringContaining('1 sat/vB already'),
    });
  });

  it('refuses where no output is free', () => {
    expect(refusal(() => cpfp(10, { coins: [] })).code).toBe('nothing_to_spend');
    expect(refusal(() => cpfp(10, { coins: [output(COIN, 0, { locked: true })] })).code).toBe('nothing_to_spend');
  });

  it('of a version 3 parent is version 3', () => {
    const ancestry = {
      ancestorCount: 1,
      ancestorVsize: 400,
      ancestorFeesSats: 400n,
      descendantCount: 1,
      descendantVsize: 400,
    };
    const coins = [output(COIN, 0, { txVersion: 3, ancestry })];
    expect(cpfp(10, { parent: { ...parent, version: 3 }, coins })).toMatchObject({ version: 3 });
    const taken = [output(COIN, 0, { txVersion: 3, ancestry: { ...ancestry, descendantCount: 2 } })];
    expect(refusal(() => cpfp(10, { parent: { ...parent, version: 3 }, coins: taken })).code).toBe('truc_violation');
  });
});
