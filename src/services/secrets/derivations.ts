/**
 * A fair queue for what is derived from passwords, argon2 and PBKDF2 alike: each takes a thread of the pool, which signature checks, files and
 * names use too, for a fair part of a second. So few at a time that threads are left to those.
 */
import { availableParallelism } from 'node:os';
import { DomainError } from '../../core/errors.ts';
import { type Asker, createFairQueue, type FairQueue } from '../../scheduling/fair-queue.ts';

/** Whose turn it is: an account's, or an address's where nobody is known yet. */
export type Deriver = Pick<Asker, 'accountId' | 'signal'>;
export type Derivations = Pick<FairQueue, 'take'>;

/** Half of the pool's threads (4), and one core stays with the event loop. */
export const DERIVED_AT_ONCE = Math.max(1, Math.min(2, availableParallelism() - 1));
/** Of one account: over within a few seconds, where it is alone. */
const WAITING = 32;
/** Less than a request may take. */
const MAX_WAIT_MS = 20_000;

const busy = (): DomainError =>
  new DomainError('unavailable', 'too many passwords are being checked: try again in a moment', {
    retryAfterSeconds: 2,
  });

/** Of the process, as the pool is. */
export const derivations: Derivations = createFairQueue({
  ...{ all: DERIVED_AT_ONCE, waiting: WAITING, waitMs: MAX_WAIT_MS, busy },
});
