import { expect, it } from 'vitest';
import { createLru } from '../../src/core/lru.ts';

it('lets go of the value that was used longest ago', () => {
  const lru = createLru<string, number>(2);
  lru.set('a', 1);
  lru.set('b', 2);
  expect(lru.get('a')).toBe(1);
  expect(lru.set('c', 3)).toBe(3);
  expect(['a', 'b', 'c'].map(lru.get)).toEqual([1, undefined, 3]);
  lru.delete('a');
  expect(lru.get('a')).toBeUndefined();
});
