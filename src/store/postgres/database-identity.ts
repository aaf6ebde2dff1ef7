/**
 * Where a PostgreSQL database lives: cluster, timeline, database, and tables, by the numbers that the server gave them, and the transaction
 * that wrote this down, which the row itself shows too (xmin). A dump that is restored, into whatever tables, is written by other
 * transactions; a standby that took over, or an archive that was replayed to some moment, is on another timeline.
 */
import { sql } from 'kysely';
import { DomainError } from '../../core/errors.ts';
import { readIdentityFile, writeIdentityFile } from '../identity-file.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import { DECISIONS_SETTING, IDENTITY_SETTING, UNKNOWN_ID } from '../repositories/decisions.ts';
import { settingsRepository } from '../repositories/settings.ts';

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

/** Numbers of this process's last decisions. */
const RECALLED = 1_000;

interface Settled {
  readonly atHome: boolean;
  readonly name: string;
  readonly decisions: number;
}

/**
 * `place`: where this process keeps its witness (a name in its data directory). It knows of a server whose disk was put back, as by a
 * snapshot, when this process has seen decisions since; null: no witness.
 */
export function createPostgresIdentity(place: string | null, clock: () => number) {
  let identityFileFor = place;
  let known: { name: string; decisions: number } | null = null;
  let base = 0;
  const given = new Set<number>();

  function remember(home: { name: string; decisions: number }): void {
    known = { name: home.name, decisions: home.decisions };
    if (identityFileFor !== null)
      writeIdentityFile(identityFileFor, { nonce: home.name, decisions: home.decisions }, clock());
  }

  return {
    /** In a job: whether it is where it was bound last; else `onMoved`, and it is bound. One process at a time. */
    async settle(session: Session, onMoved: () => Promise<void>) {
      const { get } = settingsRepository(session);
      const witness = identityFileFor === null ? null : readIdentityFile(identityFileFor);
      const atHome = await bindPostgresIdentity(session, onMoved, (name, decisions) =>
        witness?.nonce === name ? witness.decisions > decisions : false,
      );
      return {
        atHome,
        name: (await get(IDENTITY_SETTING)) ?? '',
        decisions: Number((await get(DECISIONS_SETTING)) ?? 0),
      };
    },
    /** After the job that settled it has committed. */
    settled(home: Settled) {
      base = home.decisions;
      try {
        remember(home);
      } catch {
        // A process without a place to write to goes without.
        identityFileFor = null;
      }
    },
    /** After a commit that decided something, before whoever decided hears of it. Throws `oracle_frozen` where a number comes again. */
    noteDecision(number: number) {
      if (known === null) return;
      // Jobs of this process end in any order, and other processes decide, too; a number is given once.
      if (number <= base || given.has(number) || number + RECALLED < known.decisions) {
        throw new DomainError(
          'oracle_frozen',
          'the database was put back to an earlier time while the service ran: start it again, and what is not attested by then is ' +
            'attested no more',
          { field: 'event_id' },
        );
      }
      given.add(number);
      for (const old of given) if (given.size > RECALLED) given.delete(old);
      if (number > known.decisions) remember({ name: known.name, decisions: number });
    },
  };
}

async function bindPostgresIdentity(
  session: Session,
  onMoved: () => Promise<void>,
  isBehind: (name: string, decisions: number) => boolean,
): Promise<boolean> {
  await lock.first(session, { name: IDENTITY_SETTING });
  const place = await placeOf(session);
  const row = await bound.first(session, { name: IDENTITY_SETTING });
  if (row?.value.startsWith(`${place} `)) {
    const writer = BigInt(row.value.slice(place.length + 1));
    // xmin is the lower half of it.
    const decisions = Number((await settingsRepository(session).get(DECISIONS_SETTING)) ?? 0);
    if ((writer & 0xffff_ffffn) === BigInt(row.xmin) && !isBehind(row.value, decisions)) return true;
  }
  await onMoved();
  await bind.run(session, { name: IDENTITY_SETTING, place });
  return false;
}

async function placeOf(session: Session): Promise<string> {
  const may = await permissions.first(session, {});
  const clusterId = may?.cluster ? (await cluster.first(session, {}))?.id : undefined;
  const timelineId = may?.timeline ? (await timeline.first(session, {}))?.id : undefined;
  return [clusterId ?? UNKNOWN_ID, timelineId ?? UNKNOWN_ID, (await places.first(session, {}))?.id].join(' ');
}
