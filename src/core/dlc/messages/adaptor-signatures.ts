/** cet_adaptor_signatures in messages: each 162 bytes, proof included (ECDSA-adaptor.md). Kept as one view: there are tens of thousands. */
import { ADAPTOR_SIGNATURE_BYTES } from '../adaptor-signatures/serialization.ts';
import type { MessageReader } from './message-reader.ts';
import { type MessageWriter, refusal } from './message-writer.ts';

export const readAdaptorSignatures = (reader: MessageReader): Uint8Array =>
  reader.take(
    reader.count(ADAPTOR_SIGNATURE_BYTES, 'cet_adaptor_signatures') * ADAPTOR_SIGNATURE_BYTES,
    'cet_adaptor_signatures',
  );

export function writeAdaptorSignatures(writer: MessageWriter, signatures: Uint8Array): MessageWriter {
  if (signatures.length % ADAPTOR_SIGNATURE_BYTES !== 0)
    throw refusal(
      'cet_adaptor_signatures',
      `has ${signatures.length} bytes, which are no whole number of signatures of ${ADAPTOR_SIGNATURE_BYTES}`,
    );
  return writer.bigSize(signatures.length / ADAPTOR_SIGNATURE_BYTES).bytes(signatures);
}
