/**
 * Where a PostgreSQL database lives: cluster, timeline, database, and tables, by the numbers that the server gave them, and the transaction
 * that wrote this down, which the row itself shows too (xmin). A dump that is restored, into whatever tables, is written by other
 * transactions; a standby that took over, or an archive that was replayed to some moment, is on another timeline.
 */
import { sql } from 'kysely';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import { HOME_SETTING, UNTOLD } from '../repositories/decisions.ts';

const permissions = prepared((db, _: object) => ({
  compile: () =>
    sql<{ cluster: boolean; timeline: boolean }>`select
      has_function_privilege('pg_control_system()', 'execute') as cluster,
      has_function_privilege('pg_walfile_name(pg_lsn)', 'execute')
        and has_function_privilege('pg_current_wal_lsn()', 'execute') as timeline`.compile(db),
}));
const cluster = prepared((db, _: object) => ({
  compile: () => sql<{ id: string }>`select system_identifier::text as id from pg_control_system()`.compile(db),
}));
const timeline = prepared((db, _: object) => ({
  compile: () => sql<{ id: string }>`select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as id`.compile(db),
}));
const places = prepared((db, _: object) => ({
  compile: () =>
    sql<{
      id: string;
    }>`select oid::text || ' ' || 'settings'::regclass::oid || ' ' || 'oracle_events'::regclass::oid as id
      from pg_database where datname = current_database()`.compile(db),
}));
const bound = prepared((db, p: { name: string }) => ({
  compile: () =>
    sql<{ value: string; xmin: string }>`select value, xmin::text from settings where name = ${p.name}`.compile(db),
}));
const bind = prepared((db, p: { name: string; place: string }) => ({
  compile: () =>
    sql`insert into settings (name, value) values (${p.name}, ${p.place} || ' ' || pg_current_xact_id()::text)
      on conflict (name) do update set value = excluded.value`.compile(db),
}));
const lock = prepared((db, p: { name: string }) => ({
  compile: () => sql`select pg_advisory_xact_lock(hashtext(${p.name}))`.compile(db),
}));

/** In a job: whether it is where it was bound last; else `onMoved`, and it is bound. One process at a time. */
export async function settlePostgresHome(session: Session, onMoved: () => Promise<void>): Promise<boolean> {
  await lock.first(session, { name: HOME_SETTING });
  const place = await placeOf(session);
  const row = await bound.first(session, { name: HOME_SETTING });
  if (row?.value.startsWith(`${place} `)) {
    const writer = BigInt(row.value.slice(place.length + 1));
    // xmin is the lower half of it.
    if ((writer & 0xffff_ffffn) === BigInt(row.xmin)) return true;
  }
  await onMoved();
  await bind.run(session, { name: HOME_SETTING, place });
  return false;
}

async function placeOf(session: Session): Promise<string> {
  const may = await permissions.first(session, {});
  const clusterId = may?.cluster ? (await cluster.first(session, {}))?.id : undefined;
  const timelineId = may?.timeline ? (await timeline.first(session, {}))?.id : undefined;
  return [clusterId ?? UNTOLD, timelineId ?? UNTOLD, (await places.first(session, {}))?.id].join(' ');
}
