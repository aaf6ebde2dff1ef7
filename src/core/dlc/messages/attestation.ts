/** Attestations (dlcspecs Messaging.md, Oracle.md): a TLV record of type 55400, the same in both dialects. */
import type { Dialect } from '../dialect.ts';
import type { OracleAttestation } from '../oracle-event.ts';
import { MessageReader } from './message-reader.ts';
import { MessageWriter, refusal } from './message-writer.ts';

export const ATTESTATION_TYPE = 55400;

/**
 * A record of type 55400 and nothing else. Messaging.md (`dlcspecs-vectors`) puts no count before the outcomes, being as many as the
 * signatures; dlcdevkit and rust-dlc (`tagged`) do. Oracles of both kinds are asked, so the dialect's form is tried first, then the
 * other one: the forms can't be confused unless the first outcome is empty. Throws DlcMessageError, of the dialect's form.
 */
export function parseAttestation(bytes: Uint8Array, dialect: Dialect = 'tagged'): OracleAttestation {
  const counted = dialect === 'tagged';
  try {
    return parseForm(bytes, counted);
  } catch (error) {
    try {
      return parseForm(bytes, !counted);
    } catch {
      throw error;
    }
  }
}

export function serializeAttestation(attestation: OracleAttestation, dialect: Dialect = 'tagged'): Uint8Array {
  const { signatures, outcomes } = attestation;
  if (outcomes.length !== signatures.length)
    throw refusal('outcomes', `${outcomes.length} outcomes have ${signatures.length} signatures`);
  const body = new MessageWriter().text(attestation.eventId, 'event_id').fixed(attestation.publicKey, 32, 'public_key');
  body.list16(signatures, 'signatures', (signature) => body.fixed(signature, 64, 'signatures'));
  if (dialect === 'tagged') body.u16(outcomes.length, 'outcomes');
  for (const outcome of outcomes) body.text(outcome, 'outcomes');
  return new MessageWriter().record(ATTESTATION_TYPE, body.done()).done();
}

function parseForm(bytes: Uint8Array, counted: boolean): OracleAttestation {
  const reader = new MessageReader(bytes, 'attestation');
  const attestation = reader.record(ATTESTATION_TYPE, '', () => {
    const eventId = reader.text('event_id');
    const publicKey = reader.xOnlyPoint('public_key');
    const signatures = reader.items(reader.count16(64, 'signatures'), 'signatures', () => reader.take(64, ''));
    const start = reader.offset;
    const count = counted ? reader.count16(1, 'outcomes') : signatures.length;
    if (count !== signatures.length)
      throw reader.problem('outcomes', start, `are ${count}, and the signatures ${signatures.length}`);
    const outcomes = reader.items(count, 'outcomes', () => reader.text(''));
    return { eventId, publicKey, signatures, outcomes };
  });
  reader.done();
  return attestation;
}
