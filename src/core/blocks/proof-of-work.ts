/** Targets and work (Bitcoin Core's src/arith_uint256.cpp, src/pow.cpp, src/kernel/chainparams.cpp). */
import type { Network } from '../network.ts';

/** Easiest targets that a network takes. */
export const POW_LIMIT: Readonly<Record<Network, bigint>> = {
  mainnet: BigInt(`0x00000000${'f'.repeat(56)}`),
  testnet4: BigInt(`0x00000000${'f'.repeat(56)}`),
  signet: BigInt(`0x00000377ae${'0'.repeat(54)}`),
  regtest: BigInt(`0x7f${'f'.repeat(62)}`),
};

/** A base-256 floating-point number: one byte of length, three of mantissa, whose highest bit is the sign. */
export function decodeCompact(bits: number) {
  const size = bits >>> 24;
  const mantissa = bits & 0x007fffff;
  const word = size <= 3 ? mantissa >>> (8 * (3 - size)) : mantissa;
  const target = size <= 3 ? BigInt(word) : BigInt.asUintN(256, BigInt(word) << BigInt(8 * (size - 3)));
  return {
    /** 256 bits; what lies above them is cut off, as Core does where it overflows. */
    target,
    negative: word !== 0 && (bits & 0x00800000) !== 0,
    overflow: word !== 0 && (size > 34 || (word > 0xff && size > 33) || (word > 0xffff && size > 32)),
  };
}

/** The compact form of a target; what the mantissa cannot hold is cut off. */
export function encodeCompact(target: bigint): number {
  let size = Math.ceil(target.toString(2).length / 8);
  if (target === 0n) size = 0;
  let mantissa =
    size <= 3 ? Number(target << BigInt(8 * (3 - size))) : Number(BigInt.asUintN(32, target >> BigInt(8 * (size - 3))));
  // The sign's bit must stay free.
  if (mantissa & 0x00800000) {
    mantissa >>>= 8;
    size++;
  }
  return (mantissa | (size << 24)) >>> 0;
}

export type WorkProblem = 'bits-negative' | 'bits-overflow' | 'bits-zero' | 'bits-above-limit' | 'high-hash';

/** Why a header's hash is not enough work for the bits it states, or these are none of the network's; null where all is well. */
export function workProblem(header: { hash: string; bits: number }, network: Network): WorkProblem | null {
  const { target, negative, overflow } = decodeCompact(header.bits);
  if (negative) return 'bits-negative';
  if (overflow) return 'bits-overflow';
  if (target === 0n) return 'bits-zero';
  if (target > POW_LIMIT[network]) return 'bits-above-limit';
  return BigInt(`0x${header.hash}`) > target ? 'high-hash' : null;
}

/** Hashes that are expected to be tried for one that meets the bits: 2^256 / (target + 1). 0 where no hash can. */
export function workOf(bits: number): bigint {
  const { target, negative, overflow } = decodeCompact(bits);
  return negative || overflow || target === 0n ? 0n : (1n << 256n) / (target + 1n);
}

const ONE = decodeCompact(0x1d00ffff).target;
const DECIMALS = 8;

/** How many times harder than the easiest mainnet target, as a decimal with 8 places, rounded down. */
export function difficultyOf(bits: number): string {
  const { target } = decodeCompact(bits);
  if (target === 0n) return '0.00000000';
  const scaled = ((ONE * 10n ** BigInt(DECIMALS)) / target).toString().padStart(DECIMALS + 1, '0');
  return `${scaled.slice(0, -DECIMALS)}.${scaled.slice(-DECIMALS)}`;
}
