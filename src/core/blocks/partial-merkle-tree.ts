/** BIP37's merkleblock: a header and the part of the merkle tree that proves some of its transactions (Bitcoin Core's src/merkleblock.cpp). */
import { hash256 } from '../hashes.ts';
import { ByteCursor } from './byte-cursor.ts';
import { ByteWriter } from './byte-writer.ts';
import { type BlockHeader, HEADER_SIZE, parseHeader } from './header.ts';
import { MalformedDataError } from './malformed-data-error.ts';
import { isTransaction, levelAbove, MAX_BLOCK_TRANSACTIONS, type MerkleProblem } from './merkle-branch.ts';

interface ProvenMatch {
  /** Internal order. */
  readonly hash: Buffer;
  readonly position: number;
}

export interface ParsedMerkleBlock {
  readonly header: BlockHeader;
  readonly transactionCount: number;
  /** What the tree's root comes to; the proof holds where it is the header's. */
  readonly root: Buffer;
  readonly matches: readonly ProvenMatch[];
  readonly problem: MerkleProblem | null;
}

/** `gettxoutproof`'s bytes: proves the transactions at `positions` of the block with this header and these transaction hashes. */
export function merkleBlock(header: Uint8Array, hashes: readonly Uint8Array[], positions: readonly number[]): Buffer {
  const levels: Buffer[][] = [hashes.map((hash) => Buffer.from(hash))];
  while ((levels.at(-1) as Buffer[]).length > 1) levels.push(levelAbove(levels.at(-1) as Buffer[]));
  const marked = levels.map(() => new Set<number>());
  for (const position of positions) {
    for (const [height, level] of marked.entries()) level.add(Math.floor(position / 2 ** height));
  }
  const bits: boolean[] = [];
  const shown: Buffer[] = [];
  const walk = (height: number, at: number): void => {
    const isParent = (marked[height] as Set<number>).has(at);
    bits.push(isParent);
    if (height === 0 || !isParent) {
      shown.push((levels[height] as Buffer[])[at] as Buffer);
      return;
    }
    walk(height - 1, at * 2);
    if (at * 2 + 1 < (levels[height - 1] as Buffer[]).length) walk(height - 1, at * 2 + 1);
  };
  walk(levels.length - 1, 0);
  const flags = Buffer.alloc(Math.ceil(bits.length / 8));
  for (const [index, bit] of bits.entries())
    if (bit) flags[index >> 3] = (flags[index >> 3] as number) | (1 << (index & 7));
  const writer = new ByteWriter(HEADER_SIZE + 32 * shown.length + 16);
  writer.bytes(header.subarray(0, HEADER_SIZE)).uint32(hashes.length).compactSize(shown.length);
  for (const hash of shown) writer.bytes(hash);
  return writer.prefixed(flags).done();
}

/**
 * Reads such a proof. Throws MalformedDataError where it has another form, or hashes or bits that the tree has no use for. Work is
 * bounded by the bytes given.
 */
export function parseMerkleBlock(bytes: Uint8Array): ParsedMerkleBlock {
  const header = parseHeader(bytes);
  const cursor = new ByteCursor(bytes, HEADER_SIZE);
  const transactionCount = cursor.uint32('the transaction count');
  const hashCount = cursor.count(32, 'the hash count');
  const hashes = Array.from({ length: hashCount }, () => cursor.take(32, 'a hash'));
  const flags = cursor.take(cursor.count(1, "the flags' length"), 'the flags');
  if (cursor.remaining > 0) throw malformed(`${cursor.remaining} bytes follow the proof`, cursor.offset);
  if (transactionCount === 0 || transactionCount > MAX_BLOCK_TRANSACTIONS)
    throw malformed(`a block has 1 to ${MAX_BLOCK_TRANSACTIONS} transactions, not ${transactionCount}`, HEADER_SIZE);
  if (hashCount === 0 || hashCount > transactionCount)
    throw malformed('there are more hashes than transactions', HEADER_SIZE + 4);
  if (flags.length * 8 < hashCount) throw malformed('there are fewer flags than hashes', HEADER_SIZE + 4);

  const widthAt = (height: number): number => Math.ceil(transactionCount / 2 ** height);
  let top = 0;
  while (widthAt(top) > 1) top++;
  const matches: ProvenMatch[] = [];
  let problem: MerkleProblem | null = null;
  let bitsUsed = 0;
  let hashesUsed = 0;
  const walk = (height: number, at: number): Buffer => {
    if (bitsUsed >= flags.length * 8) throw malformed('the flags end too soon', bytes.length);
    const isParent = ((flags[bitsUsed >> 3] as number) >> (bitsUsed & 7)) & 1;
    bitsUsed++;
    if (height === 0 || !isParent) {
      const hash = hashes[hashesUsed++];
      if (hash === undefined) throw malformed('the hashes end too soon', bytes.length);
      if (height === 0 && isParent) matches.push({ hash: Buffer.from(hash), position: at });
      return Buffer.from(hash);
    }
    const left = walk(height - 1, at * 2);
    const hasRight = at * 2 + 1 < widthAt(height - 1);
    const right = hasRight ? walk(height - 1, at * 2 + 1) : left;
    if (hasRight && left.equals(right)) problem ??= 'equal-siblings';
    const node = Buffer.concat([left, right]);
    if (isTransaction(node)) problem ??= 'node-is-transaction';
    return hash256(node);
  };
  const root = walk(top, 0);
  if (hashesUsed !== hashCount) throw malformed('there are hashes that the tree does not use', bytes.length);
  if (Math.ceil(bitsUsed / 8) !== flags.length)
    throw malformed('there are flags that the tree does not use', bytes.length);
  return { header, transactionCount, root, matches, problem };
}

const malformed = (what: string, offset: number): MalformedDataError => new MalformedDataError(what, offset);
