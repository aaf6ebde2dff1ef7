import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CandidateCoin } from '../../../src/core/coin-selection/candidate.ts';
import { createPricer } from '../../../src/core/coin-selection/output-group.ts';
import { DomainError } from '../../../src/core/errors.ts';
import { type FeeRate, feeFor, feeRate } from '../../../src/core/fee-rate.ts';
import { ecc } from '../../../src/core/keys/ecc.ts';
import type { PaymentPlan } from '../../../src/core/payments/payment-plan.ts';
import { spendingVersions } from '../../../src/core/payments/spending-versions.ts';
import { dustThreshold } from '../../../src/core/relay-policy/dust.ts';
import { bytesFrom, COIN } from '../coin-selection/coins.ts';
import {
  keyCoin,
  SINGLE_KEY_TYPES,
  type SingleKeyType,
  scriptOf,
  signedAtOnce,
  testKeyRing,
} from '../transactions/keys.ts';
import { type AskedPayment, planOf } from './plan-of.ts';

const PAYEE = '0014'.padEnd(44, 'a');
const TAPROOT_PAYEE = scriptOf('p2tr', false, 900);
const rate = (satVb: number): FeeRate => feeRate(BigInt(satVb * 1000));

function request(fields: Partial<AskedPayment> & { type?: SingleKeyType; seed?: string | number }): AskedPayment {
  const { type = 'p2wpkh', seed = 1, ...rest } = fields;
  return {
    candidates: [keyCoin(type, COIN)],
    recipients: [{ scriptPubKey: PAYEE, amountSats: 100_000n }],
    change: { scriptType: type, scriptPubKey: scriptOf(type, true, 500) },
    feeRate: rate(5),
    rbf: true,
    tip: { height: 800_000, recent: true },
    randomBytes: bytesFrom(seed),
    ...rest,
  };
}

const total = (parts: readonly { amountSats: bigint }[]): bigint =>
  parts.reduce((sum, one) => sum + one.amountSats, 0n);
const paid = (plan: PaymentPlan, recipient: number): bigint | undefined =>
  plan.outputs.find((output) => output.recipient === recipient)?.amountSats;

function refusal(act: () => unknown): { code: string; field: string | undefined; message: string } {
  try {
    act();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { code: error.code, field: error.details.field, message: error.message };
  }
  throw new Error('nothing was refused');
}

/** What every plan must keep. */
function checkPlan(plan: PaymentPlan, asked: AskedPayment): void {
  expect(total(plan.inputs)).toBe(total(plan.outputs) + plan.feeSats);
  const signed = signedAtOnce(plan, testKeyRing(), { ecc, randomBytes: bytesFrom('aux'), verify: false });
  expect(signed.vsize).toBeLessThanOrEqual(plan.vsize);
  expect(plan.feeSats).toBeGreaterThanOrEqual(feeFor(asked.feeRate, plan.vsize));
  for (const output of plan.outputs)
    expect(output.amountSats).toBeGreaterThanOrEqual(dustThreshold(Buffer.from(output.scriptPubKey, 'hex')));
  expect(new Set(plan.inputs.map((one) => `${one.txid}:${one.vout}`)).size).toBe(plan.inputs.length);
  const change = plan.outputs.filter((output) => output.recipient === null);
  expect(change.length).toBe(plan.changeIndex === null ? 0 : 1);
  if (plan.changeIndex !== null) expect(plan.outputs[plan.changeIndex]).toBe(change[0]);
}

const anyType = fc.constantFrom(...SINGLE_KEY_TYPES);
const anyRate = fc.oneof(fc.bigInt(100n, 3000n), fc.bigInt(3000n, 100_000n)).map(feeRate);
const anyCoins = (type: SingleKeyType) =>
  fc
    .array(fc.tuple(fc.bigInt(1n, 2_000_000n), fc.nat(20)), { minLength: 1, maxLength: 25 })
    .map((parts) => parts.map(([amount, index]) => keyCoin(type, amount, index)));

