/** What must be decided once only, whatever becomes of the database: how many decisions it holds, and where it lives. */
import { sql } from 'kysely';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import { settingsRepository } from './settings.ts';

export const IDENTITY_SETTING = 'store.home';
export const DECISIONS_SETTING = 'store.decisions';

const countDecision = prepared((db, p: { name: string }) => ({
  compile: () =>
    sql<{ value: string }>`insert into settings (name, value) values (${p.name}, '1')
      on conflict (name) do update set value = cast(cast(settings.value as bigint) + 1 as text)
      returning value`.compile(db),
}));
const timelineNow = prepared((db, _: object) => ({
  compile: () =>
    sql<{ timeline: string }>`select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline`.compile(db),
}));

/** Stands where a server tells no timeline. */
export const UNKNOWN_ID = '-';

/** Counts one; the process's witness has heard of it before the job's caller does. */
export async function noteDecision(session: Session): Promise<void> {
  const counted = await countDecision.first(session, { name: DECISIONS_SETTING });
  session.note(`decision ${Number(counted?.value)}`);
}

/** Whether PostgreSQL has gone over to a standby, or back in time, since the database was bound to its place. */
export async function isElsewhere(session: Session): Promise<boolean> {
  if (session.kind === 'sqlite') return false;
  const home = await settingsRepository(session).get(IDENTITY_SETTING);
  const [, bound] = home?.split(' ') ?? [];
  if (bound === undefined || bound === UNKNOWN_ID) return false;
  return (await timelineNow.first(session, {}))?.timeline !== bound;
}
