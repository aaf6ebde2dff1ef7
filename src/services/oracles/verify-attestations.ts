/** Attestations against an announcement, whoever sent them: nothing is asked but what they say. */
import { parseAnnouncement } from '../../core/dlc/messages/announcement.ts';
import { parseAttestation } from '../../core/dlc/messages/attestation.ts';
import { attestationProblem, equivocation } from '../../core/dlc/oracle/attestations.ts';
import type { OracleAnnouncement, OracleAttestation } from '../../core/dlc/oracle-event.ts';
import { DomainError } from '../../core/errors.ts';
import type { AttestationVerification } from './oracle-service.ts';
import { ATTESTATION_PROBLEMS } from './store-attestation.ts';
import { dialectOf, requireBounded, verifiesInAnyDialect } from './stored-announcement.ts';

/** Some 0.3 ms for each signature. Throws `invalid_message` (announcement, attestations[0]). */
export function verifyAttestations(
  announcementBytes: Uint8Array,
  attestations: readonly Uint8Array[],
): AttestationVerification {
  const announcement = parsedAnnouncement(announcementBytes);
  requireBounded(announcement);
  const dialect = dialectOf(announcement);
  const judged = attestations.map((bytes, at) => {
    const attestation = parsedAttestation(bytes, `attestations[${at}]`);
    const problem = attestationProblem(attestation, announcement, dialect);
    return { attestation, reason: problem && ATTESTATION_PROBLEMS[problem] };
  });
  const valid = judged.filter(({ reason }) => reason === null).map(({ attestation }) => attestation);
  return {
    announcement,
    announcementHolds: verifiesInAnyDialect(announcement),
    attestations: judged,
    // They all have the event's nonces: whatever differs from the first was signed with the same nonce.
    equivocation: valid.some((one) => equivocation(valid[0] as OracleAttestation, one).length > 0),
  };
}

export function parsedAttestation(bytes: Uint8Array, field: string): OracleAttestation {
  try {
    return parseAttestation(bytes);
  } catch (error) {
    throw error instanceof DomainError ? error.at(field) : error;
  }
}

function parsedAnnouncement(bytes: Uint8Array): OracleAnnouncement {
  try {
    return parseAnnouncement(bytes);
  } catch (error) {
    throw error instanceof DomainError ? error.at('announcement') : error;
  }
}
