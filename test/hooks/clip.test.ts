import { expect, it } from 'vitest';
import { truncated } from '../../src/hooks/input/truncate.ts';

const TEXT = { type: 'string', maxLength: 100 };

it('leaves a text one character too long, with or without the blanks around it', () => {
  for (const long of [
    'a'.repeat(200),
    `${' '.repeat(5_000)}${'a'.repeat(200)}`,
    `${'a'.repeat(60)}${' '.repeat(5_000)}b`,
  ]) {
    const cut = truncated(long, TEXT) as string;
    expect(cut).toHaveLength(101);
    expect(cut.trim()).toHaveLength(101);
  }
});

it('leaves what fits once it is trimmed, and lists one member too long', () => {
  const fits = `${' '.repeat(5_000)}${'a'.repeat(100)} `;
  expect(truncated(fits, TEXT)).toBe(fits);
  expect(truncated([1, 2, 3, 4], { type: 'array', maxItems: 2 })).toEqual([1, 2, 3]);
});
