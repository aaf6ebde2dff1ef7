/** Errors as plain data: structured clone keeps neither their class nor their fields. */
import { DomainError, type DomainErrorCode, type DomainErrorDetails } from '../../core/errors.ts';

export type SerializedError =
  | {
      readonly kind: 'refusal';
      readonly code: DomainErrorCode;
      readonly message: string;
      readonly details: DomainErrorDetails;
    }
  | { readonly kind: 'failure'; readonly name: string; readonly frames: string };

/** Of an unexpected error only its class and where it was thrown: what it says may hold what it was given, and that may be a key. */
export function serializeError(error: unknown): SerializedError {
  if (error instanceof DomainError) {
    const { code, message, details } = error;
    return { kind: 'refusal', code, message, details: { ...details } };
  }
  const { name, stack = '' } = error instanceof Error ? error : new Error();
  return { kind: 'failure', name, frames: (stack.match(/^ {4}at .*$/gm) ?? []).join('\n') };
}

export function deserializeError(crossed: SerializedError): Error {
  if (crossed.kind === 'refusal') return new DomainError(crossed.code, crossed.message, crossed.details);
  const error = new Error(`a computation failed: ${crossed.name}`);
  error.stack = `${error.name}: ${error.message}\n${crossed.frames}`;
  return error;
}
