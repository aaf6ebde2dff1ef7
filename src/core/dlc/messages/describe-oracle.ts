/** Announcements and attestations as doors present them: snake_case, hex, ISO 8601; a field that a kind does not have is null. */
import { hex } from '../../bytes.ts';
import type { EventDescriptor, OracleAnnouncement, OracleAttestation } from '../oracle-event.ts';

export const describeAnnouncement = ({ signature, publicKey, event }: OracleAnnouncement) => ({
  oracle_public_key: hex(publicKey),
  signature: hex(signature),
  event_id: event.eventId,
  maturity: new Date(event.maturityEpoch * 1000).toISOString(),
  descriptor: describeEventDescriptor(event.descriptor),
  nonces: event.nonces.map(hex),
});

export const describeAttestation = (attestation: OracleAttestation) => ({
  oracle_public_key: hex(attestation.publicKey),
  event_id: attestation.eventId,
  outcomes: attestation.outcomes,
  signatures: attestation.signatures.map(hex),
});

function describeEventDescriptor(descriptor: EventDescriptor) {
  if (descriptor.kind === 'enum') {
    const outcomes = [...descriptor.outcomes];
    return { type: 'enum' as const, outcomes, base: null, signed: null, unit: null, precision: null, digits: null };
  }
  const { base, signed, unit, precision, digits } = descriptor;
  return { type: 'digits' as const, outcomes: null, base, signed, unit, precision, digits };
}
