import { internalHash } from '../outpoint.ts';
import { ByteCursor } from './byte-cursor.ts';
import { HEADER_SIZE, parseHeader } from './header.ts';
import { MalformedDataError } from './malformed-data-error.ts';
import { merkleRoot } from './merkle.ts';
import { idHash, type ParsedTransaction, transactionAt } from './transaction.ts';
import { emptyLayout, type ScanVisitor, type TransactionLayout, walkTransaction } from './transaction-layout.ts';

/** The least a transaction takes: one input, one output, both with empty scripts. */
const MIN_TRANSACTION = 60;

export interface BlockVisitor extends ScanVisitor {
  /** A transaction that `input` or `output` wanted; `position` is its place in the block, 0 for the coinbase. */
  match(transaction: ParsedTransaction, position: number): void;
}

/**
 * Steps once over a serialized block, in block order, parsing whole only the transactions that the visitor wants. Answers how many
 * transactions the block has. Throws MalformedDataError; matches before the malformed place have been reported by then.
 */
export function scanBlock(bytes: Uint8Array, visitor: BlockVisitor): number {
  return walkBlock(bytes, visitor, (layout, position) => {
    if (layout.wanted) visitor.match(transactionAt(bytes, layout), position);
  });
}

/** Every transaction of a block, in order. */
export function parseBlockTransactions(bytes: Uint8Array): ParsedTransaction[] {
  const transactions: ParsedTransaction[] = [];
  walkBlock(bytes, null, (layout) => transactions.push(transactionAt(bytes, layout)));
  return transactions;
}

/** Transactions [from, to) of a block, in order, and how many it has. */
export function transactionsBetween(
  bytes: Uint8Array,
  from: number,
  to: number,
): { count: number; transactions: ParsedTransaction[] } {
  const transactions: ParsedTransaction[] = [];
  const count = walkBlock(bytes, null, (layout, position) => {
    if (position >= from && position < to) transactions.push(transactionAt(bytes, layout));
  });
  return { count, transactions };
}

/** Hashes of a block's transactions as its merkle tree has them, in internal order. */
export function transactionHashes(bytes: Uint8Array): Buffer[] {
  const hashes: Buffer[] = [];
  walkBlock(bytes, null, (layout) => hashes.push(idHash(bytes.subarray(layout.start, layout.end), layout)));
  return hashes;
}

/** Sizes as `getblock` tells them: with witnesses, without, and in weight units (BIP141). */
export function blockSizes(bytes: Uint8Array): { size: number; strippedSize: number; weight: number } {
  let strippedSize = bytes.length;
  walkBlock(bytes, null, (layout) => {
    if (layout.hasWitness) strippedSize -= layout.locktimeStart - layout.outputsEnd + 2;
  });
  return { size: bytes.length, strippedSize, weight: strippedSize * 3 + bytes.length };
}

/** Whether the header commits to these very transactions (merkle root, with no pair of equal hashes in its tree). */
export function commitsToTransactions(bytes: Uint8Array): boolean {
  const { root, mutated } = merkleRoot(transactionHashes(bytes));
  return !mutated && root.equals(internalHash(parseHeader(bytes).merkleRoot));
}

/**
 * Height that a coinbase's scriptSig starts with (BIP34), as Bitcoin Core writes it: OP_0 to OP_16, then minimally pushed numbers.
 * null where it starts with something else.
 */
export function coinbaseHeight(scriptSig: Uint8Array): number | null {
  const length = scriptSig[0];
  if (length === undefined) return null;
  if (length === 0) return 0;
  if (length >= 0x51 && length <= 0x60) return length - 0x50;
  if (length > 5 || scriptSig.length < 1 + length) return null;
  if ((scriptSig[length] as number) & 0x80) return null;
  let height = 0;
  for (let i = length; i >= 1; i--) height = height * 256 + (scriptSig[i] as number);
  return height;
}

function walkBlock(
  bytes: Uint8Array,
  visitor: ScanVisitor | null,
  each: (layout: TransactionLayout, position: number) => void,
): number {
  if (bytes.length < HEADER_SIZE) throw new MalformedDataError('the data ends within the block header', bytes.length);
  const cursor = new ByteCursor(bytes, HEADER_SIZE);
  const count = cursor.count(MIN_TRANSACTION, 'the transaction count');
  if (count === 0) throw new MalformedDataError('a block without transactions', HEADER_SIZE);
  const layout = emptyLayout();
  for (let position = 0; position < count; position++) {
    walkTransaction(cursor, visitor, layout);
    each(layout, position);
  }
  if (cursor.remaining > 0) throw new MalformedDataError(`${cursor.remaining} bytes follow the block`, cursor.offset);
  return count;
}
