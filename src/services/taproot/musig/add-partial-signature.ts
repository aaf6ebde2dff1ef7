import { DomainError } from '../../../core/errors.ts';
import type { MusigSessionRecord } from '../../../store/repositories/musig-sessions.ts';
import { askerOf, refuseUnapproved, speaking } from '../../policies/gate.ts';
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

/** The last but one came while this one was looked at: the final signature takes both. */
class GivenMeanwhile extends Error {}

export const addPartialSignature =
  (deps: Pick<MusigDependencies, 'store' | 'clock' | 'computing' | 'gate'>) =>
  async (
    sessionId: string,
    publicKey: string,
    partialSignature: string,
    context: RequestContext,
  ): Promise<MusigSessionRecord> => {
    refuseUnapproved(await deps.gate.decide(askerOf(context), speaking('musig', null)));

    async function attempt(): Promise<MusigSessionRecord> {
      const read = await sessionOf(deps.store.read, context.accountId, sessionId);
      requireState(read, 'awaiting_signatures');
      const signer = signerOf(read, publicKey);
      requireMissing(read, signer, 'partialSignature');
      const given = { plan: planOf(read), nonces: noncesOf(read), signer, others: partialSignaturesOf(read) };
      const bytes = Uint8Array.from(Buffer.from(partialSignature, 'hex'));
      // Outside the write job, which holds the writer: nonces and plan change no more in this state, and what is given stands.
      const made = await deps.computing.run(
        'musig.addPartialSignature',
        { ...given, partialSignature: bytes },
        { accountId: context.accountId, signal: context.signal },
      );
      if (!made.valid) throw invalid();
      return changeSession(deps, sessionId, context, async (session) => {
        requireState(session, 'awaiting_signatures');
        requireMissing(session, signer, 'partialSignature');
        const next = withShare(session, signer, { partialSignature });
        if (partialSignaturesOf(next).includes(null)) return next;
        if (made.signature === null) throw new GivenMeanwhile();
        return { ...next, state: 'complete', signature: Buffer.from(made.signature).toString('hex') };
      });
    }

    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof GivenMeanwhile)) throw error;
      }
    }
  };

const invalid = (): DomainError =>
  new DomainError(
    'invalid_signature',
    "this is not the participant's partial signature under this session's nonces and message",
    { field: 'partial_signature' },
  );
