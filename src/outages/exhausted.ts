import { DomainError } from '../core/errors.ts';

/** What the system says when this machine, and not the service or its caller, is at its end (errno(3)). */
const SENTENCES: Readonly<Record<string, string>> = {
  ENOSPC: 'no room is left on the disk',
  EDQUOT: 'no room is left on the disk for this user',
  EROFS: 'the disk is read-only',
  EIO: 'the disk does not read or write',
  EMFILE: 'this process has too many files and connections open',
  ENFILE: 'this machine has too many files and connections open',
  ENOMEM: 'no memory is left',
  ENOBUFS: 'no memory is left for connections',
};

const RETRY_AFTER_SECONDS = 10;

/** Whether the system had no room, memory or descriptor left for it, or its disk failed. */
export const isExhausted = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && Object.hasOwn(SENTENCES, String((error as NodeJS.ErrnoException).code));

/** That as a refusal (`unavailable`, 503): what is asked may succeed later, unchanged. Anything else passes through. */
export function unavailableIfExhausted(error: unknown): unknown {
  if (!isExhausted(error)) return error;
  const code = String(error.code);
  return new DomainError('unavailable', `${SENTENCES[code]}: try again once its operator has seen to it`, {
    reason: code,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
