import { hex } from '../../bytes.ts';
import type { OracleAnnouncement } from '../oracle-event.ts';

/**
 * The first announcement, by position, that announces an event again which one before it announces, of the same oracle. In a contract
 * what the one opens the other opens too.
 */
export function repeatedEvent(announcements: readonly OracleAnnouncement[]): number | null {
  const seen = new Set<string>();
  for (const [at, { publicKey, event }] of announcements.entries()) {
    const key = `${hex(publicKey)} ${event.eventId}`;
    if (seen.has(key)) return at;
    seen.add(key);
  }
  return null;
}

/**
 * The first announcement, by position, with a nonce that stands before it in the same or in another one, whoever's: points of different
 * outcomes may be one then, and an oracle that signs twice with a nonce gives its key away.
 */
export function repeatedNonce(announcements: readonly OracleAnnouncement[]): number | null {
  const seen = new Set<string>();
  for (const [at, { event }] of announcements.entries()) {
    for (const nonce of event.nonces) {
      const key = hex(nonce);
      if (seen.has(key)) return at;
      seen.add(key);
    }
  }
  return null;
}
