import type { ByteCursor } from './byte-cursor.ts';
import { MalformedDataError } from './malformed-data-error.ts';

/** What a scan asks of each transaction as it steps over it. Answer true where the transaction is wanted whole. */
export interface ScanVisitor {
  /** The scriptPubKey of an output: bytes[start, end). Not asked any more once the transaction is wanted. */
  output(bytes: Uint8Array, start: number, end: number): boolean;
  /** The outpoint of an input: bytes[start, start + 36), hash in internal order, then vout. A coinbase's null outpoint included. */
  input(bytes: Uint8Array, start: number): boolean;
}

/** Where the parts of one serialized transaction lie. Refilled for each transaction of a scan. */
export interface TransactionLayout {
  start: number;
  /** Start of the input count: 4 bytes in, or 6 with witnesses (BIP144). */
  inputsStart: number;
  /** End of the outputs, which is where witnesses start if there are any. */
  outputsEnd: number;
  locktimeStart: number;
  end: number;
  inputCount: number;
  hasWitness: boolean;
  wanted: boolean;
}

export const emptyLayout = (): TransactionLayout => ({
  start: 0,
  inputsStart: 0,
  outputsEnd: 0,
  locktimeStart: 0,
  end: 0,
  inputCount: 0,
  hasWitness: false,
  wanted: false,
});

const MIN_INPUT = 41;
const MIN_OUTPUT = 9;

/**
 * Steps over one transaction (BIP144 or the older form), filling `layout`, without making an object of any part of it.
 * Throws MalformedDataError on what Bitcoin Core refuses to deserialize, and on no inputs or no outputs.
 */
export function walkTransaction(cursor: ByteCursor, visitor: ScanVisitor | null, layout: TransactionLayout): void {
  const { bytes } = cursor;
  let wanted = false;
  layout.start = cursor.offset;
  cursor.skip(4, 'the version');
  layout.hasWitness = bytes[cursor.offset] === 0;
  if (layout.hasWitness) {
    cursor.skip(1, 'the witness marker');
    const flag = cursor.uint8('the witness flag');
    if (flag !== 1)
      throw new MalformedDataError('a transaction without inputs, or an unknown witness flag', cursor.offset - 1);
  }
  layout.inputsStart = cursor.offset;
  const inputs = cursor.count(MIN_INPUT, 'the input count');
  if (inputs === 0) throw new MalformedDataError('a transaction without inputs', layout.inputsStart);
  layout.inputCount = inputs;
  for (let i = 0; i < inputs; i++) {
    const start = cursor.skip(36, 'an outpoint');
    if (visitor !== null && !wanted) wanted = visitor.input(bytes, start);
    cursor.skip(cursor.compactSize("a scriptSig's length"), 'a scriptSig');
    cursor.skip(4, 'a sequence');
  }
  const outputsStart = cursor.offset;
  const outputs = cursor.count(MIN_OUTPUT, 'the output count');
  if (outputs === 0) throw new MalformedDataError('a transaction without outputs', outputsStart);
  for (let i = 0; i < outputs; i++) {
    cursor.skip(8, 'an amount');
    const length = cursor.compactSize("a scriptPubKey's length");
    const start = cursor.skip(length, 'a scriptPubKey');
    if (visitor !== null && !wanted) wanted = visitor.output(bytes, start, start + length);
  }
  layout.outputsEnd = cursor.offset;
  if (layout.hasWitness) walkWitnesses(cursor, inputs);
  layout.locktimeStart = cursor.skip(4, 'the locktime');
  layout.end = cursor.offset;
  layout.wanted = wanted;
}

function walkWitnesses(cursor: ByteCursor, inputs: number): void {
  const start = cursor.offset;
  let any = false;
  for (let i = 0; i < inputs; i++) {
    const items = cursor.count(1, 'the witness item count');
    if (items > 0) any = true;
    for (let j = 0; j < items; j++) cursor.skip(cursor.compactSize("a witness item's length"), 'a witness item');
  }
  if (!any) throw new MalformedDataError('a witness section in which every witness is empty', start);
}
