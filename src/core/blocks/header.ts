import { hash256 } from '../hashes.ts';
import { type BlockHash, displayHash } from '../outpoint.ts';
import { readUint32 } from './byte-cursor.ts';
import { ByteWriter } from './byte-writer.ts';
import { MalformedDataError } from './malformed-data-error.ts';
import { decodeCompact } from './proof-of-work.ts';

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

/** The 80 bytes that parseHeader reads. */
export function serializeHeader(header: Omit<BlockHeader, 'hash'>): Buffer {
  const { version, prevHash, merkleRoot, time, bits, nonce } = header;
  return new ByteWriter(HEADER_SIZE)
    .uint32(version)
    .hash(prevHash)
    .hash(merkleRoot)
    .uint32(time)
    .uint32(bits)
    .uint32(nonce)
    .done();
}

/** The target that compact `bits` stand for; null where they are negative, zero or too large (they can be met by no hash). */
export function targetOf(bits: number): bigint | null {
  const { target, negative, overflow } = decodeCompact(bits);
  return negative || overflow || target === 0n ? null : target;
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
