/** BIP322's two transactions: one that nobody can mine commits to the message, the other spends it and so carries the signature. */
import { ByteWriter } from '../blocks/byte-writer.ts';
import { hash256, taggedHash } from '../hashes.ts';
import { displayHash, type Txid } from '../outpoint.ts';

const NOWHERE = '00'.repeat(32);

/** What to_sign's only output pays, and to what: nothing, to nobody. */
export const UNSPENDABLE_SCRIPT = Buffer.of(0x6a);

/** BIP340-tagged hash of the message's bytes (UTF-8 of text). 32 bytes. */
export const messageHash: (message: Uint8Array) => Buffer = taggedHash('BIP0322-signed-message');

/** The transaction whose only output has the address's script; `raw` is its serialization. */
export function toSpend(challenge: Uint8Array, message: Uint8Array): { raw: Buffer; txid: Txid } {
  const scriptSig = Buffer.concat([Buffer.of(0x00, 0x20), messageHash(message)]);
  const raw = new ByteWriter(128 + challenge.length)
    .uint32(0)
    .compactSize(1)
    .hash(NOWHERE)
    .uint32(0xffffffff)
    .prefixed(scriptSig)
    .uint32(0)
    .compactSize(1)
    .int64(0n)
    .prefixed(challenge)
    .uint32(0)
    .done();
  return { raw, txid: displayHash(hash256(raw)) as Txid };
}

/** to_sign with default values for all but the witness, as a simple signature has it. */
export function toSignOfWitness(spends: Txid, witness: readonly Uint8Array[]): Buffer {
  const writer = new ByteWriter(256).uint32(0);
  if (witness.length > 0) writer.uint8(0).uint8(1);
  writer.compactSize(1).hash(spends).uint32(0).compactSize(0).uint32(0);
  writer.compactSize(1).int64(0n).prefixed(UNSPENDABLE_SCRIPT);
  if (witness.length > 0) writer.bytes(serializeWitness(witness));
  return writer.uint32(0).done();
}

/** A witness as BIP144 writes it: how many elements, then each with its length. */
export function serializeWitness(witness: readonly Uint8Array[]): Buffer {
  const writer = new ByteWriter(256).compactSize(witness.length);
  for (const element of witness) writer.prefixed(element);
  return writer.done();
}
