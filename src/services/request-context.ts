import type { Role, Tier } from '../store/records.ts';

/** Who asks: what authentication found out, and all that a service needs to know of the request. */
export interface RequestContext {
  readonly requestId: string;
  readonly accountId: string;
  readonly credential: {
    readonly kind: 'api_key';
    readonly id: string;
    readonly role: Role;
    readonly scopes: readonly string[];
    readonly tier: Tier;
  };
  /** Present when the caller sent an Idempotency-Key to an idempotent operation. */
  readonly idempotency: IdempotencyClaim | null;
}

/** A key whose answer is to be committed with the effect (services/idempotency.ts does it). */
export interface IdempotencyClaim {
  readonly key: string;
  /** SHA-256 over method, path, query and body, hex. */
  readonly fingerprint: string;
  readonly operation: string;
  /** When the request came, epoch milliseconds: the kept answer lives for a day from then. */
  readonly at: number;
  /** The answer that this result would be given: status, and JSON text sealed under the master key, as it is to be stored. */
  answer(result: unknown): { status: number; body: string };
}
