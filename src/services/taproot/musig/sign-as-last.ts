import { hex } from '../../../core/bytes.ts';
import { DomainError } from '../../../core/errors.ts';
import { ecc } from '../../../core/keys/ecc.ts';
import type { MusigSessionRecord } from '../../../store/repositories/musig-sessions.ts';
import { askerOf, refuseUnapproved, speaking } from '../../policies/gate.ts';
import type { RequestContext } from '../../requests/request-context.ts';
import { withPrivateKey } from '../private-key.ts';
import { withNonce } from './add-nonce.ts';
import { changeSession, type MusigDependencies, now, sessionOf } from './change-session.ts';
import { noncesOf, planOf, requireMissing, requireState, signerOf, withShare } from './session-state.ts';

/**
 * Signs for the one participant whose nonce is missing: its nonce is made of the key and of all that it is to sign with, used and gone
 * within this call. Neither a crash, a retry, a second process nor a restored backup finds a nonce to use again.
 */
export const signAsLast =
  (deps: MusigDependencies) =>
  async (sessionId: string, key: string, context: RequestContext): Promise<MusigSessionRecord> => {
    const { store, network, randomBytes, computing } = deps;
    const read = await sessionOf(store.read, context.accountId, sessionId);
    requireState(read, 'awaiting_nonces');
    refuseUnapproved(await deps.gate.decide(askerOf(context), speaking('musig', null)));
    const { signer, privateKey } = withPrivateKey(key, network, (bytes) => ({
      signer: lastSigner(read, bytes),
      privateKey: Uint8Array.from(bytes),
    }));
    const signed = await computing.run(
      'musig.signLast',
      { plan: planOf(read), nonces: noncesOf(read), privateKey, randomness: randomBytes(32) },
      { accountId: context.accountId, signal: context.signal, transfer: [privateKey] },
    );
    const [publicNonce, partialSignature] = [hex(signed.publicNonce), hex(signed.partialSignature)];
    return changeSession(deps, sessionId, now(context), async (session, tx) => {
      // All other nonces are as they were read, for given ones never change; only this one may have been given meanwhile.
      requireState(session, 'awaiting_nonces');
      requireMissing(session, signer, 'publicNonce');
      return withShare(await withNonce(tx, session, signer, publicNonce), signer, { partialSignature });
    });
  };

/** Throws `not_a_participant`, `already_exists`, and `state_conflict` where another participant's nonce is missing. */
function lastSigner(session: MusigSessionRecord, privateKey: Uint8Array): number {
  let signer: number;
  try {
    signer = signerOf(session, hex(ecc.pointFromScalar(privateKey, true) as Uint8Array));
    requireMissing(session, signer, 'publicNonce');
  } catch (error) {
    throw error instanceof DomainError ? error.at('key') : error;
  }
  const missing = session.participants.filter(({ publicNonce }) => publicNonce === null).length;
  if (missing === 1) return signer;
  throw new DomainError(
    'state_conflict',
    `the session is in state awaiting_nonces: the service signs last, and of the others' nonces ${missing - 1} are missing`,
    { field: 'musig_session_id' },
  );
}
