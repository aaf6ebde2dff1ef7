/** What a payment's fee_rate comes to. */
import { expect, it } from 'vitest';
import { type FeeRate, parseFeeChoice } from '../../../src/core/fee-rate.ts';
import { createChooseFeeRate } from '../../../src/services/fees/choose-fee-rate.ts';

const rate = (satPerKvb: bigint) => satPerKvb as FeeRate;
const choose = createChooseFeeRate({
  estimates: async (targets) => new Map(targets.map((target) => [target, target === 6 ? rate(4_200n) : 'unavailable'])),
  mempool: {
    fees: async () => ({ recommended: { halfHour: rate(100n) }, estimates: { 3: rate(8_000n) } }) as never,
  },
});

it.each([
  ['2.5', 2_500n],
  ['6 blocks', 4_200n],
  ['auto', 8_000n],
])('%s', async (text, expected) => {
  expect(await choose(parseFeeChoice(text))).toBe(expected);
});

it.each([
  ['100000', 'must be at most 10000 sat/vB'],
  ['0 blocks', 'must be 1 to 1008 blocks'],
  ['1009 blocks', 'must be 1 to 1008 blocks'],
  ['1.2345', 'must have at most 3 decimals (sat/vB)'],
  ['soon', 'must be a decimal feerate in sat/vB such as "2.5", a target such as "6 blocks", or "auto"'],
])('%s is refused', (text, message) => {
  expect(() => parseFeeChoice(text)).toThrow(message);
});

it('a target without an estimate is refused, not guessed', async () => {
  await expect(choose(parseFeeChoice('1 block'))).rejects.toMatchObject({
    code: 'no_fee_estimate',
    message: expect.stringContaining('or "auto", which comes to 8 sat/vB now'),
  });
});
