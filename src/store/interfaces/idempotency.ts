import type { IdempotencyRecord } from '../records.ts';

export interface IdempotencyRepository {
  find(accountId: string, key: string, now: number): Promise<IdempotencyRecord | null>;
  /** Throws DomainError `idempotency_in_flight` where the key is taken: then the whole job rolls back. An expired row is replaced. */
  insert(record: IdempotencyRecord): Promise<void>;
  updateBody(accountId: string, key: string, status: number, body: string): Promise<void>;
  deleteExpired(now: number): Promise<number>;
}
