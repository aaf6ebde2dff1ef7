import { hex } from '../../core/bytes.ts';
import { isSameEvent, parseAnnouncement, serializeAnnouncement } from '../../core/dlc/messages/announcement.ts';
import { parseNonceProofs } from '../../core/dlc/messages/nonce-proofs.ts';
import { nonceProofs } from '../../core/dlc/oracle/nonce-proofs.ts';
import type { OracleAnnouncement } from '../../core/dlc/oracle-event.ts';
import { DomainError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import { inSlices } from '../../scheduling/in-slices.ts';
import type { OracleEventRecord } from '../../store/repositories/oracle-events.ts';
import type { OracleRecord } from '../../store/repositories/oracles.ts';
import type { Repositories } from '../../store/store.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { OracleDependencies } from './oracle-dependencies.ts';
import type { OracleService } from './oracle-service.ts';
import type { OracleQueries } from './querying/query-oracle.ts';
import type { RememberedNonces } from './remembered-nonces.ts';
import { announcementOf, requireSigned, SIGNATURES_AT_ONCE } from './stored-announcement.ts';

type Announcements = Pick<OracleService, 'addAnnouncement' | 'keepAnnouncement' | 'fetchAnnouncement' | 'event'>;

/** Announcements that others made: posted, taken out of an offer, or asked for. */
export function createAnnouncements(
  deps: Pick<OracleDependencies, 'store' | 'clock' | 'randomBytes'> &
    Pick<OracleService, 'resolve'> & { asked: OracleQueries; nonces: RememberedNonces },
): Announcements {
  const { store, clock, randomBytes, asked, nonces } = deps;

  /** Of an oracle that is registered. */
  async function keep(
    tx: Repositories,
    { accountId, oracleId }: OracleRecord,
    { event, ...rest }: OracleAnnouncement,
    learned: Pick<OracleEventRecord, 'proof' | 'knownAt'>,
  ): Promise<OracleEventRecord> {
    await nonces.remember(tx, { event, ...rest });
    const standing = await tx.oracleEvents.find(accountId, oracleId, event.eventId);
    if (standing !== null && isSameEvent(announcementOf(standing), { event, ...rest })) {
      await tx.oracleEvents.learn(accountId, oracleId, event.eventId, learned);
      return (await tx.oracleEvents.find(accountId, oracleId, event.eventId)) as OracleEventRecord;
    }
    if (standing !== null) {
      throw new DomainError(
        'already_exists',
        'another announcement of this event is known: an oracle announces an event once, and what is known stands',
        { field: 'announcement' },
      );
    }
    requireShown(event.descriptor);
    const record: OracleEventRecord = {
      accountId,
      oracleId,
      eventId: event.eventId,
      announcement: hex(serializeAnnouncement({ event, ...rest })),
      ...learned,
      maturityEpoch: event.maturityEpoch,
      descriptor: JSON.stringify(event.descriptor),
      nonces: null,
      committedOutcome: null,
      committedAt: null,
      frozenAt: null,
      createdAt: clock(),
    };
    await tx.oracleEvents.insert(record);
    return record;
  }

  return {
    async addAnnouncement(bytes, context, proof) {
      const announcement = parsed(bytes);
      const oracle = await store.read.oracles.findByPublicKey(context.accountId, hex(announcement.publicKey));
      if (oracle === null) {
        throw new DomainError('not_found', 'its oracle is not registered: register it by its public key first', {
          field: 'announcement',
        });
      }
      requireSigned(announcement);
      await nonces.require(announcement);
      const given = proof === undefined ? null : await provenBy(announcement, proof);
      return store.write(async (tx) => {
        const result = await keep(tx, oracle, announcement, { proof: given, knownAt: clock() });
        await recordRequest(tx, context, { result, target: result.eventId });
        return result;
      });
    },

    async keepAnnouncement(tx, accountId, announcement, proof) {
      const publicKey = hex(announcement.publicKey);
      let oracle = await tx.oracles.findByPublicKey(accountId, publicKey);
      if (oracle === null) {
        const at = clock();
        oracle = {
          oracleId: newId('ora', randomBytes),
          accountId,
          name: publicKey.slice(0, 8),
          externalId: null,
          kind: 'external',
          publicKey,
          url: null,
          secret: null,
          isDefault: false,
          equivocatedAt: null,
          nonceReusedAt: null,
          createdAt: at,
          updatedAt: at,
        };
        await tx.oracles.insert(oracle);
      }
      return { oracle, event: await keep(tx, oracle, announcement, { proof, knownAt: null }) };
    },

    async fetchAnnouncement(accountId, oracle, eventId, context) {
      let standing = await store.read.oracleEvents.find(accountId, oracle.oracleId, eventId);
      let found: Awaited<ReturnType<OracleQueries['announcement']>> = null;
      if (standing === null) {
        found = oracle.url === null ? null : await asked.announcement(oracle, eventId);
        if (found === null) {
          throw new DomainError(
            'announcement_missing',
            oracle.url === null
              ? 'the event is not known here, and its oracle has no URL to ask: post its announcement'
              : 'neither is the event known here, nor does its oracle answer an announcement of it',
            { field: 'event_id' },
          );
        }
        requireSigned(found.announcement);
        await nonces.require(found.announcement);
      }
      if (standing !== null && context === undefined) return standing;
      return store.write(async (tx) => {
        if (found !== null) standing = await keep(tx, oracle, found.announcement, { proof: null, knownAt: clock() });
        const result = standing as OracleEventRecord;
        if (context !== undefined) await recordRequest(tx, context, { result, target: result.eventId });
        return result;
      });
    },

    async event({ oracle, eventId }, { accountId }) {
      const { oracleId } = await deps.resolve(accountId, oracle);
      const event = await store.read.oracleEvents.find(accountId, oracleId, eventId);
      if (event !== null) return event;
      throw new DomainError('not_found', 'no event of this id is known of the oracle', { field: 'event_id' });
    },
  };
}

/** Of an event: so many are parsed and answered within some milliseconds. Numbers are announced by their digits. */
const MAX_OUTCOMES = 5_000;

function requireShown(descriptor: OracleAnnouncement['event']['descriptor']): void {
  if (descriptor.kind !== 'enum' || descriptor.outcomes.length <= MAX_OUTCOMES) return;
  const { length } = descriptor.outcomes;
  throw new DomainError('invalid_message', `it has ${length} outcomes, and ${MAX_OUTCOMES} are taken at most`, {
    field: 'announcement',
  });
}

/** The record as it is kept. Throws `invalid_signature`, `invalid_message` (field proof). */
async function provenBy(announcement: OracleAnnouncement, proof: Uint8Array): Promise<string> {
  try {
    const [only, ...more] = parseNonceProofs(proof);
    const isItsOwn = only?.[0] === 0 && more.length === 0;
    if (isItsOwn && (await inSlices(nonceProofs(announcement, only[1]), SIGNATURES_AT_ONCE))) return hex(proof);
  } catch (error) {
    throw error instanceof DomainError ? error.at('proof') : error;
  }
  throw new DomainError('invalid_signature', 'the proof is not one of each of the announcement’s nonces', {
    field: 'proof',
  });
}

function parsed(bytes: Uint8Array): OracleAnnouncement {
  try {
    return parseAnnouncement(bytes);
  } catch (error) {
    throw error instanceof DomainError ? error.at('announcement') : error;
  }
}
