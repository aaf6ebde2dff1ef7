import { DomainError } from '../../../core/errors.ts';
import type { AccountId } from '../../../core/ids.ts';
import type { Network } from '../../../core/network.ts';
import type { MusigJobs } from '../../../core/taproot/musig/musig-jobs.ts';
import type { Computing } from '../../../engines/computing/computing.ts';
import type { MusigSessionRecord } from '../../../store/repositories/musig-sessions.ts';
import type { Repositories, Store } from '../../../store/store.ts';
import type { Doing } from '../../approvals/held-operation.ts';
import type { HeldRequests } from '../../approvals/held-requests.ts';
import { failApproval } from '../../approvals/open-approval.ts';
import type { Gate } from '../../policies/gate.ts';
import { recordRequest } from '../../requests/record-request.ts';
import type { RequestContext } from '../../requests/request-context.ts';
import { isIn } from './session-state.ts';

/** The operation whose requests wait about a session. */
export const ADDS_PARTIAL_SIGNATURE = 'musig-partial-signature.add';

export interface MusigDependencies {
  readonly store: Store;
  readonly gate: Pick<Gate, 'decide'>;
  readonly held: Pick<HeldRequests, 'operation'>;
  readonly computing: Computing<MusigJobs>;
  readonly network: Network;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Throws `not_found`. */
export async function sessionOf(
  repositories: Pick<Repositories, 'musigSessions'>,
  accountId: AccountId,
  sessionId: string,
): Promise<MusigSessionRecord> {
  return required(await repositories.musigSessions.find(accountId, sessionId));
}

function required(session: MusigSessionRecord | null): MusigSessionRecord {
  if (session !== null) return session;
  throw new DomainError('not_found', 'there is no such MuSig2 session', { field: 'musig_session_id' });
}

/** At once, for a request. */
export const now = (context: RequestContext): Pick<Doing, 'accountId' | 'record'> => ({
  accountId: context.accountId,
  record: (tx, effect) => recordRequest(tx, context, effect),
});

/** One request's change of a session, while nobody else changes it. Answered as it was, it keeps its time. */
export function changeSession(
  { store, clock }: Pick<MusigDependencies, 'store' | 'clock'>,
  sessionId: string,
  { accountId, judge, record }: Pick<Doing, 'accountId' | 'record'> & Partial<Pick<Doing, 'judge'>>,
  change: (session: MusigSessionRecord, tx: Repositories) => Promise<MusigSessionRecord>,
): Promise<MusigSessionRecord> {
  return store.write(async (tx) => {
    await judge?.(tx);
    const session = required(await tx.musigSessions.findForUpdate(accountId, sessionId));
    const changed = await change(session, tx);
    const result = changed === session ? session : { ...changed, updatedAt: clock() };
    if (result !== session) await tx.musigSessions.advance(accountId, sessionId, result);
    if (session.state === 'awaiting_signatures' && result.state !== session.state) await endHeld(tx, result, clock());
    await record(tx, { result, target: sessionId });
    return result;
  });
}

/** It takes no partial signature any more: nobody can approve one. */
async function endHeld(
  tx: Pick<Repositories, 'approvals' | 'events'>,
  session: MusigSessionRecord,
  now: number,
): Promise<void> {
  for (const { requestOf, ...key } of await tx.approvals.heldAbout(session.accountId, session.sessionId))
    if (requestOf === ADDS_PARTIAL_SIGNATURE) await failApproval(tx, key, isIn(session).message, now);
}
