import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';

declare module '../schema.ts' {
  interface Schema {
    settings: { name: string; value: string };
  }
}

const getValue = prepared((db, p: { name: string }) =>
  db.selectFrom('settings').select('value').where('name', '=', p.name),
);
const setValue = prepared((db, p: { name: string; value: string }) =>
  db
    .insertInto('settings')
    .values({ name: p.name, value: p.value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: p.value })),
);
const setMissing = prepared((db, p: { name: string; value: string }) =>
  db
    .insertInto('settings')
    .values({ name: p.name, value: p.value })
    .onConflict((conflict) => conflict.column('name').doNothing()),
);

/** Service-wide facts: master key check value, chain binding, sequence counters. */
export function settingsRepository(session: Session) {
  const get = async (name: string) => (await getValue.first(session, { name }))?.value ?? null;
  return {
    get,
    /** Inserts or overwrites. */
    set: async (name: string, value: string) => {
      await setValue.run(session, { name, value });
    },
    /** Inserts unless there; answers the value that stands. */
    setOnce: async (name: string, value: string) => {
      await setMissing.run(session, { name, value });
      return (await get(name)) ?? value;
    },
  };
}
