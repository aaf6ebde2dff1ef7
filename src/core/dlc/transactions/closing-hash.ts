import { ByteWriter } from '../../blocks/byte-writer.ts';
import { hash256 } from '../../hashes.ts';
import { SIGHASH_ALL } from '../../scripts/sighash-type.ts';
import type { ContractOutput } from './contract-transaction.ts';
import type { FundingTransaction } from './funding-transaction.ts';

/**
 * What signatures of transactions sign that spend the funding output alone, by their outputs (BIP143, SIGHASH_ALL). All but the outputs'
 * hash is laid out once: a contract has thousands of CETs that differ in nothing else.
 */
export function closingHasher(
  funding: Pick<FundingTransaction, 'txid' | 'vout' | 'amountSats' | 'script'>,
  { version, locktime, sequence }: { readonly version: number; readonly locktime: number; readonly sequence: number },
): (outputs: readonly ContractOutput[]) => Uint8Array {
  const outpoint = new ByteWriter(36).hash(funding.txid).uint32(funding.vout).done();
  const sequences = new ByteWriter(4).uint32(sequence).done();
  const head = new ByteWriter(256).uint32(version).bytes(hash256(outpoint)).bytes(hash256(sequences)).bytes(outpoint);
  head.prefixed(funding.script).int64(funding.amountSats).uint32(sequence);
  const outputsAt = head.done().length;
  const preimage = Buffer.from(head.bytes(new Uint8Array(32)).uint32(locktime).uint32(SIGHASH_ALL).done());
  return (outputs) => {
    const writer = new ByteWriter(128);
    for (const { amountSats, scriptPubKey } of outputs) writer.int64(amountSats).prefixedHex(scriptPubKey);
    preimage.set(hash256(writer.done()), outputsAt);
    return hash256(preimage);
  };
}
