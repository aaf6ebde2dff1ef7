import { ByteCursor } from '../../blocks/byte-cursor.ts';
import { compactSizeLength } from '../../blocks/compact-size.ts';
import { idHash } from '../../blocks/transaction.ts';
import { emptyLayout, walkTransaction } from '../../blocks/transaction-layout.ts';

/** Where an output lies within its transaction's bytes: its amount's 8 bytes, and its script's [start, end). */
export interface OutputPlace {
  readonly amountAt: number;
  readonly start: number;
  readonly end: number;
}

export type PreviousProblem = 'another transaction' | 'no such output';

/**
 * The output `vout` of a previous transaction (PSBT_IN_NON_WITNESS_UTXO) that an outpoint names by `txid`, in internal order, or what
 * contradicts that. `previous` is one transaction in network serialization; its txid is computed, which is all that proves its amounts.
 */
export function outputOfPrevious(previous: Uint8Array, txid: Uint8Array, vout: number): OutputPlace | PreviousProblem {
  const layout = emptyLayout();
  let at = 0;
  let [start, end] = [-1, -1];
  walkTransaction(
    new ByteCursor(previous),
    {
      input: () => false,
      output: (_, from, to) => {
        if (at++ === vout) [start, end] = [from, to];
        return false;
      },
    },
    layout,
  );
  if (Buffer.compare(idHash(previous, layout), txid) !== 0) return 'another transaction';
  return start < 0 ? 'no such output' : { amountAt: start - compactSizeLength(end - start) - 8, start, end };
}
