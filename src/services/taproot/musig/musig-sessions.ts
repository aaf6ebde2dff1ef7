/** MuSig2 (BIP327) among participants who sign elsewhere; one of them may have the service sign as the last (docs/decisions/1141). */
import { hex } from '../../../core/bytes.ts';
import { type AccountId, newId } from '../../../core/ids.ts';
import type { AggregatedKeys, KeyAggregation } from '../../../core/taproot/musig/aggregate-keys.ts';
import type { PageRequest } from '../../../store/records.ts';
import type { MusigSessionFilter, MusigSessionRecord } from '../../../store/repositories/musig-sessions.ts';
import { recordRequest } from '../../requests/record-request.ts';
import type { RequestContext } from '../../requests/request-context.ts';
import { addNonce } from './add-nonce.ts';
import { addPartialSignature } from './add-partial-signature.ts';
import { aggregateAt } from './aggregate-at.ts';
import { changeSession, type MusigDependencies, now, sessionOf } from './change-session.ts';
import { requireState } from './session-state.ts';
import { signAsLast } from './sign-as-last.ts';

export type { MusigSessionRecord } from '../../../store/repositories/musig-sessions.ts';
export { MUSIG_STATES } from '../../../store/repositories/musig-sessions.ts';

export interface NewMusigSession extends KeyAggregation {
  readonly message: Uint8Array;
  readonly name: string | null;
  readonly externalId: string | null;
}

/** Each throws `not_found`, and `state_conflict` naming the state. */
export function createMusigSessions(deps: MusigDependencies) {
  const { store, clock, randomBytes } = deps;
  return {
    /** Throws `invalid_key` at public_keys, `invalid_value` at tweaks. */
    create(request: NewMusigSession, context: RequestContext) {
      const keys = aggregateAt(request);
      const session = newSession(request, keys, context.accountId, newId('mus', randomBytes), clock());
      return store.write(async (tx) => {
        await tx.musigSessions.insert(session);
        await recordRequest(tx, context, { result: session, target: session.sessionId });
        return session;
      });
    },
    get: (sessionId: string, { accountId }: RequestContext) => sessionOf(store.read, accountId, sessionId),
    list: (filter: MusigSessionFilter, page: PageRequest, { accountId }: RequestContext) =>
      store.read.musigSessions.list(accountId, filter, page),
    /** In every state: what it is called is no part of what is signed. */
    rename: (sessionId: string, names: Pick<MusigSessionRecord, 'name' | 'externalId'>, context: RequestContext) =>
      changeSession(deps, sessionId, now(context), async (session) => ({ ...session, ...names })),
    /** The record stays, and the nonces that it was given stay taken. */
    cancel: async (sessionId: string, context: RequestContext) => {
      await changeSession(deps, sessionId, now(context), async (session) => {
        if (session.state === 'cancelled') return session;
        requireState(session, 'awaiting_nonces', 'awaiting_signatures');
        return { ...session, state: 'cancelled' };
      });
    },
    /** Throws `not_a_participant`, `already_exists`, and `invalid_value` where it is no nonce. */
    addNonce: addNonce(deps),
    /** Throws `not_a_participant`, `already_exists`, and `invalid_signature` where it does not verify. */
    addPartialSignature: addPartialSignature(deps),
    /** Signs with the key of the one participant whose nonce is missing. Throws `invalid_key`, `not_a_participant`. */
    sign: signAsLast(deps),
  };
}

export type MusigSessions = ReturnType<typeof createMusigSessions>;

function newSession(
  { message, name, externalId, sort, tweaks, taproot }: NewMusigSession,
  { publicKeys, aggregateKey, internalKey }: AggregatedKeys,
  accountId: AccountId,
  sessionId: string,
  at: number,
): MusigSessionRecord {
  return {
    ...{ sessionId, accountId, name, externalId },
    state: 'awaiting_nonces',
    message: hex(message),
    sorted: sort,
    tweaks: tweaks.map(({ tweak, xOnly }) => ({ tweak: hex(tweak), xOnly })),
    taproot: taproot && { merkleRoot: taproot.merkleRoot && hex(taproot.merkleRoot) },
    participants: publicKeys.map((key) => ({ publicKey: hex(key), publicNonce: null, partialSignature: null })),
    aggregateKey: hex(aggregateKey),
    internalKey: internalKey && hex(internalKey),
    aggregateNonce: null,
    signature: null,
    createdAt: at,
    updatedAt: at,
  };
}
