import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson, satsFromBtc, scaledInteger } from '../../src/chain/exact-json.ts';
import { formatBtc, MAX_SATS } from '../../src/core/amount.ts';

describe('amounts in JSON', () => {
  it('keeps fractions as the text they were written in', () => {
    expect(parseExactJson('{"a":0.10000000,"b":[1.5e-8],"c":21000000.00000001}')).toEqual({
      a: '0.10000000',
      b: ['1.5e-8'],
      c: '21000000.00000001',
    });
  });

  it('leaves integers, strings, null and booleans alone', () => {
    const value = { a: 3, b: '0.5', c: null, d: [true, -1], e: {} };
    expect(parseExactJson(JSON.stringify(value))).toEqual(value);
  });

  it('keeps integers beyond 2^53 as text', () => {
    expect(parseExactJson('[9007199254740993]')).toEqual(['9007199254740993']);
  });

  it('carries every amount there is from JSON to satoshis', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: MAX_SATS }), (amount) => {
        const { value } = parseExactJson(`{"value":${formatBtc(amount)}}`) as { value: string | number };
        expect(satsFromBtc(value)).toBe(amount);
      }),
    );
  });

  it.each([
    ['0.1', 8, 10_000_000n],
    ['50', 8, 5_000_000_000n],
    [50, 8, 5_000_000_000n],
    ['1e-8', 8, 1n],
    ['1.23E+2', 3, 123_000n],
    ['-0.00000001', 8, -1n],
    ['87.882', 3, 87_882n],
  ])('reads %s at scale %i as %s', (decimal, scale, expected) => {
    expect(scaledInteger(decimal, scale)).toBe(expected);
  });

  it('rounds what lies below one unit up, so that no floor is understated', () => {
    expect(scaledInteger('1.0001', 3)).toBe(1001n);
    expect(scaledInteger('1.000', 2)).toBe(100n);
  });

  it.each(['', 'NaN', '1.', '.5', '1,5', '0x10', '--1', 'Infinity'])('refuses %j', (text) => {
    expect(() => scaledInteger(text, 8)).toThrow(TypeError);
  });
});
