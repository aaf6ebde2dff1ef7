import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import { integer, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

export const idempotencyKeys = table('idempotency_keys', ['key'], {
  accountId: text<AccountId>(),
  key: text(),
  /** SHA-256 over method, path, query and body, hex. */
  fingerprint: text(),
  /** Operation id. */
  operation: text(),
  target: orNull(text()),
  status: integer,
  body: text(),
  createdAt: time,
  expiresAt: time,
});
export type IdempotencyRecord = RecordOf<typeof idempotencyKeys>;

declare module '../schema.ts' {
  interface Schema {
    idempotency_keys: RowOf<typeof idempotencyKeys>;
  }
}

/** An expired row gives way; where a valid one stands, no row changes. */
const keys = rowsOf(
  idempotencyKeys,
  `on conflict (account_id, key) do update set fingerprint = excluded.fingerprint, operation = excluded.operation,
    target = excluded.target, status = excluded.status, body = excluded.body, created_at = excluded.created_at,
    expires_at = excluded.expires_at
  where idempotency_keys.expires_at <= excluded.created_at`,
);
const findKey = prepared((db, p: { accountId: AccountId; key: string; now: bigint }) =>
  db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .where('key', '=', p.key)
    .where('expires_at', '>', p.now),
);
const deleteExpired = prepared((db, p: { now: bigint }) =>
  db.deleteFrom('idempotency_keys').where('expires_at', '<=', p.now),
);

export function idempotencyRepository(session: Session) {
  return {
    find: async (accountId: AccountId, key: string, now: number) => {
      const row = await findKey.first(session, { accountId, key, now: BigInt(now) });
      return row && keys.record(row);
    },
    /** Throws DomainError `idempotency_in_flight` where the key is taken: then the whole job rolls back. An expired row is replaced. */
    insert: async (record: IdempotencyRecord) => {
      if ((await keys.insert(session, [record])) === 0n) {
        throw new DomainError(
          'idempotency_in_flight',
          'Another request with this Idempotency-Key was completed meanwhile: send it again to get its answer.',
          { retryAfterSeconds: 1 },
        );
      }
    },
    updateBody: async (accountId: AccountId, key: string, status: number, body: string) => {
      await keys.update(session, { accountId, key }, { status, body });
    },
    deleteExpired: async (now: number) => Number(await deleteExpired.run(session, { now: BigInt(now) })),
  };
}
