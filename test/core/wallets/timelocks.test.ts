/** What wallets of scripts with locks wait for, and what their inputs weigh, however many ways there are to spend them. */
import { describe, expect, it } from 'vitest';
import { NUMS_POINT } from '../../../src/core/descriptors/satisfaction-weight.ts';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { openBranch } from '../../../src/core/wallets/descriptor-branch.ts';
import { parseDescriptor } from '../../../src/core/wallets/descriptors.ts';
import { walletModel } from '../../../src/core/wallets/wallet-model.ts';

const key = (at: number): string =>
  Buffer.from(ecc.pointFromScalar(Buffer.alloc(32, at + 1), true) as Uint8Array).toString('hex');
const [a, b, c] = [key(0), key(1), key(2)];
const keys = (count: number, xOnly = false): string =>
  Array.from({ length: count }, (_, at) => key(at).slice(xOnly ? 2 : 0)).join(',');

const WAITS: readonly [string, number, number][] = [
  [`wsh(and_v(v:pk(${a}),older(10)))`, 10, 0],
  [`wsh(and_v(v:pk(${a}),after(800)))`, 0, 800],
  [`wsh(or_d(pk(${a}),and_v(v:pk(${b}),older(10))))`, 0, 0],
  [`wsh(or_i(and_v(v:pk(${a}),after(800)),and_v(v:pk(${b}),older(10))))`, 10, 0],
  [`wsh(or_i(and_v(v:pk(${a}),older(20)),and_v(v:pk(${b}),older(10))))`, 10, 0],
  [`wsh(thresh(2,pk(${a}),s:pk(${b}),sln:older(5)))`, 0, 0],
  [`wsh(and_v(v:multi(5,${keys(12)}),older(10)))`, 10, 0],
  [`wsh(or_i(and_v(v:pk(${a}),older(4194305)),and_v(v:pk(${b}),older(10))))`, 10, 0],
  [`tr(${NUMS_POINT},{and_v(v:pk(${a.slice(2)}),older(9)),and_v(v:pk(${b.slice(2)}),older(7))})`, 7, 0],
  [`tr(${NUMS_POINT},{pk(${a.slice(2)}),and_v(v:pk(${b.slice(2)}),older(7))})`, 0, 0],
  [`tr(${c.slice(2)},and_v(v:pk(${a.slice(2)}),older(9)))`, 0, 0],
];

describe('locks', () => {
  it.each(WAITS)('%s', (descriptor, olderBlocks, afterHeight) => {
    expect(openBranch(descriptor, 'regtest').timelocks()).toEqual({ olderBlocks, afterHeight });
  });

  it('of times are for PSBTs of one’s own', () => {
    for (const lock of ['older(4194305)', 'after(1700000000)'])
      expect(() => openBranch(`wsh(and_v(v:pk(${a}),${lock}))`, 'regtest').timelocks()).toThrow(
        expect.objectContaining({ code: 'signing_unavailable' }),
      );
  });
});

it('an input weighs as many signatures as its leaf wants', () => {
  const weight = (required: number, count: number): number => {
    const { external } = parseDescriptor(`tr(${NUMS_POINT},multi_a(${required},${keys(count, true)}))`, 'regtest');
    return walletModel({ external, internal: null }, 'regtest').inputWeight;
  };
  // A signature of 65 bytes in the place of an empty item.
  expect(weight(6, 14) - weight(5, 14)).toBe(65);
  expect(weight(5, 14)).toBeGreaterThan(4 * 41 + 5 * 66 + 14 * 34);
});
