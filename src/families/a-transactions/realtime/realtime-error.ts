import { DomainError } from '../../../core/errors.ts';

/** Family A's codes, as far as a socket gives them. */
export const REALTIME_ERROR_CODES = ['invalid_request', 'unauthorized', 'forbidden', 'rate_limited'] as const;
export type RealtimeErrorCode = (typeof REALTIME_ERROR_CODES)[number];

/** A client's mistake: told to it, the connection stays. */
export class RealtimeError extends Error {
  readonly code: RealtimeErrorCode;

  constructor(code: RealtimeErrorCode, message: string) {
    super(message);
    this.name = 'RealtimeError';
    this.code = code;
  }
}

/** The error message's body for whatever was thrown; null where it is none of the client's doing. */
export function clientError(error: unknown): { code: RealtimeErrorCode; message: string } | null {
  if (error instanceof RealtimeError) return { code: error.code, message: error.message };
  if (!(error instanceof DomainError)) return null;
  const { code, message } = error;
  return code === 'unauthorized' || code === 'forbidden' || code === 'rate_limited' ? { code, message } : null;
}
