import { Transaction } from 'bitcoinjs-lib';
import { displayHash, internalHash, type Outpoint, type Txid } from '../outpoint.ts';

export interface UnsignedTransaction {
  readonly version: number;
  readonly locktime: number;
  readonly inputs: readonly (Outpoint & { readonly sequence: number })[];
  /** Scripts in hex. */
  readonly outputs: readonly { readonly scriptPubKey: string; readonly amountSats: bigint }[];
}

const NO_SCRIPT = new Uint8Array(0);

/**
 * The transaction without signatures, inputs and outputs in the given order. Filled directly: bitcoinjs-lib's Psbt takes quadratic time
 * for its inputs, and addInput validates each argument by schema.
 */
export function buildTransaction(plan: UnsignedTransaction): Transaction {
  const transaction = new Transaction();
  transaction.version = plan.version;
  transaction.locktime = plan.locktime;
  transaction.ins = plan.inputs.map(({ txid, vout, sequence }) => ({
    hash: internalHash(txid),
    index: vout,
    script: NO_SCRIPT,
    sequence,
    witness: [],
  }));
  transaction.outs = plan.outputs.map(({ scriptPubKey, amountSats }) => ({
    script: Buffer.from(scriptPubKey, 'hex'),
    value: amountSats,
  }));
  return transaction;
}

/** The txid of a transaction as it stands, in display hex. Final for segwit inputs; for p2pkh and p2sh-p2wpkh signing changes it. */
export function txidOf(transaction: Transaction): Txid {
  return displayHash(transaction.getHash(false)) as Txid;
}
