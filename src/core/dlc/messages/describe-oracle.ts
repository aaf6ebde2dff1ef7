/** Announcements and attestations as doors present them: snake_case, hex, ISO 8601; a field that a kind does not have is null. */
import { hex } from '../../bytes.ts';
import type { EventDescriptor, OracleAnnouncement, OracleAttestation } from '../oracle-event.ts';

export interface EventDescriptorDescription {
  readonly type: 'enum' | 'digits';
  readonly outcomes: readonly string[] | null;
  readonly base: number | null;
  readonly signed: boolean | null;
  readonly unit: string | null;
  readonly precision: number | null;
  readonly digits: number | null;
}

export interface AnnouncementDescription {
  readonly oracle_public_key: string;
  readonly signature: string;
  readonly event_id: string;
  readonly maturity: string;
  readonly descriptor: EventDescriptorDescription;
  readonly nonces: readonly string[];
}

export interface AttestationDescription {
  readonly oracle_public_key: string;
  readonly event_id: string;
  readonly outcomes: readonly string[];
  readonly signatures: readonly string[];
}

export const describeAnnouncement = ({ signature, publicKey, event }: OracleAnnouncement): AnnouncementDescription => ({
  oracle_public_key: hex(publicKey),
  signature: hex(signature),
  event_id: event.eventId,
  maturity: new Date(event.maturityEpoch * 1000).toISOString(),
  descriptor: describeEventDescriptor(event.descriptor),
  nonces: event.nonces.map(hex),
});

export const describeAttestation = (attestation: OracleAttestation): AttestationDescription => ({
  oracle_public_key: hex(attestation.publicKey),
  event_id: attestation.eventId,
  outcomes: attestation.outcomes,
  signatures: attestation.signatures.map(hex),
});

function describeEventDescriptor(descriptor: EventDescriptor): EventDescriptorDescription {
  if (descriptor.kind === 'enum') {
    const { outcomes } = descriptor;
    return { type: 'enum', outcomes, base: null, signed: null, unit: null, precision: null, digits: null };
  }
  const { base, signed, unit, precision, digits } = descriptor;
  return { type: 'digits', outcomes: null, base, signed, unit, precision, digits };
}
