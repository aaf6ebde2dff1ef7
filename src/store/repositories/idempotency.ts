import { DomainError } from '../../core/errors.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { IdempotencyRepository } from '../store.ts';

/** An expired row gives way; where a valid one stands, no row changes. */
const insertKeys = insertRows(
  'idempotency_keys',
  ['account_id', 'key', 'fingerprint', 'operation', 'target', 'status', 'body', 'created_at', 'expires_at'],
  `on conflict (account_id, key) do update set fingerprint = excluded.fingerprint, operation = excluded.operation,
    target = excluded.target, status = excluded.status, body = excluded.body, created_at = excluded.created_at,
    expires_at = excluded.expires_at
  where idempotency_keys.expires_at <= excluded.created_at`,
);
const findKey = prepared((db, p: { accountId: string; key: string; now: bigint }) =>
  db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .where('key', '=', p.key)
    .where('expires_at', '>', p.now),
);
const updateBody = prepared((db, p: { accountId: string; key: string; status: bigint; body: string }) =>
  db
    .updateTable('idempotency_keys')
    .set({ status: p.status, body: p.body })
    .where('account_id', '=', p.accountId)
    .where('key', '=', p.key),
);
const deleteExpired = prepared((db, p: { now: bigint }) =>
  db.deleteFrom('idempotency_keys').where('expires_at', '<=', p.now),
);

export function idempotencyRepository(session: Session): IdempotencyRepository {
  return {
    find: async (accountId, key, now) => {
      const row = await findKey.first(session, { accountId, key, now: BigInt(now) });
      return (
        row && {
          accountId: row.account_id,
          key: row.key,
          fingerprint: row.fingerprint,
          operation: row.operation,
          target: row.target,
          status: Number(row.status),
          body: row.body,
          createdAt: Number(row.created_at),
          expiresAt: Number(row.expires_at),
        }
      );
    },
    insert: async (record) => {
      const { changes } = await insertKeys(session, [
        {
          account_id: record.accountId,
          key: record.key,
          fingerprint: record.fingerprint,
          operation: record.operation,
          target: record.target,
          status: BigInt(record.status),
          body: record.body,
          created_at: BigInt(record.createdAt),
          expires_at: BigInt(record.expiresAt),
        },
      ]);
      if (changes === 0n) {
        throw new DomainError(
          'idempotency_in_flight',
          'Another request with this Idempotency-Key was completed meanwhile: send it again to get its answer.',
          { retryAfterSeconds: 1 },
        );
      }
    },
    updateBody: async (accountId, key, status, body) => {
      await updateBody.run(session, { accountId, key, status: BigInt(status), body });
    },
    deleteExpired: async (now) => Number(await deleteExpired.run(session, { now: BigInt(now) })),
  };
}
