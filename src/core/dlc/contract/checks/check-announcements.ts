import type { Dialect } from '../../dialect.ts';
import type { OfferMessage } from '../../dlc-messages.ts';
import { isSameEvent, noncesOf, serializeOracleEvent } from '../../messages/announcement.ts';
import { verifyAnnouncement } from '../../oracle/announcements.ts';
import { repeatedEvent, repeatedNonce } from '../../oracle/repeated-nonces.ts';
import type { OracleAnnouncement } from '../../oracle-event.ts';
import { announcementsOf } from '../encryption-points.ts';
import type { CheckList } from './check-list.ts';

/** Verifying one takes up to half a millisecond. */
const MAX_ANNOUNCEMENTS = 100;

/**
 * Each announcement by its place among all of the contract info: signed by its oracle, and where one of the event is known, that very one: a
 * counterparty's with other nonces would be opened by nobody, or by the counterparty.
 */
export function checkAnnouncements(
  list: CheckList,
  { contractInfo }: OfferMessage,
  dialect: Dialect,
  known: readonly OracleAnnouncement[],
): void {
  const announcements = contractInfo.cases.flatMap(({ oracleInfo }) => announcementsOf(oracleInfo));
  if (announcements.length > MAX_ANNOUNCEMENTS) {
    list.judge('announcement_signature', `there are ${announcements.length}; ${MAX_ANNOUNCEMENTS} are checked at most`);
    return;
  }
  list.judge(
    'announcement_repeated',
    ...placed(repeatedEvent(announcements), 'it announces an event that stands before'),
  );
  list.judge('nonce_repeated', ...placed(repeatedNonce(announcements), 'one of its nonces stands before'));
  const knownByEvent = new Map(known.map((announcement) => [eventKey(announcement), announcement]));
  for (const [index, announcement] of announcements.entries()) {
    list.judge('announcement_signature', signatureProblem(announcement, dialect), index);
    const same = knownByEvent.get(eventKey(announcement));
    if (!same) list.skip('announcement_unchanged', 'no announcement of the event is known here', index);
    else list.judge('announcement_unchanged', isSameEvent(announcement, same) ? null : CHANGED, index);
  }
}

/** null: passed. */
const placed = (at: number | null, reason: string): [string | null, number?] => (at === null ? [null] : [reason, at]);

const CHANGED = 'the oracle announced the event otherwise: another time, other outcomes or other nonces';

function signatureProblem({ signature, publicKey, event }: OracleAnnouncement, dialect: Dialect): string | null {
  if (event.nonces.length !== noncesOf(event.descriptor))
    return 'it has not one nonce for each signature of its attestation';
  const isSigned = verifyAnnouncement(signature, publicKey, serializeOracleEvent(event), dialect);
  return isSigned ? null : 'the oracle has not signed it';
}

const eventKey = ({ publicKey, event }: OracleAnnouncement): string =>
  `${Buffer.from(publicKey).toString('hex')}:${event.eventId}`;
