import type { Dialect } from '../dialect.ts';
import { MESSAGE_TYPE, type SignMessage } from '../dlc-messages.ts';
import { readAdaptorSignatures, writeAdaptorSignatures } from './adaptor-signatures.ts';
import { readTlvStream } from './tlv-stream.ts';
import { beginMessage, openMessage } from './wire-message.ts';

/**
 * A sign message and nothing else (dlcspecs Protocol.md, "The `sign_dlc` Message"); the same in both dialects. Byte strings are views of
 * `bytes`; signatures are not looked into. Throws DlcMessageError.
 */
export function parseSign(bytes: Uint8Array, _dialect: Dialect): SignMessage {
  const reader = openMessage(bytes, 'sign', MESSAGE_TYPE.sign);
  const sign: SignMessage = {
    protocolVersion: 1,
    contractId: reader.take(32, 'contract_id'),
    cetAdaptorSignatures: readAdaptorSignatures(reader),
    refundSignature: reader.take(64, 'refund_signature'),
    fundingSignatures: reader.items(reader.count(1, 'funding_signatures'), 'funding_signatures', () =>
      reader.items(reader.count(1, 'witness'), 'witness', () => reader.prefixed('')),
    ),
    tlvs: readTlvStream(reader),
  };
  reader.done();
  return sign;
}

export function serializeSign(sign: SignMessage, _dialect: Dialect): Uint8Array {
  const writer = beginMessage(MESSAGE_TYPE.sign, sign.protocolVersion, sign.cetAdaptorSignatures.length + 4096).fixed(
    sign.contractId,
    32,
    'contract_id',
  );
  return writeAdaptorSignatures(writer, sign.cetAdaptorSignatures)
    .fixed(sign.refundSignature, 64, 'refund_signature')
    .list(sign.fundingSignatures, (witness) => writer.list(witness, (element) => writer.prefixed(element)))
    .bytes(sign.tlvs)
    .done();
}
