import { describe, expect, it } from 'vitest';
import { closestName } from '../../src/core/closest-name.ts';
import { leastRatio } from '../builders/worst/thread-cpu.ts';

const FIELDS = ['recipients', 'fee_rate', 'rbf', 'wallet_id', 'max_fee', 'signing-keys', 'tags', 'name'];

describe('the name that was probably meant', () => {
  it.each([
    ['rbf', 'rbf'],
    ['feeRate', 'fee_rate'],
    ['Fee-Rate', 'fee_rate'],
    ['recipient', 'recipients'],
    ['recipeints', 'recipients'],
    ['resipiants', 'recipients'],
    ['tgas', 'tags'],
    ['signing', 'signing-keys'],
    ['tag', 'tags'],
  ])('by %s is %s', (given, meant) => expect(closestName(given, FIELDS)).toBe(meant));

  it.each([
    ['page'],
    ['to'],
    ['nmf'],
    ['resapiants-x'],
    ['r'],
    [''],
    ['a'.repeat(100)],
  ])('by %s is none of them', (given) => expect(closestName(given, FIELDS)).toBeNull());

  it('is the nearest', () => expect(closestName('wallet', ['ballet', 'wallets', 'pallets'])).toBe('wallets'));

  it('is looked for among a thousand names within milliseconds, however long what is given', async () => {
    const names = Array.from({ length: 1_000 }, (_, i) => `${'ab'.repeat(30)}${i}`);
    const look = () => ['ba'.repeat(32), 'x'.repeat(1_000_000)].map((given) => closestName(given, names));
    expect(await leastRatio(look, 1)).toBeLessThan(1);
  });
});
