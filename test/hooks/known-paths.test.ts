import { describe, expect, it } from 'vitest';
import { KnownPaths } from '../../src/hooks/known-paths.ts';
import { leastRatio } from '../builders/worst/thread-cpu.ts';

const paths = new KnownPaths();
for (const pattern of [
  ...['/docs/browser/signing.js', '/docs/signing'],
  ...['/livez', '/oauth/token', '/api/psbt/v2/decode', '/api/v1/auth/login', '/api/v1/bitcoin/blocks/:height'],
  ...['/api/v1/fees/estimates', '/api/v1/transactions', '/api/v1/transactions/:txid/bump', '/api/v1/wallets'],
  ...['/api/v1/wallets/:wallet_id', '/api/v1/wallets/:wallet_id/addresses', '/api/v1/wallets/:wallet_id/utxos'],
])
  paths.add(pattern, ['GET']);

describe('the path that was probably meant', () => {
  it.each([
    ['/api/v1/wallet', '/api/v1/wallets'],
    ['/api/wallets', '/api/v1/wallets'],
    ['/v1/wallets', '/api/v1/wallets'],
    ['/wallets', '/api/v1/wallets'],
    ['/wallets/', '/api/v1/wallets'],
    ['/api/v2/wallets', '/api/v1/wallets'],
    ['/api/v1/transaction', '/api/v1/transactions'],
    ['/api/v1/transactions/ab/bumps', '/api/v1/transactions/ab/bump'],
    ['/api/v1/psbt/decode', '/api/psbt/v2/decode'],
    ['/api/v1/login', '/api/v1/auth/login'],
    ['/api/v1/block/12', '/api/v1/bitcoin/blocks/12'],
    ['/api/v1/livez', '/livez'],
    ['/docs/signing.md', '/docs/signing'],
    ['/api/v1/wallets.json', '/api/v1/wallets'],
    ['/api/v1/utxos', '/api/v1/wallets/{wallet_id}/utxos'],
    ['/api/v1/wallets//utxos', '/api/v1/wallets/{wallet_id}/utxos'],
    [`/api/v1/wallet/${'a'.repeat(65)}`, '/api/v1/wallets/{wallet_id}'],
  ])('by %s is %s', (asked, meant) => expect(paths.closest(asked)).toBe(meant));

  it.each([
    '/api/v2/xyz',
    '/api/v1/nothing',
    '/favicon.ico',
    '/',
    '/api/v1',
    '/api/v1/tx/ab',
    '/api/v1/wallets/a/b/c',
    `/${'wallets/'.repeat(13)}`,
    `/${'/'.repeat(20_000)}`,
  ])('by %s is none', (asked) => expect(paths.closest(asked)).toBeNull());
});

it('takes milliseconds, not seconds, among as many paths as there are, whatever is asked', async () => {
  const many = new KnownPaths();
  for (let i = 0; i < 300; i++) many.add(`/api/v1/thing-${i % 150}/:id/part-${i}`, ['GET']);
  // A search that grew by the square would take seconds.
  const ratio = await leastRatio(() => many.closest(`/${'thing-1/part-30/'.repeat(6)}`), 10);
  expect(ratio).toBeLessThan(10);
});
