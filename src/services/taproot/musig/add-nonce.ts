import { DomainError } from '../../../core/errors.ts';
import { aggregateNonces, isPublicNonce } from '../../../core/taproot/musig/signing-session.ts';
import type { MusigSessionRecord } from '../../../store/repositories/musig-sessions.ts';
import type { Repositories } from '../../../store/store.ts';
import type { RequestContext } from '../../requests/request-context.ts';
import { changeSession, type MusigDependencies, now } from './change-session.ts';
import { noncesOf, requireMissing, requireState, signerOf, withShare } from './session-state.ts';

export const addNonce =
  (deps: Pick<MusigDependencies, 'store' | 'clock'>) =>
  async (
    sessionId: string,
    publicKey: string,
    publicNonce: string,
    context: RequestContext,
  ): Promise<MusigSessionRecord> => {
    if (!isPublicNonce(Buffer.from(publicNonce, 'hex'))) {
      throw new DomainError('invalid_value', 'a public nonce is two compressed points on secp256k1: 66 bytes', {
        field: 'public_nonce',
      });
    }
    return changeSession(deps, sessionId, now(context), async (session, tx) => {
      requireState(session, 'awaiting_nonces');
      const signer = signerOf(session, publicKey);
      requireMissing(session, signer, 'publicNonce');
      return withNonce(tx, session, signer, publicNonce);
    });
  };

/**
 * The session with a nonce more; with the last one they are aggregated, and signatures are awaited. Throws `already_exists` where the
 * account has given the nonce before, to any session: whoever signs with it twice gives their private key away.
 */
export async function withNonce(
  tx: Pick<Repositories, 'musigSessions'>,
  session: MusigSessionRecord,
  signer: number,
  publicNonce: string,
): Promise<MusigSessionRecord> {
  if (!(await tx.musigSessions.takeNonce(session.accountId, { publicNonce, usedBy: session.sessionId }))) {
    throw new DomainError('already_exists', 'this nonce was given before: a nonce signs once, so make a new one', {
      field: 'public_nonce',
    });
  }
  const next = withShare(session, signer, { publicNonce });
  const nonces = noncesOf(next);
  if (nonces.length < next.participants.length) return next;
  return { ...next, state: 'awaiting_signatures', aggregateNonce: aggregateNonces(nonces).toString('hex') };
}
