/** What accounts have spent, by hour. Triggers keep it with the transactions (migrations/0021). */

import { type RawBuilder, sql } from 'kysely';
import type { AccountId } from '../../core/ids.ts';
import type { CountedSum } from '../../core/policies/policy.ts';
import { byColumns } from '../queries/by-columns.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';

declare module '../schema.ts' {
  interface Schema {
    spend_sums: {
      account_id: AccountId;
      scope: string;
      subject: string;
      /** Hours since the epoch. */
      hour: bigint;
      amount_sats: bigint;
      count: bigint;
    };
  }
}

/** Sums of these hours, both included. */
export interface AskedSum {
  readonly scope: string;
  readonly subject: string;
  readonly first: number;
  readonly last: number;
}

const members = (kind: Session['kind'], list: string): RawBuilder<unknown> =>
  kind === 'sqlite'
    ? sql`(select key as at, value ->> 0 as scope, value ->> 1 as subject, value ->> 2 as first, value ->> 3 as last
        from json_each(${list})) as asked`
    : sql`(select ordinality - 1 as at, value ->> 0 as scope, value ->> 1 as subject, (value ->> 2)::int8 as first,
        (value ->> 3)::int8 as last from json_array_elements(${list}::json) with ordinality) as asked`;

interface Total {
  at: bigint;
  /** "amount count"; null without any. */
  total: string | null;
}

/** Each that is asked for is a range of the key, added up as it is read: grouping a join's rows takes twice as long. */
const totals = prepared<{ accountId: AccountId; list: string }, Total>((db, p, kind) => ({
  compile: () =>
    sql<Total>`
      select asked.at as at, (
        select cast(sum(sums.amount_sats) as text) || ' ' || cast(sum(sums.count) as text) from spend_sums as sums
          where sums.account_id = ${p.accountId} and sums.scope = asked.scope and sums.subject = asked.subject
            and sums.hour between asked.first and asked.last
      ) as total from ${members(kind, p.list)}`.compile(db),
}));
const sums = byColumns('spend_sums');
const deleteBefore = prepared((db, p: { hour: bigint }) => db.deleteFrom('spend_sums').where('hour', '<', p.hour));
const deleteNothing = prepared((db, p: { hour: bigint }) =>
  db.deleteFrom('spend_sums').where('hour', '=', p.hour).where('amount_sats', '=', 0n).where('count', '=', 0n),
);

const addUp = insertRows(
  'spend_sums',
  ['account_id', 'scope', 'subject', 'hour', 'amount_sats', 'count'],
  `on conflict (account_id, scope, subject, hour) do update set
    amount_sats = spend_sums.amount_sats + excluded.amount_sats, count = spend_sums.count + excluded.count`,
);

export function spendSumRepository(session: Session) {
  return {
    /** Counts by itself what no transaction or contract counts any more: each scope, subject and hour once. */
    add: async (accountId: AccountId, counts: readonly CountedSum[]) => {
      await addUp(
        session,
        counts.map(({ scope, subject, hour, amountSats, count }) => ({
          ...{
            account_id: accountId,
            scope,
            subject,
            hour: BigInt(hour),
            amount_sats: amountSats,
            count: BigInt(count),
          },
        })),
      );
    },
    /** Of each that is asked for, in that order. */
    totals: async (
      accountId: AccountId,
      asked: readonly AskedSum[],
    ): Promise<{ readonly amountSats: bigint; readonly count: number }[]> => {
      const list = JSON.stringify(asked.map(({ scope, subject, first, last }) => [scope, subject, first, last]));
      const found = new Map(
        (await totals.all(session, { accountId, list })).map(({ at, total }) => [Number(at), total]),
      );
      return asked.map((_, at) => {
        const [amount = '0', count = '0'] = found.get(at)?.split(' ') ?? [];
        return { amountSats: BigInt(amount), count: Number(count) };
      });
    },
    /** All that is kept of the account, by scope, subject and hour, but for what came to nothing. */
    all: async (accountId: AccountId): Promise<CountedSum[]> =>
      (await sums.select(session, { account_id: accountId }, 'order by scope, subject, hour'))
        .map((row) => ({
          ...{ scope: row.scope, subject: row.subject, hour: Number(row.hour) },
          ...{ amountSats: row.amount_sats, count: Number(row.count) },
        }))
        .filter(({ amountSats, count }) => amountSats !== 0n || count !== 0),
    /** Whose hours no window reaches any more, and those of an hour that came to nothing; answers how many sums there were. */
    deleteBefore: async (hour: number, nothingOf: number) =>
      Number(await deleteBefore.run(session, { hour: BigInt(hour) })) +
      Number(await deleteNothing.run(session, { hour: BigInt(nothingOf) })),
  };
}
