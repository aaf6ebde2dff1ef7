import { hex } from '../../../core/bytes.ts';
import { DomainError } from '../../../core/errors.ts';
import { sha256 } from '../../../core/hashes.ts';
import type { AccountId } from '../../../core/ids.ts';
import type { HeldText } from '../../../core/policies/signs-text.ts';
import type { MusigSessionRecord } from '../../../store/repositories/musig-sessions.ts';
import type { Held } from '../../approvals/held-answer.ts';
import { speaking } from '../../policies/gate.ts';
import type { RequestContext } from '../../requests/request-context.ts';
import { ADDS_PARTIAL_SIGNATURE, changeSession, type MusigDependencies, sessionOf } from './change-session.ts';
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

interface Given {
  readonly sessionId: string;
  readonly publicKey: string;
  /** Hex. */
  readonly partialSignature: string;
}

type AddPartialSignature = (
  sessionId: string,
  publicKey: string,
  partialSignature: string,
  context: RequestContext,
) => Promise<MusigSessionRecord | Held>;

/** Verified before rules are asked, and again when it is taken: nonces and message of the session stand by then. */
export function addPartialSignature(
  deps: Pick<MusigDependencies, 'store' | 'clock' | 'computing' | 'held'>,
): AddPartialSignature {
  /** The session, and what it comes to with the partial signature. */
  async function verified(
    { sessionId, publicKey, partialSignature }: Given,
    accountId: AccountId,
    signal?: AbortSignal,
  ) {
    const read = await sessionOf(deps.store.read, accountId, sessionId);
    requireState(read, 'awaiting_signatures');
    const signer = signerOf(read, publicKey);
    requireMissing(read, signer, 'partialSignature');
    const given = { plan: planOf(read), nonces: noncesOf(read), signer, others: partialSignaturesOf(read) };
    const bytes = Uint8Array.from(Buffer.from(partialSignature, 'hex'));
    // Outside the write job, which holds the writer: nonces and plan change no more in this state, and what is given stands.
    const made = await deps.computing.run(
      'musig.addPartialSignature',
      { ...given, partialSignature: bytes },
      { accountId, ...(signal && { signal }) },
    );
    if (!made.valid) throw invalid();
    return { read, signer, signature: made.signature };
  }

  const add = deps.held.operation<Given, MusigSessionRecord>({
    id: ADDS_PARTIAL_SIGNATURE,
    access: { scope: 'taproot:write', role: 'operator' },
    async describe(given, accountId) {
      const { read } = await verified(given, accountId);
      return { asked: speaking('musig', null), subject: given.sessionId, signs: textOf(read, given) };
    },
    async run(given, doing) {
      for (;;) {
        const { signer, signature } = await verified(given, doing.accountId, doing.signal);
        try {
          return await changeSession(deps, given.sessionId, doing, async (session) => {
            requireState(session, 'awaiting_signatures');
            requireMissing(session, signer, 'partialSignature');
            const next = withShare(session, signer, { partialSignature: given.partialSignature });
            if (partialSignaturesOf(next).includes(null)) return next;
            if (signature === null) throw new GivenMeanwhile();
            return { ...next, state: 'complete', signature: Buffer.from(signature).toString('hex') };
          });
        } catch (error) {
          if (!(error instanceof GivenMeanwhile)) throw error;
        }
      }
    },
  });
  return (sessionId, publicKey, partialSignature, context) => add({ sessionId, publicKey, partialSignature }, context);
}

/** The partial signature by its hash alone: whoever reads the text could add it to those of the others. */
const textOf = (
  { sessionId, message, tweaks, taproot, participants, aggregateKey, aggregateNonce }: MusigSessionRecord,
  { publicKey, partialSignature }: Given,
): HeldText => ({
  ...{ kind: 'partial_signature', musig_session_id: sessionId, public_key: publicKey, message },
  tweaks: tweaks.map(({ tweak, xOnly }) => ({ tweak, x_only: xOnly })),
  taproot: taproot && { merkle_root: taproot.merkleRoot },
  participants: participants.map((one) => ({ public_key: one.publicKey, public_nonce: one.publicNonce! })),
  ...{ aggregate_key: aggregateKey, aggregate_nonce: aggregateNonce! },
  partial_signature_sha256: hex(sha256(Buffer.from(partialSignature, 'hex'))),
});

const invalid = (): DomainError =>
  new DomainError(
    'invalid_signature',
    "this is not the participant's partial signature under this session's nonces and message",
    { field: 'partial_signature' },
  );
