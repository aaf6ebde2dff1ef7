import { DomainError } from '../../core/errors.ts';

/** Family A's codes, as far as a socket gives them. */
export const SOCKET_ERROR_CODES = ['invalid_request', 'unauthorized', 'forbidden', 'rate_limited'] as const;
export type SocketErrorCode = (typeof SOCKET_ERROR_CODES)[number];

/** A client's mistake: told to it, the connection stays. */
export class SocketError extends Error {
  readonly code: SocketErrorCode;

  constructor(code: SocketErrorCode, message: string) {
    super(message);
    this.name = 'SocketError';
    this.code = code;
  }
}

/** The error message's body for whatever was thrown; null where it is none of the client's doing. */
export function clientError(error: unknown): { code: SocketErrorCode; message: string } | null {
  if (error instanceof SocketError) return { code: error.code, message: error.message };
  if (!(error instanceof DomainError)) return null;
  const { code, message } = error;
  return code === 'unauthorized' || code === 'forbidden' || code === 'rate_limited' ? { code, message } : null;
}
