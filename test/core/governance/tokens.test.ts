import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holderAddress, holderIdIn, isHolderId } from '../../../src/core/governance/holder-address.ts';
import { FIRST_PARAMETERS, parameterRules } from '../../../src/core/governance/parameters.ts';
import { formatTokens, MAX_SUPPLY, parseTokens, tokens, tokensProblem } from '../../../src/core/governance/tokens.ts';

describe('amounts of tokens', () => {
  it('are read back as they were written, up to the largest supply', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: MAX_SUPPLY }), (units) => {
        expect(parseTokens(formatTokens(tokens(units)))).toBe(units);
      }),
    );
    expect(formatTokens(MAX_SUPPLY)).toBe('9007199254740991.00000000');
    expect(formatTokens(tokens(-5n))).toBe('-0.00000005');
  });

  it.each([
    ['9007199254740991.00000001', /at most 9007199254740991/],
    ['1.000000001', /8 decimals/],
    ['-1', /not negative/],
    ['1e3', /exponent/],
    ['', /decimal amount/],
    ['99999999999999999', /decimal amount/],
    ['1,5', /point/],
  ])('%j is none', (text, why) => {
    expect(tokensProblem(text)).toMatch(why);
    expect(() => parseTokens(text)).toThrow(why);
  });
});

describe('the address of an id', () => {
  const base62 = fc.stringMatching(/^[0-9A-Za-z]{22}$/);
  it('names the id and nothing else', () => {
    fc.assert(
      fc.property(fc.constantFrom('usr', 'key'), base62, (prefix, tail) => {
        const id = `${prefix}_${tail}`;
        const address = holderAddress(id);
        expect(address).toMatch(/^gov1[a-z0-9]{49}$/);
        expect([holderIdIn(address), holderIdIn(address.toUpperCase()), isHolderId(id)]).toEqual([id, id, true]);
        const wrong = address.slice(0, -1) + (address.endsWith('q') ? 'p' : 'q');
        expect(holderIdIn(wrong)).toBeNull();
      }),
      { numRuns: 50 },
    );
  });
  it.each([
    'gov1',
    'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
    holderAddress('wal_3mVb1k7Q2xYt9LpRw0Zc5A'),
  ])('%s has none', (address) => expect(holderIdIn(address)).toBeNull());
});

it('the parameters that a DAO begins with are within their bounds, on every network', () => {
  for (const network of ['mainnet', 'testnet4', 'signet', 'regtest'] as const) {
    const rules = parameterRules(network);
    expect(rules.map(({ name }) => name)).toEqual(Object.keys(FIRST_PARAMETERS));
    for (const { name, minimum, maximum, ...rule } of rules) {
      expect(rule.default).toBe(FIRST_PARAMETERS[name]);
      if (minimum === null) expect(rule.type).toBe('boolean');
      else expect(Number(rule.default) >= Number(minimum) && Number(rule.default) <= Number(maximum), name).toBe(true);
    }
  }
});
