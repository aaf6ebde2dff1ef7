/** The record of nonces' proofs (oracle/nonce-proofs.ts): beside an announcement, or in the TLV stream of an offer. */
import { MessageReader } from './message-reader.ts';
import { MessageWriter } from './message-writer.ts';

/** Odd, and beyond those that specifications give out: who does not know it passes over it (BOLT 1). */
const NONCE_PROOFS_TYPE = 5_533_201;

/** By position of the announcement: 0 beside one, in an offer among all of its contract info. Signatures of 64 bytes, one for each nonce. */
export type NonceProofs = ReadonlyMap<number, readonly Uint8Array[]>;

export function serializeNonceProofs(proofs: NonceProofs): Uint8Array {
  const body = new MessageWriter();
  body.list16([...proofs], 'nonce_proofs', ([position, signatures]) => {
    body.u16(position, 'nonce_proofs.position');
    body.list16(signatures, 'nonce_proofs.signatures', (signature) => body.fixed(signature, 64, 'signature'));
  });
  return new MessageWriter().record(NONCE_PROOFS_TYPE, body.done()).done();
}

/** A record and nothing else. Throws DlcMessageError. */
export function parseNonceProofs(bytes: Uint8Array): NonceProofs {
  const reader = new MessageReader(bytes, 'nonce proofs');
  const proofs = readProofs(reader);
  reader.done();
  return proofs;
}

/** Those in a TLV stream that has been read (tlv-stream.ts); none where it has no such record. Throws DlcMessageError. */
export function nonceProofsIn(tlvs: Uint8Array): NonceProofs {
  const reader = new MessageReader(tlvs, 'offer');
  while (reader.remaining > 0) {
    const start = reader.offset;
    const type = reader.bigSize('tlvs');
    if (type !== BigInt(NONCE_PROOFS_TYPE)) reader.prefixed('tlvs');
    else {
      reader.offset = start;
      return readProofs(reader);
    }
  }
  return new Map();
}

const readProofs = (reader: MessageReader): NonceProofs =>
  reader.record(
    NONCE_PROOFS_TYPE,
    'nonce_proofs',
    () =>
      new Map(
        reader.items(reader.count16(4, 'announcements'), 'announcements', () => [
          reader.u16('position'),
          reader.items(reader.count16(64, 'signatures'), 'signatures', () => reader.take(64, '')),
        ]),
      ),
  );
