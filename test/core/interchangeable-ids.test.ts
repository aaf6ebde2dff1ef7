/** Two ids that are plain strings side by side in a parameter list can be swapped unnoticed: ids are branded there, or named in an object. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../src', import.meta.url));
const ID = String.raw`\b\w*[iI]d\??:\s*string(?:\s*\|\s*null)?`;
const PAIR = new RegExp(String.raw`[(,]\s*${ID},\s*${ID}\b(?!\[)`, 'g');

const pairsIn = (text: string): string[] => [...text.matchAll(PAIR)].map(([pair]) => pair.replace(/\s+/g, ' '));

it.each([
  ['(walletId: string, oracleId: string)', 1],
  ['(\n  a: number,\n  id: string | null,\n  eventId: string,\n)', 1],
  ['(accountId: AccountId, eventId: string)', 0],
  ['({ userId, sessionId }: { userId: string; sessionId: string })', 0],
  ['(id: string, eventIds: string[])', 0],
])('finds pairs in %j: %i', (text, count) => {
  expect(pairsIn(text)).toHaveLength(count);
});

it('no signature takes two', () => {
  const files = globSync('**/*.ts', { cwd: ROOT });
  expect(files.length).toBeGreaterThan(1_000);
  const found = files.flatMap((file) =>
    pairsIn(readFileSync(join(ROOT, file), 'utf8')).map((pair) => `${file}: ${pair}`),
  );
  expect(found).toEqual([]);
});
