import { noncesOf, serializeAnnouncement, serializeOracleEvent } from '../../../core/dlc/messages/announcement.ts';
import { serializeNonceProofs } from '../../../core/dlc/messages/nonce-proofs.ts';
import { signAnnouncement } from '../../../core/dlc/oracle/announcements.ts';
import { announcable, MAX_EVENT_ID_LENGTH, normalText } from '../../../core/dlc/oracle/new-event.ts';
import { DomainError } from '../../../core/errors.ts';
import { type AccountId, newId } from '../../../core/ids.ts';
import type { OracleEventRecord } from '../../../store/repositories/oracle-events.ts';
import type { OracleRecord } from '../../../store/repositories/oracles.ts';
import { recordRequest } from '../../requests/record-request.ts';
import type { OracleDependencies } from '../oracle-dependencies.ts';
import type { NewEvent, OracleService } from '../oracle-service.ts';
import { draftNonces, withOracleKey } from './local-keys.ts';

const LAST_SECOND = 0xffff_ffff;

/**
 * A local oracle's announcements. Nonces and announcement are committed in one job and told to nobody before: whatever the moment at
 * which the process ends, an announcement that somebody has seen has its nonces in the database (docs/decisions/1210).
 */
export function createAnnouncing(
  deps: OracleDependencies & Pick<OracleService, 'resolve'>,
): Pick<OracleService, 'announce' | 'announceFor'> {
  const { store } = deps;
  const drafted = async (accountId: AccountId, request: NewEvent) =>
    draftEvent(deps, requireLocal(await deps.resolve(accountId, request.oracle)), request);
  return {
    async announce(request, context) {
      const event = await drafted(context.accountId, request);
      return store.write(async (tx) => {
        await tx.oracleEvents.insert(event);
        await recordRequest(tx, context, { result: event, target: event.eventId });
        return event;
      });
    },
    async announceFor(accountId, request) {
      const event = await drafted(accountId, request);
      await store.write((tx) => tx.oracleEvents.insert(event));
      return event;
    },
  };
}

/** Throws `invalid_value` (field oracle). */
export function requireLocal(oracle: OracleRecord): OracleRecord {
  if (oracle.kind === 'local') return oracle;
  throw new DomainError('invalid_value', 'this oracle is not a local one: its key is not here', { field: 'oracle' });
}

async function draftEvent(
  deps: OracleDependencies,
  oracle: OracleRecord,
  request: NewEvent,
): Promise<OracleEventRecord> {
  const { oracleId, accountId } = oracle;
  const { maturityEpoch } = request;
  const descriptor = announcable(request.descriptor);
  const eventId =
    request.eventId === undefined
      ? newId('evt', deps.randomBytes)
      : normalText(request.eventId, 'event_id', MAX_EVENT_ID_LENGTH);
  if (!Number.isInteger(maturityEpoch) || maturityEpoch < 0 || maturityEpoch > LAST_SECOND) {
    throw new DomainError('invalid_value', 'must be a time from 1970 to 2106', { field: 'maturity' });
  }
  // Asked here for a clear refusal before any work; the insert decides.
  if ((await deps.store.read.oracleEvents.find(accountId, oracleId, eventId)) !== null) {
    throw new DomainError('already_exists', 'the oracle has an event of this id already', { field: 'event_id' });
  }
  const publicKey = Uint8Array.from(Buffer.from(oracle.publicKey, 'hex'));
  const { encrypted, event, proofs } = await draftNonces(
    deps,
    { oracleId, eventId },
    noncesOf(descriptor),
    (nonces) => ({
      publicKey,
      event: { nonces, maturityEpoch, descriptor, eventId },
    }),
  );
  const signature = await withOracleKey(deps, oracle, (key) =>
    signAnnouncement(key, serializeOracleEvent(event), 'tagged', { randomBytes: deps.randomBytes }),
  );
  const at = deps.clock();
  return {
    accountId,
    oracleId,
    eventId,
    announcement: Buffer.from(serializeAnnouncement({ signature, publicKey, event })).toString('hex'),
    proof: Buffer.from(serializeNonceProofs(new Map([[0, proofs]]))).toString('hex'),
    knownAt: at,
    maturityEpoch,
    descriptor: JSON.stringify(descriptor),
    nonces: encrypted,
    committedOutcome: null,
    committedAt: null,
    frozenAt: null,
    createdAt: at,
  };
}
