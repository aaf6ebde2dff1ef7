/** An event's announcement as it is kept, read again. */
import type { Dialect } from '../../core/dlc/dialect.ts';
import { parseAnnouncement, serializeOracleEvent } from '../../core/dlc/messages/announcement.ts';
import { verifyAnnouncement } from '../../core/dlc/oracle/announcements.ts';
import type { OracleAnnouncement } from '../../core/dlc/oracle-event.ts';
import { DomainError } from '../../core/errors.ts';
import type { OracleEventRecord } from '../../store/repositories/oracle-events.ts';

/** Each of them is a signature to verify in an attestation, in the process that answers: contracts have up to 64. */
const MAX_NONCES = 128;

/** Verifying one takes up to half a millisecond, and others are waiting. */
export const SIGNATURES_AT_ONCE = 8;

/** The event must be announced, as all are that are stored by now. */
export const announcementOf = ({ announcement }: Pick<OracleEventRecord, 'announcement'>): OracleAnnouncement =>
  parseAnnouncement(Buffer.from(announcement ?? '', 'hex'));

/** An oracle attests in the dialect in which it announced: the one in which the announcement's signature holds. */
export const dialectOf = (announcement: OracleAnnouncement): Dialect =>
  holds(announcement, 'tagged') ? 'tagged' : 'dlcspecs-vectors';

export const verifiesInAnyDialect = (announcement: OracleAnnouncement): boolean =>
  holds(announcement, 'tagged') || holds(announcement, 'dlcspecs-vectors');

/** Throws `invalid_message` where it is beyond what is verified. */
export function requireBounded({ event }: OracleAnnouncement): void {
  if (event.nonces.length <= MAX_NONCES) return;
  throw new DomainError('invalid_message', `the event has more than ${MAX_NONCES} nonces: no contract has`, {
    field: 'announcement',
  });
}

/** Throws `invalid_signature`, `invalid_message`. */
export function requireSigned(announcement: OracleAnnouncement): void {
  requireBounded(announcement);
  if (holds(announcement, 'tagged')) return;
  throw new DomainError('invalid_signature', "the announcement's signature is not its oracle's", {
    field: 'announcement',
  });
}

const holds = ({ signature, publicKey, event }: OracleAnnouncement, dialect: Dialect): boolean =>
  verifyAnnouncement(signature, publicKey, serializeOracleEvent(event), dialect);
