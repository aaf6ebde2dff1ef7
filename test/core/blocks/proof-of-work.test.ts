import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requiredBits, retargeted, type TimedBits } from '../../../src/core/blocks/difficulty.ts';
import { parseHeader } from '../../../src/core/blocks/header.ts';
import {
  decodeCompact,
  difficultyOf,
  encodeCompact,
  POW_LIMIT,
  workOf,
  workProblem,
} from '../../../src/core/blocks/proof-of-work.ts';
import { GENESIS, SECOND, THIRD } from './known-headers.ts';

describe('compact targets', () => {
  // Bitcoin Core's src/test/arith_uint256_tests.cpp, bignum_SetCompact.
  it.each([
    [0x00000000, '0', false, false, 0],
    [0x00123456, '0', false, false, 0],
    [0x01003456, '0', false, false, 0],
    [0x02000056, '0', false, false, 0],
    [0x03000000, '0', false, false, 0],
    [0x04000000, '0', false, false, 0],
    [0x00923456, '0', false, false, 0],
    [0x01803456, '0', false, false, 0],
    [0x02800056, '0', false, false, 0],
    [0x03800000, '0', false, false, 0],
    [0x04800000, '0', false, false, 0],
    [0x01123456, '12', false, false, 0x01120000],
    [0x01fedcba, '7e', true, false, 0x017e0000],
    [0x02123456, '1234', false, false, 0x02123400],
    [0x03123456, '123456', false, false, 0x03123456],
    [0x04123456, '12345600', false, false, 0x04123456],
    [0x04923456, '12345600', true, false, 0x04123456],
    [0x05009234, '92340000', false, false, 0x05009234],
    [0x20123456, `123456${'00'.repeat(29)}`, false, false, 0x20123456],
  ])('%i means 0x%s (negative %s, overflow %s)', (bits, hex, negative, overflow, again) => {
    expect(decodeCompact(bits)).toEqual({ target: BigInt(`0x${hex}`), negative, overflow });
    expect(encodeCompact(BigInt(`0x${hex}`))).toBe(again);
  });

  it('tell what overflows 256 bits, at the very edge', () => {
    expect(decodeCompact(0xff123456).overflow).toBe(true);
    expect(decodeCompact(0x21010000).overflow).toBe(true);
    expect(decodeCompact(0x2100ffff).overflow).toBe(false);
    expect(decodeCompact(0x220000ff).overflow).toBe(false);
    expect(decodeCompact(0x22000100).overflow).toBe(true);
    expect(decodeCompact(0x23000001).overflow).toBe(true);
  });

  it('come back from any target with its 15 highest bits at least, and never above it', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, (1n << 255n) - 1n), (target) => {
        const again = decodeCompact(encodeCompact(target));
        expect(again.negative || again.overflow).toBe(false);
        expect(again.target <= target && (target - again.target) << 15n <= target).toBe(true);
        expect(encodeCompact(again.target)).toBe(encodeCompact(target));
      }),
    );
    expect(encodeCompact(0x80n)).toBe(0x02008000);
  });

  it('of the networks are those of their first blocks', () => {
    expect(encodeCompact(POW_LIMIT.mainnet)).toBe(0x1d00ffff);
    expect(encodeCompact(POW_LIMIT.testnet4)).toBe(0x1d00ffff);
    expect(encodeCompact(POW_LIMIT.signet)).toBe(0x1e0377ae);
    expect(encodeCompact(POW_LIMIT.regtest)).toBe(0x207fffff);
  });
});

