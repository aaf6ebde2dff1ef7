/**
 * A nonce signs once: an oracle that announces two events with one gives its key away as soon as it attests both. What it signed is a
 * fact for every account; only announcements whose signature holds are remembered, so that nobody else can speak ill of it.
 */
import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import { hex } from '../../core/bytes.ts';
import { serializeOracleEvent } from '../../core/dlc/messages/announcement.ts';
import { repeatedNonce } from '../../core/dlc/oracle/repeated-nonces.ts';
import type { OracleAnnouncement } from '../../core/dlc/oracle-event.ts';
import { DomainError } from '../../core/errors.ts';
import type { AnnouncedNonces } from '../../store/repositories/oracle-nonces.ts';
import type { Repositories, Store } from '../../store/store.ts';

export function createRememberedNonces(deps: {
  store: Pick<Store, 'read' | 'write'>;
  clock: () => number;
  log: Pick<Logger, 'error'>;
}) {
  const { store, clock, log } = deps;
  return {
    /** Of a signed announcement, before the job that keeps it: throws `contract_refused` where it has a nonce twice or of another event, and marks the oracle. */
    async require(announcement: OracleAnnouncement) {
      if (repeatedNonce([announcement]) !== null) throw refused('one of its nonces stands in it twice');
      const announced = announcedBy(announcement);
      const nonce = await store.read.oracleNonces.reusedBy(announced);
      if (nonce === null) return;
      const { publicKey } = announced;
      if (await store.write((tx) => tx.oracleNonces.mark(publicKey, nonce, clock()))) {
        log.error({ public_key: publicKey, nonce }, 'an oracle announced two events with one nonce');
      }
      throw refused(REUSED);
    },
    /** Within the job that keeps it. Throws as `require`. */
    async remember(tx: Pick<Repositories, 'oracleNonces'>, announcement: OracleAnnouncement) {
      if ((await tx.oracleNonces.remember(announcedBy(announcement))) !== null) throw refused(REUSED);
    },
  };
}

export type RememberedNonces = ReturnType<typeof createRememberedNonces>;

const REUSED =
  'its oracle announced another event with one of its nonces before: it is marked, and no contract is made with it';

const refused = (why: string): DomainError =>
  new DomainError('contract_refused', `nonce_reused: ${why}`, { field: 'announcement' });

const announcedBy = ({ publicKey, event }: OracleAnnouncement): AnnouncedNonces => ({
  publicKey: hex(publicKey),
  eventDigest: hash('sha256', serializeOracleEvent(event), 'hex'),
  nonces: event.nonces.map(hex),
});
