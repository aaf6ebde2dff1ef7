import { ByteCursor } from '../../blocks/byte-cursor.ts';
import { compactSizeLength } from '../../blocks/compact-size.ts';
import { idHash } from '../../blocks/transaction.ts';
import { emptyLayout, walkTransaction } from '../../blocks/transaction-layout.ts';
import { displayHash, type Txid } from '../../outpoint.ts';

export interface PreviousOutput {
  readonly txid: Txid;
  readonly amountSats: bigint;
  /** hex */
  readonly scriptPubKey: string;
}

/**
 * One output of a serialized transaction, and its txid; null where there is no such output. Steps over all else: a counterparty's
 * previous transactions may have megabytes. Throws MalformedDataError.
 */
export function previousOutput(raw: Uint8Array, vout: number): PreviousOutput | null {
  const cursor = new ByteCursor(raw);
  const layout = emptyLayout();
  let index = 0;
  let found: { readonly start: number; readonly end: number } | null = null;
  const visitor = {
    input: () => false,
    output(_bytes: Uint8Array, start: number, end: number) {
      if (index++ === vout) found = { start, end };
      return false;
    },
  };
  walkTransaction(cursor, visitor, layout);
  if (cursor.remaining > 0) return null;
  return found && { txid: displayHash(idHash(raw, layout)) as Txid, ...outputAt(raw, found) };
}

/** An amount and the script's length stand before the script. */
function outputAt(raw: Uint8Array, { start, end }: { readonly start: number; readonly end: number }) {
  const { buffer, byteOffset, length } = raw;
  const bytes = Buffer.from(buffer, byteOffset, length);
  const amountSats = bytes.readBigInt64LE(start - compactSizeLength(end - start) - 8);
  return { amountSats, scriptPubKey: bytes.toString('hex', start, end) };
}
