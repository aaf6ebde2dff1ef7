import { DomainError } from '../../../core/errors.ts';
import { openSigningRound } from '../../../core/taproot/musig/signing-session.ts';
import type { MusigSessionRecord } from '../../../store/interfaces/musig-sessions.ts';
import type { RequestContext } from '../../requests/request-context.ts';
import { changeSession, type MusigDependencies, sessionOf } from './change-session.ts';
import {
  noncesOf,
  partialSignaturesOf,
  planOf,
  requireMissing,
  requireState,
  signerOf,
  withShare,
} from './session-state.ts';

export const addPartialSignature =
  (deps: Pick<MusigDependencies, 'store' | 'clock'>) =>
  async (
    sessionId: string,
    publicKey: string,
    partialSignature: string,
    context: RequestContext,
  ): Promise<MusigSessionRecord> => {
    const read = await sessionOf(deps.store.read, context.accountId, sessionId);
    requireState(read, 'awaiting_signatures');
    const signer = signerOf(read, publicKey);
    requireMissing(read, signer, 'partialSignature');
    // Outside the job, which holds the writer: nonces and plan change no more in this state.
    const round = openSigningRound(planOf(read), noncesOf(read));
    if (!round.verifyPartial(signer, Buffer.from(partialSignature, 'hex'))) {
      throw new DomainError(
        'invalid_signature',
        "this is not the participant's partial signature under this session's nonces and message",
        { field: 'partial_signature' },
      );
    }
    return changeSession(deps, sessionId, context, async (session) => {
      requireState(session, 'awaiting_signatures');
      requireMissing(session, signer, 'partialSignature');
      const next = withShare(session, signer, { partialSignature });
      const given = partialSignaturesOf(next);
      if (given.length < next.participants.length) return next;
      return { ...next, state: 'complete', signature: round.finalSignature(given).toString('hex') };
    });
  };
