/** Nonces of signatures: each is good for one request, in every process, until the signature is too old anyway. */
import { DomainError } from '../../core/errors.ts';
import { CLOCK_SKEW_SECONDS, MAX_AGE_SECONDS } from '../../core/request-signatures/signature-rule.ts';
import type { Repositories, Store } from '../../store/store.ts';
import type { RequestContext } from './request-context.ts';

/** Twice the skew beyond the greatest age: processes' clocks may differ as clients' may. */
const LIFE_MS = (MAX_AGE_SECONDS + 2 * CLOCK_SKEW_SECONDS) * 1000;

/**
 * Spends the nonce of the request's signature in the job that records the request, done or refused. False where another request spent
 * it first (or this one, where that is not told apart as a resend): then nothing is written, and an effect must not be.
 * True too where nothing was signed.
 */
export async function spendNonce(
  tx: Pick<Repositories, 'signatureNonces'>,
  context: Pick<RequestContext, 'facts' | 'idempotency'>,
): Promise<boolean> {
  const { signature } = context.facts;
  if (signature === null) return true;
  const { keyId, nonce, fingerprint, createdAt } = signature;
  const outcome = await tx.signatureNonces.spend({ keyId, nonce, fingerprint, expiresAt: createdAt + LIFE_MS });
  // Without a kept answer nothing else would stop the same bytes from taking effect again.
  return outcome === 'spent' || (outcome === 'resent' && context.idempotency !== null);
}

export const nonceReused = (): DomainError =>
  new DomainError('nonce_reused', 'the nonce of this signature was used for another request: sign with a new one', {
    field: 'headers.signature-input',
  });

export function createNonceBook(deps: { store: Store; clock: () => number }) {
  const { store, clock } = deps;
  return {
    /** The fingerprint of the request that a nonce was spent for; null where it is free. */
    spentFor: ({ keyId, nonce }: { keyId: string; nonce: string }) => store.read.signatureNonces.find(keyId, nonce),
    /** Forgets what is too old to be replayed; answers how many. */
    sweep: () => store.write((tx) => tx.signatureNonces.deleteExpired(clock())),
  };
}

export type NonceBook = ReturnType<typeof createNonceBook>;
