import { expect, it } from 'vitest';
import { HEX } from '../../src/core/bytes.ts';

it('is looked for in megabytes without exhausting the stack', () => {
  const long = 'aB'.repeat(10 * 1024 * 1024);
  expect([long, `${long}0`, `${long}xx`, ''].map((text) => HEX.test(text))).toEqual([true, false, false, true]);
});