describe('a payment plan', () => {
  it('balances, pays its feerate when signed, and makes no dust, for any coins, amounts and feerates', () => {
    const scenario = fc.tuple(anyType, anyType).chain(([type, change]) =>
      fc.record({
        candidates: anyCoins(type),
        change: fc.constant({ scriptType: change, scriptPubKey: scriptOf(change, true, 500) }),
        feeRate: anyRate,
        recipients: fc.array(
          fc.record({ scriptPubKey: fc.constantFrom(PAYEE, TAPROOT_PAYEE), amountSats: fc.bigInt(600n, 1_500_000n) }),
          { minLength: 1, maxLength: 4 },
        ),
        seed: fc.nat(),
        rbf: fc.boolean(),
        order: fc.constantFrom('shuffle' as const, 'bip69' as const),
      }),
    );
    let planned = 0;
    fc.assert(
      fc.property(scenario, (fields) => {
        const asked = request(fields);
        let plan: PaymentPlan;
        try {
          plan = planOf(asked);
        } catch (error) {
          expect(error).toMatchObject({ code: 'insufficient_funds', details: { field: 'recipients' } });
          // Refused only where all coins with their inputs paid could not do it either, but for rounding.
          const value = total(asked.candidates) - total(asked.recipients as readonly { amountSats: bigint }[]);
          expect(value).toBeLessThan(feeFor(asked.feeRate, 160 * asked.candidates.length + 11 + 43 * 5));
          return;
        }
        planned++;
        checkPlan(plan, asked);
        for (const [index, recipient] of asked.recipients.entries())
          expect(paid(plan, index)).toBe(recipient.amountSats);
        // What is not paid or change is fee: never more than doing without change is worth.
        if (plan.changeIndex === null) {
          const excess = plan.feeSats - feeFor(asked.feeRate, plan.vsize);
          expect(excess).toBeLessThanOrEqual(feeFor(asked.feeRate, 43) + feeFor(rate(10), 230));
        } else expect(plan.feeSats).toBe(feeFor(asked.feeRate, plan.vsize));
      }),
      { numRuns: 120 },
    );
    expect(planned).toBeGreaterThan(50);
  });

  it('takes the fee from those who pay it, who never get more than asked', () => {
    const scenario = anyType.chain((type) =>
      fc.record({
        type: fc.constant(type),
        candidates: anyCoins(type),
        feeRate: anyRate,
        amounts: fc.array(fc.bigInt(5000n, 1_000_000n), { minLength: 1, maxLength: 4 }),
        payers: fc.uniqueArray(fc.nat(3), { minLength: 1 }),
        seed: fc.nat(),
      }),
    );
    let planned = 0;
    fc.assert(
      fc.property(scenario, ({ amounts, payers, ...fields }) => {
        const subtractFeeFrom = payers.filter((index) => index < amounts.length);
        if (subtractFeeFrom.length === 0) return;
        const recipients = amounts.map((amountSats) => ({ scriptPubKey: PAYEE, amountSats }));
        const asked = request({ ...fields, recipients, subtractFeeFrom });
        let plan: PaymentPlan;
        try {
          plan = planOf(asked);
        } catch (error) {
          expect(['insufficient_funds', 'amount_too_small_for_fee']).toContain((error as DomainError).code);
          return;
        }
        planned++;
        checkPlan(plan, asked);
        const taken = amounts.map((amount, index) => amount - paid(plan, index)!);
        for (const [index, share] of taken.entries()) {
          if (subtractFeeFrom.includes(index)) expect(share).toBeGreaterThanOrEqual(0n);
          else expect(share).toBe(0n);
        }
        const shares = subtractFeeFrom.map((index) => taken[index]!);
        const [least, most] = [shares.reduce((a, b) => (a < b ? a : b)), shares.reduce((a, b) => (a > b ? a : b))];
        expect(most - least).toBeLessThan(BigInt(subtractFeeFrom.length));
      }),
      { numRuns: 70 },
    );
    expect(planned).toBeGreaterThan(30);
  });

  it('sends all with the amount max: no change, exactly the feerate’s fee', () => {
    fc.assert(
      fc.property(
        anyType,
        fc.array(fc.bigInt(20_000n, COIN), { minLength: 1, maxLength: 30 }),
        anyRate,
        (type, values, feeRate) => {
          const candidates = values.map((value, index) => keyCoin(type, value, index));
          const recipients = [
            { scriptPubKey: TAPROOT_PAYEE, amountSats: 'max' as const },
            { scriptPubKey: PAYEE, amountSats: 1000n },
          ];
          const asked = request({ type, candidates, recipients, feeRate });
          const plan = planOf(asked);
          checkPlan(plan, asked);
          expect(plan.changeIndex).toBeNull();
          expect(plan.feeSats).toBe(feeFor(feeRate, plan.vsize));
          expect(paid(plan, 0)).toBe(total(plan.inputs) - 1000n - plan.feeSats);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('leaves coins out of max that cost more than they hold', () => {
    const [large, dust] = [keyCoin('p2wpkh', COIN, 1), keyCoin('p2wpkh', 300n, 2)];
    const recipients = [{ scriptPubKey: PAYEE, amountSats: 'max' as const }];
    const plan = planOf(request({ candidates: [large, dust], recipients }));
    expect(plan.inputs.map((one) => one.txid)).toEqual([large.txid]);
    expect(refusal(() => planOf(request({ candidates: [dust], recipients })))).toMatchObject({
      code: 'nothing_to_spend',
    });
  });

  it('sends exactly the included coins with max', () => {
    const coins = [1, 2, 3].map((index) => keyCoin('p2tr', COIN, index));
    const recipients = [{ scriptPubKey: PAYEE, amountSats: 'max' as const }];
    const plan = planOf(request({ type: 'p2tr', candidates: coins, include: [coins[1]!], recipients }));
    expect(plan.inputs.map((one) => one.txid)).toEqual([coins[1]!.txid]);
    expect(plan.algorithm).toBe('manual');
  });

  it('lifts unconfirmed ancestors to its feerate, once per ancestor transaction', () => {
    const ancestry = {
      ancestorCount: 1,
      ancestorVsize: 200,
      ancestorFeesSats: 200n,
      descendantCount: 1,
      descendantVsize: 200,
    };
    const parent = keyCoin('p2wpkh', COIN, 1, { confirmations: 0, own: true, ancestry });
    const sibling = keyCoin('p2wpkh', COIN, 2, {
      ...parent,
      vout: 1,
      scriptPubKey: scriptOf('p2wpkh', false, 2),
      index: 2,
    });
    const plan = planOf(
      request({
        candidates: [parent, sibling],
        recipients: [{ scriptPubKey: PAYEE, amountSats: COIN + 1000n }],
        feeRate: rate(10),
      }),
    );
    expect(plan.inputs).toHaveLength(2);
    expect(plan.feeSats).toBe(feeFor(rate(10), plan.vsize) + 2000n - 200n);
  });

  it('asks for the change script once and only when there is change', () => {
    let asked = 0;
    const change = {
      scriptType: 'p2wpkh' as const,
      scriptPubKey: () => {
        asked++;
        return scriptOf('p2wpkh', true, 7);
      },
    };
    const plan = planOf(request({ change }));
    expect(asked).toBe(1);
    expect(plan.outputs[plan.changeIndex!]!.scriptPubKey).toBe(scriptOf('p2wpkh', true, 7));
    planOf(request({ change, recipients: [{ scriptPubKey: PAYEE, amountSats: 'max' }] }));
    expect(() => planOf(request({ change, maxFeeSats: 1n }))).toThrow();
    expect(asked).toBe(1);
  });

  it('signals BIP125 or not, and sets the locktime against fee sniping', () => {
    expect(new Set(planOf(request({ rbf: true })).inputs.map((one) => one.sequence))).toEqual(new Set([0xfffffffd]));
    expect(new Set(planOf(request({ rbf: false })).inputs.map((one) => one.sequence))).toEqual(new Set([0xfffffffe]));
    const locktimes = Array.from({ length: 300 }, (_, seed) => planOf(request({ seed })).locktime);
    expect(locktimes.every((height) => height <= 800_000 && height > 799_900)).toBe(true);
    const earlier = locktimes.filter((height) => height !== 800_000).length;
    expect(earlier).toBeGreaterThan(10);
    expect(earlier).toBeLessThan(70);
    expect(planOf(request({ tip: { height: 800_000, recent: false } })).locktime).toBe(0);
    expect(planOf(request({ tip: { height: 3, recent: true } })).locktime).toBeLessThanOrEqual(3);
  });

  it('orders inputs and outputs by BIP69 or at random', () => {
    const candidates = Array.from({ length: 6 }, (_, index) => keyCoin('p2wpkh', 10_000n, index));
    const recipients = [40_000n, 700n, 900n, 700n].map((amountSats, index) => ({
      scriptPubKey: index === 3 ? '0014'.padEnd(44, '0') : PAYEE,
      amountSats,
    }));
    const sorted = planOf(request({ candidates, recipients, order: 'bip69', feeRate: rate(1) }));
    const ids = sorted.inputs.map((one) => one.txid);
    expect(ids).toEqual([...ids].sort());
    const values = sorted.outputs.map((one) => one.amountSats);
    expect(values).toEqual([...values].sort((a, b) => Number(a - b)));
    expect(sorted.outputs[0]!.scriptPubKey).toBe('0014'.padEnd(44, '0'));
    const orders = new Set(
      Array.from({ length: 30 }, (_, seed) => {
        const plan = planOf(request({ candidates, recipients, seed, feeRate: rate(1) }));
        return plan.outputs.map((one) => one.recipient).join();
      }),
    );
    expect(orders.size).toBeGreaterThan(5);
  });

  it('is the same again with the same randomness', () => {
    const candidates = Array.from({ length: 20 }, (_, index) => keyCoin('p2wpkh', 50_000n, index));
    expect(planOf(request({ candidates }))).toEqual(planOf(request({ candidates })));
  });
});

describe('coin control', () => {
  const [a, b, c] = [1, 2, 3].map((index) => keyCoin('p2wpkh', COIN, index)) as [
    CandidateCoin,
    CandidateCoin,
    CandidateCoin,
  ];
  const inputs = (plan: PaymentPlan): Set<string> => new Set(plan.inputs.map((one) => one.txid));

  it('spends included coins and others only where needed', () => {
    const one = planOf(request({ candidates: [a, b, c], include: [b] }));
    expect(inputs(one)).toEqual(new Set([b.txid]));
    const recipients = [{ scriptPubKey: PAYEE, amountSats: COIN + 5000n }];
    const two = planOf(request({ candidates: [a, b, c], include: [b], recipients }));
    expect(two.inputs).toHaveLength(2);
    expect(inputs(two)).toContain(b.txid);
  });

  it('never spends excluded coins, and says what they hold', () => {
    for (let seed = 0; seed < 10; seed++)
      expect(inputs(planOf(request({ candidates: [a, b, c], exclude: [a, c], seed })))).toEqual(new Set([b.txid]));
    const refused = refusal(() => planOf(request({ candidates: [a], exclude: [a] })));
    expect(refused).toMatchObject({ code: 'insufficient_funds', field: 'recipients' });
    expect(refused.message).toContain('1.00000000 BTC are excluded');
  });

  it.each([
    ['is locked', { locked: true }],
    ['mining reward', { coinbase: true, confirmations: 99 }],
    ['min_conf', { confirmations: 0 }],
  ])('refuses to include a coin that %s', (reason, fields) => {
    const held = { ...a, ...fields };
    expect(refusal(() => planOf(request({ candidates: [held], include: [held] })))).toMatchObject({
      code: 'coin_unavailable',
      field: 'coin_control.include[0]',
      message: expect.stringContaining(reason),
    });
  });

  it('refuses to include what is not there or excluded too', () => {
    expect(refusal(() => planOf(request({ candidates: [a], include: [a, b] })))).toMatchObject({
      code: 'coin_unavailable',
      field: 'coin_control.include[1]',
    });
    expect(refusal(() => planOf(request({ candidates: [a], include: [a], exclude: [a] })))).toMatchObject({
      code: 'coin_unavailable',
    });
  });

  it('spends a coinbase from 100 confirmations on', () => {
    const reward = (confirmations: number) => request({ candidates: [{ ...a, coinbase: true, confirmations }] });
    expect(refusal(() => planOf(reward(99))).message).toContain('mining rewards');
    expect(planOf(reward(100)).inputs).toHaveLength(1);
  });

  it('never spends locked coins', () => {
    const refused = refusal(() => planOf(request({ candidates: [{ ...a, locked: true }] })));
    expect(refused.message).toContain('1.00000000 BTC are locked');
  });
});

describe('refusals', () => {
  it('says how much is missing, and what waits for confirmations', () => {
    const candidates = [keyCoin('p2wpkh', 50_000n, 1), keyCoin('p2wpkh', COIN, 2, { confirmations: 0 })];
    const refused = refusal(() => planOf(request({ candidates })));
    expect(refused).toMatchObject({ code: 'insufficient_funds', field: 'recipients' });
    expect(refused.message).toContain('0.00050000 BTC to spend');
    expect(refused.message).toContain('1.00000000 BTC wait for confirmations');
    const missing = /: ([\d.]+) BTC are missing/.exec(refused.message)![1]!;
    // A coin of what is missing and its own input makes the payment possible.
    const more = keyCoin('p2wpkh', BigInt(missing.replace('.', '')) + feeFor(rate(5), 68), 3);
    expect(planOf(request({ candidates: [...candidates, more] })).inputs).toHaveLength(2);
  });

  it.each([
    [PAYEE, 294n],
    [TAPROOT_PAYEE, 330n],
    [scriptOf('p2pkh', false, 1), 546n],
    [scriptOf('p2sh-p2wpkh', false, 1), 540n],
  ])('names the least amount for %s', (scriptPubKey, least) => {
    const pay = (amountSats: bigint) =>
      planOf(
        request({
          recipients: [
            { scriptPubKey: PAYEE, amountSats: 1000n },
            { scriptPubKey, amountSats },
          ],
        }),
      );
    expect(refusal(() => pay(least - 1n))).toMatchObject({
      code: 'dust',
      field: 'recipients[1].amount',
      message: expect.stringContaining(`0.00000${least}`),
    });
    expect(paid(pay(least), 1)).toBe(least);
  });

  it('keeps to 10,000 sat/vB of its own size where no max_fee is given, whatever its ancestors need', () => {
    const plain = request({ feeRate: rate(10_000) });
    expect(planOf(plain).feeRate).toBeGreaterThanOrEqual(plain.feeRate);
    const ancestry = { ancestorCount: 2, ancestorVsize: 50_000, ancestorFeesSats: 5_000n };
    const unconfirmed = keyCoin('p2wpkh', 100n * COIN, 0, {
      ...{ confirmations: 0, own: true, ancestry: { ...ancestry, descendantCount: 2, descendantVsize: 50_000 } },
    });
    const asked = request({ candidates: [unconfirmed], feeRate: rate(10_000) });
    expect(refusal(() => planOf(asked))).toMatchObject({
      code: 'fee_too_high',
      field: 'max_fee',
      message: expect.stringContaining('10000 sat/vB: give max_fee'),
    });
    expect(planOf({ ...asked, maxFeeSats: 6n * COIN }).feeSats).toBeGreaterThan(5n * COIN - 10_000n);
  });

  it('keeps to max_fee, naming the fee', () => {
    const plan = planOf(request({}));
    expect(planOf(request({ maxFeeSats: plan.feeSats })).feeSats).toBe(plan.feeSats);
    expect(refusal(() => planOf(request({ maxFeeSats: plan.feeSats - 1n })))).toMatchObject({
      code: 'fee_too_high',
      field: 'max_fee',
      message: expect.stringContaining(`0.00000${plan.feeSats}`),
    });
  });

  it('refuses a recipient whose amount cannot pay the fee', () => {
    const recipients = [{ scriptPubKey: PAYEE, amountSats: 1000n }];
    expect(refusal(() => planOf(request({ recipients, subtractFeeFrom: [0], feeRate: rate(100) })))).toMatchObject({
      code: 'amount_too_small_for_fee',
      field: 'recipients[0].amount',
    });
  });

  it.each([
    ['no recipient', { recipients: [] }, 'invalid_value', 'recipients'],
    ['a payer that is not there', { subtractFeeFrom: [1] }, 'invalid_value', 'subtract_fee_from[0]'],
    ['a payer twice', { subtractFeeFrom: [0, 0] }, 'invalid_value', 'subtract_fee_from[1]'],
    [
      'two with max',
      {
        recipients: [
          { scriptPubKey: PAYEE, amountSats: 'max' },
          { scriptPubKey: PAYEE, amountSats: 'max' },
        ],
      },
      'invalid_value',
      'recipients[1].amount',
    ],
    [
      'another payer than max',
      {
        recipients: [
          { scriptPubKey: PAYEE, amountSats: 'max' },
          { scriptPubKey: PAYEE, amountSats: 1000n },
        ],
        subtractFeeFrom: [1],
      },
      'invalid_value',
      'subtract_fee_from[0]',
    ],
    [
      'more than there are',
      { recipients: [{ scriptPubKey: PAYEE, amountSats: 2_100_000_000_000_001n }] },
      'invalid_amount',
      'recipients[0].amount',
    ],
    [
      'a negative amount',
      { recipients: [{ scriptPubKey: PAYEE, amountSats: -1n }] },
      'invalid_amount',
      'recipients[0].amount',
    ],
    [
      'a script that is not relayed',
      { recipients: [{ scriptPubKey: '51', amountSats: 1000n }] },
      'policy_refused',
      'recipients[0].address',
    ],
    ['no coins', { candidates: [] }, 'insufficient_funds', 'recipients'],
  ] as [string, Partial<AskedPayment>, string, string][])('refuses %s', (_, fields, code, field) => {
    expect(refusal(() => planOf(request(fields)))).toMatchObject({ code, field });
  });

  it('refuses what does not fit one transaction', () => {
    const candidates = Array.from({ length: 1600 }, (_, index) =>
      keyCoin('p2wpkh', 10_000n, index % 5, {
        scriptPubKey: scriptOf('p2wpkh', false, 0).slice(0, -4) + index.toString(16).padStart(4, '0'),
      }),
    );
    const recipients = [{ scriptPubKey: PAYEE, amountSats: 15_000_000n }];
    expect(refusal(() => planOf(request({ candidates, recipients, feeRate: rate(1) })))).toMatchObject({
      code: 'too_large',
    });
    const max = [{ scriptPubKey: PAYEE, amountSats: 'max' as const }];
    expect(refusal(() => planOf(request({ candidates, recipients: max, feeRate: rate(1) })))).toMatchObject({
      code: 'too_large',
    });
  });

  it('refuses chains longer than nodes relay', () => {
    const ancestry = {
      ancestorCount: 25,
      ancestorVsize: 5000,
      ancestorFeesSats: 50_000n,
      descendantCount: 1,
      descendantVsize: 200,
    };
    const candidates = [keyCoin('p2wpkh', COIN, 1, { confirmations: 0, own: true, ancestry })];
    expect(refusal(() => planOf(request({ candidates })))).toMatchObject({ code: 'too_many_ancestors' });
    const max = [{ scriptPubKey: PAYEE, amountSats: 'max' as const }];
    expect(refusal(() => planOf(request({ candidates, recipients: max })))).toMatchObject({
      code: 'too_many_ancestors',
    });
  });
});

describe('version 3 parents (TRUC)', () => {
  const ancestry = {
    ancestorCount: 1,
    ancestorVsize: 200,
    ancestorFeesSats: 2000n,
    descendantCount: 1,
    descendantVsize: 200,
  };
  const truc = (index: number, fields: Partial<CandidateCoin> = {}) =>
    keyCoin('p2wpkh', COIN, index, { confirmations: 0, own: true, txVersion: 3, ancestry, ...fields });
  const confirmed = keyCoin('p2wpkh', COIN, 50);
  const unconfirmed = keyCoin('p2wpkh', COIN, 51, { confirmations: 0, own: true, ancestry });

  it('are left alone where other coins pay', () => {
    for (let seed = 0; seed < 10; seed++) {
      const plan = planOf(request({ candidates: [truc(1), confirmed, unconfirmed], seed }));
      expect(plan.version).toBe(2);
      expect(plan.inputs.map((one) => one.txid)).not.toContain(truc(1).txid);
    }
  });

  it('make the child version 3 with at most 1,000 vB', () => {
    const plan = planOf(request({ candidates: [truc(1)] }));
    expect(plan).toMatchObject({ version: 3 });
    expect(plan.vsize).toBeLessThanOrEqual(1000);
  });

  it('go together with confirmed coins, never with unconfirmed ones of another transaction', () => {
    const recipients = [{ scriptPubKey: PAYEE, amountSats: COIN + COIN / 2n }];
    const plan = planOf(request({ candidates: [truc(1), confirmed], recipients }));
    expect(plan.version).toBe(3);
    expect(plan.inputs).toHaveLength(2);
    expect(refusal(() => planOf(request({ candidates: [truc(1), unconfirmed], recipients })))).toMatchObject({
      code: 'insufficient_funds',
    });
    expect(refusal(() => planOf(request({ candidates: [truc(1), truc(2)], recipients })))).toMatchObject({
      code: 'insufficient_funds',
    });
    const [parent, other] = [truc(1), unconfirmed];
    expect(
      refusal(() => planOf(request({ candidates: [parent, other], include: [parent, other], recipients }))),
    ).toMatchObject({ code: 'truc_violation', field: 'coin_control.include' });
  });

  it('cannot have a second child or a grandchild', () => {
    for (const fields of [{ descendantCount: 2 }, { ancestorCount: 2 }]) {
      const candidates = [truc(1, { ancestry: { ...ancestry, ...fields } })];
      expect(() => planOf(request({ candidates }))).toThrow();
      expect(refusal(() => planOf(request({ candidates, include: candidates }))).code).toBe('truc_violation');
    }
  });

  it('keep the child small even from many coins of one script', () => {
    const many = Array.from({ length: 90 }, () => keyCoin('p2wpkh', 100_000n, 9));
    const parent = truc(1);
    const recipients = [{ scriptPubKey: PAYEE, amountSats: COIN + 50_000n }];
    const plan = planOf(request({ candidates: [parent, ...many], include: [parent], recipients }));
    expect(plan.version).toBe(3);
    expect(plan.vsize).toBeLessThanOrEqual(1000);
  });

  it('are searched with only where they, with what else fits beside, may reach the amount, and a few of them at most', () => {
    const rates = { feeRate: rate(5), longTermFeeRate: rate(10), subtractFee: false };
    const confirmed = Array.from({ length: 20 }, (_, index) => keyCoin('p2wpkh', 20_000n, index));
    const parents = Array.from({ length: 40 }, (_, index) => truc(index, { amountSats: 500_000n + BigInt(index) }));
    const coins = [...confirmed, ...parents].map(createPricer(rates));
    const searchedWith = (targetSats: bigint) =>
      spendingVersions(coins, [], { targetSats, fixedVsize: 42, subtractFee: false })
        .slice(1)
        .map((version) => version.coins.find(({ coin }) => coin.txVersion === 3)?.coin.txid);
    // A child of 1,000 vB has room for 14 inputs, for 340 sat each.
    const most = 500_039n + 13n * 20_000n - 14n * 340n;
    expect(searchedWith(most)).toEqual([parents[39]!.txid]);
    expect(searchedWith(most + 1n)).toEqual([]);
    expect(searchedWith(500_000n)).toEqual([39, 38, 37].map((index) => parents[index]!.txid));
  });

  it('pay where only one of them can, whatever others hold in more coins than fit', () => {
    const scattered = Array.from({ length: 10 }, (_, index) => {
      const first = truc(index, { amountSats: COIN / 10n });
      return Array.from({ length: 30 }, (_, vout) => ({ ...first, vout }));
    }).flat();
    const large = truc(1, { amountSats: 2n * COIN });
    const candidates = [...scattered, large];
    for (const amountSats of [(19n * COIN) / 10n, 'max' as const]) {
      const plan = planOf(request({ candidates, recipients: [{ scriptPubKey: PAYEE, amountSats }] }));
      expect(plan).toMatchObject({ version: 3, inputs: [{ txid: large.txid }] });
    }
  });

  it('no longer matter once confirmed', () => {
    expect(planOf(request({ candidates: [truc(1, { confirmations: 1 })] })).version).toBe(2);
  });
});

it('tells whether a search ended at its bound, before every set of the coins was looked at', () => {
  const coins = (count: number) =>
    Array.from({ length: count }, (_, at) => keyCoin('p2wpkh', 100_000n + BigInt((at * 7_919) % 65_537), at));
  const recipients = (sats: bigint) => [{ scriptPubKey: PAYEE, amountSats: sats }];
  const of = (count: number, sats: bigint) =>
    planOf(request({ candidates: coins(count), recipients: recipients(sats) }));
  expect(of(4, 250_000n)).toMatchObject({ bounded: false });
  expect(of(200, 9_000_000n)).toMatchObject({ bounded: true });
  const candidates = coins(4);
  expect(planOf(request({ candidates, include: candidates, recipients: recipients(1_000n) }))).not.toHaveProperty(
    'bounded',
  );
});
