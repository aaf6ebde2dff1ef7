import { DomainError } from '../../core/errors.ts';
import type { RpcOutcome } from './rpc-client.ts';
import { RpcError } from './rpc-error.ts';

/** The result of one call of a batch; an error the node answered becomes `unavailable`, naming the call. */
export function resultOf<T>(outcome: RpcOutcome | undefined): T {
  if (!outcome) throw new DomainError('node_unavailable', 'the Bitcoin node answered too little');
  if (outcome.error) throw asDomainError(outcome.error);
  return outcome.result as T;
}

/** The result, or null where the node answered one of `codes` (usually: not found). */
export function resultOrNull<T>(outcome: RpcOutcome | undefined, ...codes: number[]): T | null {
  return outcome?.error && codes.includes(outcome.error.code) ? null : resultOf<T>(outcome);
}

/** A node's error that nobody expected, said to the caller; anything else stays what it is. */
export function asDomainError(error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  return new DomainError('unavailable', `the Bitcoin node refused ${error.method}: ${error.message.slice(0, 200)}`, {
    reason: `RPC error ${error.code}`,
  });
}
