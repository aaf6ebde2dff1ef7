import { hash256 } from '../hashes.ts';
import { displayHash, type Outpoint, type Txid } from '../outpoint.ts';
import { ByteCursor } from './byte-cursor.ts';
import { MalformedDataError } from './malformed-data-error.ts';
import { emptyLayout, type ScanVisitor, type TransactionLayout, walkTransaction } from './transaction-layout.ts';

export interface ParsedInput {
  readonly prev: Outpoint;
  readonly sequence: number;
  readonly scriptSig: Uint8Array;
  readonly witness: readonly Uint8Array[];
}

export interface ParsedOutput {
  readonly amountSats: bigint;
  /** hex */
  readonly scriptPubKey: string;
}

export interface ParsedTransaction {
  readonly txid: Txid;
  readonly version: number;
  readonly locktime: number;
  readonly inputs: readonly ParsedInput[];
  readonly outputs: readonly ParsedOutput[];
  /** The transaction's own bytes, a copy: keeping it keeps no block alive. */
  readonly raw: Uint8Array;
  /** BIP141 */
  readonly weight: number;
  readonly vsize: number;
  readonly coinbase: boolean;
}

/** Parses exactly one transaction. Throws MalformedDataError on truncated, trailing or otherwise malformed bytes. */
export function parseTransaction(raw: Uint8Array): ParsedTransaction {
  const cursor = new ByteCursor(raw);
  const layout = emptyLayout();
  walkTransaction(cursor, null, layout);
  if (cursor.remaining > 0)
    throw new MalformedDataError(`${cursor.remaining} bytes follow the transaction`, cursor.offset);
  return transactionAt(raw, layout);
}

/** BIP141's id of a transaction with its witnesses. */
export const wtxidOf = ({ raw }: Pick<ParsedTransaction, 'raw'>): string => displayHash(hash256(raw));

/**
 * Steps over the transaction at `offset`, asking the visitor about each input and output. Answers where the next one starts, and the
 * transaction whole where the visitor wanted it.
 */
export function scanTransaction(
  bytes: Uint8Array,
  offset: number,
  visitor: ScanVisitor,
): { end: number; transaction: ParsedTransaction | null } {
  const layout = emptyLayout();
  walkTransaction(new ByteCursor(bytes, offset), visitor, layout);
  return { end: layout.end, transaction: layout.wanted ? transactionAt(bytes, layout) : null };
}

/** The transaction that a walk has just laid out. */
export function transactionAt(bytes: Uint8Array, layout: TransactionLayout): ParsedTransaction {
  const raw = Buffer.from(bytes.subarray(layout.start, layout.end));
  const moved = layout.start;
  const cursor = new ByteCursor(raw);
  const version = cursor.uint32('the version');
  cursor.offset = layout.inputsStart - moved;
  const inputs = Array.from({ length: cursor.compactSize('the input count') }, () => readInput(cursor));
  const outputs = Array.from({ length: cursor.compactSize('the output count') }, () => readOutput(cursor));
  if (layout.hasWitness) for (const input of inputs) input.witness = readIdentityFile(cursor);
  const locktime = cursor.uint32('the locktime');
  const size = raw.length;
  const strippedSize = layout.outputsEnd - layout.inputsStart + 8;
  const weight = strippedSize * 3 + size;
  return {
    txid: displayHash(idHash(raw, layout)) as Txid,
    version,
    locktime,
    inputs,
    outputs,
    raw,
    weight,
    vsize: Math.ceil(weight / 4),
    coinbase: inputs.length === 1 && isNullOutpoint((inputs[0] as ParsedInput).prev),
  };
}

/** The hash a merkle tree has for it: of the serialization without witnesses (BIP141's txid, in internal order). */
export function idHash(raw: Uint8Array, layout: TransactionLayout): Buffer {
  if (!layout.hasWitness) return hash256(raw);
  const moved = layout.start;
  const body = layout.outputsEnd - layout.inputsStart;
  const stripped = Buffer.allocUnsafe(body + 8);
  stripped.set(raw.subarray(0, 4), 0);
  stripped.set(raw.subarray(layout.inputsStart - moved, layout.outputsEnd - moved), 4);
  stripped.set(raw.subarray(layout.locktimeStart - moved, layout.locktimeStart - moved + 4), body + 4);
  return hash256(stripped);
}

const NULL_TXID = '0'.repeat(64);
const NULL_VOUT = 0xffffffff;
export const isNullOutpoint = (outpoint: Outpoint): boolean =>
  outpoint.vout === NULL_VOUT && outpoint.txid === NULL_TXID;

interface MutableInput extends ParsedInput {
  witness: readonly Uint8Array[];
}

const NO_WITNESS: readonly Uint8Array[] = [];

function readInput(cursor: ByteCursor): MutableInput {
  const txid = displayHash(cursor.take(32, 'an outpoint')) as Txid;
  const vout = cursor.uint32('an outpoint');
  const scriptSig = cursor.take(cursor.compactSize("a scriptSig's length"), 'a scriptSig');
  return { prev: { txid, vout }, sequence: cursor.uint32('a sequence'), scriptSig, witness: NO_WITNESS };
}

function readOutput(cursor: ByteCursor): ParsedOutput {
  const amountSats = cursor.int64('an amount');
  const script = cursor.take(cursor.compactSize("a scriptPubKey's length"), 'a scriptPubKey') as Buffer;
  return { amountSats, scriptPubKey: script.toString('hex') };
}

function readIdentityFile(cursor: ByteCursor): readonly Uint8Array[] {
  const items = cursor.compactSize('the witness item count');
  if (items === 0) return NO_WITNESS;
  return Array.from({ length: items }, () =>
    cursor.take(cursor.compactSize("a witness item's length"), 'a witness item'),
  );
}
