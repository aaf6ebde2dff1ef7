import { describe, expect, it } from 'vitest';
import { compactSizeLength } from '../../../src/core/blocks/compact-size.ts';
import { type FeeRate, feeFor, feeRate } from '../../../src/core/fee-rate.ts';
import { dustThreshold, dustThresholdOf } from '../../../src/core/relay-policy/dust.ts';
import { leastFeeRate, replacementFloor } from '../../../src/core/relay-policy/rbf.ts';
import { isStandardOutput, outputKind } from '../../../src/core/relay-policy/standard-scripts.ts';
import { trucProblem } from '../../../src/core/relay-policy/truc.ts';
import type { ScriptType } from '../../../src/core/script-type.ts';
import { inputWeight } from '../../../src/core/transactions/sizing.ts';
import { SINGLE_KEY_TYPES, scriptOf } from '../transactions/keys.ts';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const key = `21${'02'.padEnd(66, '1')}`;

describe('dust', () => {
  it.each([
    ['p2pkh', `76a914${'00'.repeat(20)}88ac`, 546n],
    ['p2sh', `a914${'00'.repeat(20)}87`, 540n],
    ['p2wpkh', `0014${'00'.repeat(20)}`, 294n],
    ['p2wsh', `0020${'00'.repeat(32)}`, 330n],
    ['p2tr', `5120${'00'.repeat(32)}`, 330n],
    ['p2a', '51024e73', 240n],
    ['null-data', '6a0568656c6c6f', 0n],
  ])('%s is dust below Core’s threshold', (kind, script, threshold) => {
    expect(outputKind(hex(script))).toBe(kind);
    expect(dustThreshold(hex(script))).toBe(threshold);
  });

  it('follows the dust relay feerate', () => {
    expect(dustThreshold(hex(`0014${'00'.repeat(20)}`), feeRate(1000n))).toBe(98n);
    expect(dustThreshold(hex(`0014${'00'.repeat(20)}`), feeRate(10_000n))).toBe(980n);
  });

  it('is the same by type as by script', () => {
    for (const type of SINGLE_KEY_TYPES)
      expect(dustThresholdOf(type)).toBe(dustThreshold(hex(scriptOf(type, false, 0))));
    expect(dustThresholdOf('p2wsh')).toBe(330n);
  });
});

describe('standard outputs', () => {
  it.each([
    ['p2pk', `${key}ac`],
    ['p2pk', `41${'04'.padEnd(130, '1')}ac`],
    ['multisig', `51${key}${key}${key}53ae`],
    ['multisig', `52${key}${key}52ae`],
    ['nonstandard', `51${key}${key}${key}${key}54ae`],
    ['nonstandard', `53${key}${key}52ae`],
    ['nonstandard', `51${key}52ae`],
    ['nonstandard', `0010${'00'.repeat(16)}`],
    ['witness-unknown', '52020000'],
    ['witness-unknown', `5110${'00'.repeat(16)}`],
    ['null-data', '6a'],
    ['null-data', `6a4c50${'00'.repeat(80)}`],
    ['nonstandard', '6a4c50'],
    ['nonstandard', '6aac'],
    ['nonstandard', ''],
    ['nonstandard', '51'],
    ['nonstandard', `76a914${'00'.repeat(20)}88`],
  ])('%s: %s', (kind, script) => {
    expect(outputKind(hex(script))).toBe(kind);
    expect(isStandardOutput(hex(script))).toBe(kind !== 'nonstandard');
  });
});

describe('sizes', () => {
  it.each([
    ['p2wpkh', 271],
    ['p2tr', 230],
    ['p2sh-p2wpkh', 363],
    ['p2pkh', 588],
  ] as [ScriptType, number][])('an input of %s weighs %i units', (type, weight) =>
    expect(inputWeight(type)).toBe(weight));

  it('a p2wsh input weighs what is given', () => {
    expect(inputWeight('p2wsh', 417)).toBe(417);
    expect(() => inputWeight('p2wsh')).toThrow(TypeError);
  });

  it.each([
    [0, 1],
    [252, 1],
    [253, 3],
    [65_535, 3],
    [65_536, 5],
  ])('CompactSize of %i takes %i bytes', (value, length) => expect(compactSizeLength(value)).toBe(length));
});

describe('replacement', () => {
  const rate = (satKvb: bigint): FeeRate => feeRate(satKvb);
  const floors = { incrementalRelayFeeRate: rate(100n), minFeeRate: rate(100n) };

  it('pays what it evicts and its own bandwidth (rules 3 and 4)', () => {
    const replaced = { feesSats: 1000n, foreignFeesSats: 0n, count: 2, conflicts: [{ feeSats: 200n, vsize: 200 }] };
    expect(replacementFloor(replaced, 141, floors)).toMatchObject({
      feeSats: 1015n,
      rule: expect.stringContaining('rules 3 and 4'),
    });
  });

  it('has a higher feerate than what it conflicts with (rule 6)', () => {
    const replaced = { feesSats: 1000n, foreignFeesSats: 0n, count: 1, conflicts: [{ feeSats: 1000n, vsize: 100 }] };
    const floor = replacementFloor(replaced, 400, floors);
    expect(floor).toMatchObject({ feeSats: 4001n, rule: expect.stringContaining('rule 6') });
    expect(feeFor(floor.feeRate, 400)).toBeGreaterThanOrEqual(4001n);
  });

  it('keeps the mempool’s minimum', () => {
    const replaced = { feesSats: 10n, foreignFeesSats: 0n, count: 1, conflicts: [{ feeSats: 10n, vsize: 100 }] };
    expect(replacementFloor(replaced, 100, { ...floors, minFeeRate: rate(5000n) })).toMatchObject({ feeSats: 500n });
  });

  it.each([
    [1n, 3],
    [1015n, 141],
    [999_999n, 1234],
  ])('names the least feerate that pays %i sat over %i vB', (fee, vsize) => {
    const least = leastFeeRate(fee, vsize);
    expect(feeFor(least, vsize)).toBeGreaterThanOrEqual(fee);
    expect(feeFor(feeRate(least - 1n), vsize)).toBeLessThan(fee);
  });
});

describe('TRUC (BIP431)', () => {
  const parent = (version: number, ancestorCount = 1, descendantCount = 1, txid = 'aa') => ({
    txid,
    version,
    ancestorCount,
    descendantCount,
  });
  it.each([
    ['version 2 from confirmed coins', 2, 50_000, [], null],
    ['version 2 from version 2', 2, 50_000, [parent(2)], null],
    ['version 2 from version 3', 2, 200, [parent(3)], /only version 3/],
    ['version 3 alone', 3, 10_000, [], null],
    ['version 3 alone, too large', 3, 10_001, [], /10000 vB/],
    ['version 3 child', 3, 1000, [parent(3)], null],
    ['version 3 child, too large', 3, 1001, [parent(3)], /1000 vB/],
    ['version 3 from version 2', 3, 200, [parent(2)], /not of version 3/],
    ['two parents', 3, 200, [parent(3), parent(3, 1, 1, 'bb')], /one unconfirmed parent/],
    ['a grandparent', 3, 200, [parent(3, 2)], /unconfirmed parent itself/],
    ['a sibling', 3, 200, [parent(3, 1, 2)], /already has/],
  ] as const)('%s', (_, version, vsize, parents, problem) => {
    const said = trucProblem(version, vsize, parents);
    if (problem === null) expect(said).toBeNull();
    else expect(said).toMatch(problem);
  });
});
