import { Transaction } from 'bitcoinjs-lib';

/** A copy of a serialized transaction in which input `index`, which is there, has this witness. */
export function attachWitness(raw: Uint8Array, index: number, witness: readonly Uint8Array[]): Uint8Array {
  const transaction = Transaction.fromBuffer(Buffer.from(raw));
  transaction.setWitness(index, [...witness]);
  return transaction.toBuffer();
}
