import { expect, it } from 'vitest';
import { createBatchSizer } from '../../../src/chain/bitcoind/batch-sizer.ts';

it('asks for more small items and fewer large ones, growing at most fourfold', () => {
  const sizer = createBatchSizer(1_000_000, 500);
  expect(sizer.next()).toBe(8);
  sizer.observed(8, 800);
  expect(sizer.next()).toBe(32);
  sizer.observed(32, 3_200);
  sizer.observed(128, 12_800);
  expect(sizer.next()).toBe(500);
  sizer.observed(500, 500 * 400_000);
  expect(sizer.next()).toBe(2);
  sizer.observed(2, 8_000_000);
  expect(sizer.next()).toBe(1);
});