describe('work', () => {
  it.each([GENESIS, SECOND, THIRD])('of a known header suffices, and of that with another nonce does not', (hex) => {
    const bytes = Buffer.from(hex, 'hex');
    expect(workProblem(parseHeader(bytes), 'mainnet')).toBeNull();
    bytes.writeUInt32LE(bytes.readUInt32LE(76) + 1, 76);
    expect(workProblem(parseHeader(bytes), 'mainnet')).toBe('high-hash');
  });

  it('is refused for bits that no network could state, each for its own reason', () => {
    const with_ = (bits: number) => workProblem({ hash: '00'.repeat(32), bits }, 'mainnet');
    expect(with_(0x1d80ffff)).toBe('bits-negative');
    expect(with_(0xff123456)).toBe('bits-overflow');
    expect(with_(0x1d000000)).toBe('bits-zero');
    expect(with_(0x1d010000)).toBe('bits-above-limit');
    expect(with_(0x207fffff)).toBe('bits-above-limit');
    expect(workProblem({ hash: '00'.repeat(32), bits: 0x207fffff }, 'regtest')).toBeNull();
  });

  it('is what getblockchaininfo says of the first block', () => {
    expect(workOf(0x1d00ffff)).toBe(0x100010001n);
    expect(workOf(0x207fffff)).toBe(2n);
    expect(workOf(0x1d80ffff)).toBe(0n);
    expect(difficultyOf(0x1d00ffff)).toBe('1.00000000');
    // Block 32256, the first after a retarget: getblock says 1.182899534312841.
    expect(difficultyOf(0x1d00d86a)).toBe('1.18289953');
  });
});

describe('required bits', () => {
  // Bitcoin Core's src/test/pow_tests.cpp, get_next_work and its limits.
  it.each([
    ['an ordinary period', 1261130161, 1262152739, 0x1d00ffff, 0x1d00d86a],
    ['the easiest target', 1231006505, 1233061996, 0x1d00ffff, 0x1d00ffff],
    ['a quarter of the time at least', 1279008237, 1279297671, 0x1c05a3f4, 0x1c0168fd],
    ['four times at most', 1263163443, 1269211443, 0x1c387f6f, 0x1d00e1fd],
  ])('after %s', (_, firstTime, lastTime, bits, expected) => {
    expect(retargeted({ time: firstTime, bits }, { time: lastTime, bits }, 'mainnet')).toBe(expected);
  });

  const chain = (of: Record<number, TimedBits>) => (height: number) => of[height] ?? null;

  it('on mainnet stay within a period and change with the next one', () => {
    const at = chain({ 2016: { time: 0, bits: 0x1c05a3f4 }, 4031: { time: 289_434, bits: 0x1c05a3f4 } });
    expect(requiredBits({ height: 4031, time: 9e8 }, chain({ 4030: { time: 0, bits: 7 } }), 'mainnet')).toBe(7);
    expect(requiredBits({ height: 4032, time: 289_500 }, at, 'mainnet')).toBe(0x1c0168fd);
    expect(requiredBits({ height: 4032, time: 1 }, chain({ 4031: { time: 0, bits: 7 } }), 'mainnet')).toBeNull();
    expect(requiredBits({ height: 5, time: 1 }, chain({}), 'mainnet')).toBeNull();
  });

  it("on testnet4 are the easiest after 20 minutes, and the period's own otherwise (BIP94)", () => {
    const [real, easiest] = [0x1c05a3f4, 0x1d00ffff];
    const at = chain({
      2016: { time: 0, bits: real },
      2017: { time: 1_000, bits: real },
      2018: { time: 3_000, bits: easiest },
      2019: { time: 5_000, bits: easiest },
    });
    expect(requiredBits({ height: 2020, time: 6_201 }, at, 'testnet4')).toBe(easiest);
    expect(requiredBits({ height: 2020, time: 6_200 }, at, 'testnet4')).toBe(real);
    const without = chain({ 2018: { time: 3_000, bits: easiest }, 2019: { time: 5_000, bits: easiest } });
    expect(requiredBits({ height: 2020, time: 6_200 }, without, 'testnet4')).toBeNull();
    // The last block of a period may be an easy one: the first tells.
    const period = chain({ 2016: { time: 0, bits: real }, 4031: { time: 14 * 86_400, bits: easiest } });
    expect(requiredBits({ height: 4032, time: 15 * 86_400 }, period, 'testnet4')).toBe(real);
    expect(requiredBits({ height: 4032, time: 15 * 86_400 }, period, 'mainnet')).toBe(easiest);
  });

  it('on regtest never change', () => {
    for (const height of [1, 2015, 2016, 5000])
      expect(requiredBits({ height, time: 2 }, chain({}), 'regtest')).toBe(0x207fffff);
  });
});
