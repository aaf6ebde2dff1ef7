import { describe, expect, it } from 'vitest';
import { closestName } from '../../src/core/closest-name.ts';

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

  it('is looked for among a thousand names within milliseconds, however long what is given', () => {
    const names = Array.from({ length: 1_000 }, (_, i) => `${'ab'.repeat(30)}${i}`);
    const start = process.cpuUsage();
    for (const given of ['ba'.repeat(32), 'x'.repeat(1_000_000)]) closestName(given, names);
    expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
  });
});
