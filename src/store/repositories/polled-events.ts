/** When an event's oracle is asked next: events that contracts wait for have a time, found by its index; all others have none. */

import { sql } from 'kysely';
import type { AccountId, ContractId, OracleId } from '../../core/ids.ts';
import { prepared } from '../queries/prepared.ts';
import type { ContractStatus } from './contract-rows.ts';
import { open } from './due-contracts.ts';

/** Contracts of these wait for an attestation. */
export const AWAITING: readonly ContractStatus[] = ['signed', 'funded', 'confirmed'];

interface Key {
  accountId: AccountId;
  oracleId: OracleId;
  eventId: string;
}

const unattested = sql<boolean>`not exists (select 1 from attestations as kept
  where kept.oracle_id = oracle_events.oracle_id and kept.event_id = oracle_events.event_id)`;
const awaited = sql<boolean>`exists (select 1 from contract_oracles as link
  join contracts as contract on contract.contract_id = link.contract_id
  where link.oracle_id = oracle_events.oracle_id and link.event_id = oracle_events.event_id
    and contract.status in ('signed', 'funded', 'confirmed'))`;
const maturity = sql<bigint>`maturity_epoch * 1000`;

/** A contract begins to wait: its events have a time, unless they have one already. */
export const awaitEventsOf = prepared((db, p: { accountId: AccountId; contractId: ContractId }) =>
  db
    .updateTable('oracle_events')
    .set({ poll_at: maturity })
    .where('account_id', '=', p.accountId)
    .where('poll_at', 'is', null)
    .where('nonces', 'is', null)
    .where(
      sql<boolean>`(oracle_id, event_id) in (select link.oracle_id, link.event_id from contract_oracles as link
        where link.contract_id = ${p.contractId} and link.event_id is not null)`,
    )
    .where(unattested),
);

/** Of every contract that waits, from the open ones on: those that ever were are many more. */
export const awaitEvents = prepared((db) =>
  db
    .updateTable('oracle_events')
    .set({ poll_at: maturity })
    .where('poll_at', 'is', null)
    .where('nonces', 'is', null)
    .where(
      sql<boolean>`(oracle_id, event_id) in (select link.oracle_id, link.event_id
        from contracts as contract cross join contract_oracles as link
        where ${open} and contract.status in ('signed', 'funded', 'confirmed')
          and link.contract_id = contract.contract_id and link.event_id is not null)`,
    )
    .where(unattested),
);

/** Those whose time has come, of each account its first `ofEach`, the accounts in turn. `now` in epoch milliseconds. */
export const eventsToPoll = prepared((db, p: { now: bigint; ofEach: bigint; all: bigint }) =>
  db
    .with('waiting', (waiting) =>
      waiting
        .selectFrom('oracle_events')
        .select(['oracle_id', 'event_id', 'poll_at'])
        .select(
          sql<bigint>`row_number() over (partition by account_id order by poll_at, oracle_id, event_id)`.as('turn'),
        )
        .where('poll_at', 'is not', null)
        .where('poll_at', '<=', p.now),
    )
    .selectFrom('waiting')
    .innerJoin('oracle_events as event', (join) =>
      join.onRef('event.oracle_id', '=', 'waiting.oracle_id').onRef('event.event_id', '=', 'waiting.event_id'),
    )
    .selectAll('event')
    .select(
      sql<bigint>`cast(case when exists (select 1 from contract_oracles as link
        join contracts as contract on contract.contract_id = link.contract_id
        where link.oracle_id = event.oracle_id and link.event_id = event.event_id
          and contract.status in ('signed', 'funded', 'confirmed')) then 1 else 0 end as bigint)`.as('awaited'),
    )
    .where('waiting.turn', '<=', p.ofEach)
    .orderBy('waiting.turn')
    .orderBy('waiting.poll_at')
    .orderBy('waiting.oracle_id')
    .orderBy('waiting.event_id')
    .limit(p.all),
);

export const notePolled = prepared((db, p: Key & { at: bigint; next: bigint }) =>
  db
    .updateTable('oracle_events')
    .set((eb) => ({
      polled_at: p.at,
      poll_at: sql<
        bigint | null
      >`case when poll_at is null then null else ${eb.cast<bigint>(eb.val(p.next), 'bigint')} end`,
    }))
    .where('oracle_id', '=', p.oracleId)
    .where('event_id', '=', p.eventId)
    .where('account_id', '=', p.accountId),
);

/** Never sooner than it was to be. */
export const pollLater = prepared((db, p: Key & { at: bigint }) =>
  db
    .updateTable('oracle_events')
    .set({ poll_at: p.at })
    .where('oracle_id', '=', p.oracleId)
    .where('event_id', '=', p.eventId)
    .where('account_id', '=', p.accountId)
    .where('poll_at', '<', p.at),
);

export const pollNoMore = prepared((db, p: Key) =>
  db
    .updateTable('oracle_events')
    .set({ poll_at: null })
    .where('oracle_id', '=', p.oracleId)
    .where('event_id', '=', p.eventId)
    .where('account_id', '=', p.accountId)
    .where(sql<boolean>`not ${awaited}`),
);

/** It is attested. */
export const endPolling = prepared((db, p: Key) =>
  db
    .updateTable('oracle_events')
    .set({ poll_at: null })
    .where('oracle_id', '=', p.oracleId)
    .where('event_id', '=', p.eventId)
    .where('account_id', '=', p.accountId)
    .where('poll_at', 'is not', null),
);
