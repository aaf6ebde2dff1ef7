import { type BlockHash, displayHash } from '../outpoint.ts';
import { readUint32 } from './byte-cursor.ts';
import { hash256 } from './hash256.ts';
import { MalformedDataError } from './malformed-data-error.ts';

export const HEADER_SIZE = 80;

export interface BlockHeader {
  readonly version: number;
  readonly prevHash: BlockHash;
  /** Display hex. */
  readonly merkleRoot: string;
  /** Unix seconds. */
  readonly time: number;
  /** The target in its compact form. */
  readonly bits: number;
  readonly nonce: number;
  readonly hash: BlockHash;
}

/** Parses the header that a block (or its first 80 bytes) starts with. Throws MalformedDataError where there are fewer. */
export function parseHeader(bytes: Uint8Array): BlockHeader {
  if (bytes.length < HEADER_SIZE) throw new MalformedDataError('the data ends within the block header', bytes.length);
  return {
    version: readUint32(bytes, 0) | 0,
    prevHash: displayHash(bytes.subarray(4, 36)) as BlockHash,
    merkleRoot: displayHash(bytes.subarray(36, 68)),
    time: readUint32(bytes, 68),
    bits: readUint32(bytes, 72),
    nonce: readUint32(bytes, 76),
    hash: displayHash(hash256(bytes.subarray(0, HEADER_SIZE))) as BlockHash,
  };
}

/** The target that compact `bits` stand for; null where they are negative, zero or too large (they can be met by no hash). */
export function targetOf(bits: number): bigint | null {
  const exponent = bits >>> 24;
  const mantissa = bits & 0x007fffff;
  if ((bits & 0x00800000) !== 0 || mantissa === 0) return null;
  const target =
    exponent <= 3 ? BigInt(mantissa >>> (8 * (3 - exponent))) : BigInt(mantissa) << BigInt(8 * (exponent - 3));
  return target === 0n || target >> 256n !== 0n ? null : target;
}

/** Whether the header's hash meets the target that it states itself. (That this target is the right one is the node's to say.) */
export function meetsTarget(header: Pick<BlockHeader, 'hash' | 'bits'>): boolean {
  const target = targetOf(header.bits);
  return target !== null && BigInt(`0x${header.hash}`) <= target;
}

/** Median of the times of up to eleven blocks, the newest ones (BIP113). */
export function medianTimePast(times: readonly number[]): number {
  if (times.length === 0) throw new RangeError('the median time of no block');
  const sorted = times.slice(-11).sort((a, b) => a - b);
  return sorted[sorted.length >> 1] as number;
}
