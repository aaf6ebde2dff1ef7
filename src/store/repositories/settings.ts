import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { SettingsRepository } from '../store.ts';

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

export function settingsRepository(session: Session): SettingsRepository {
  const get = async (name: string) => (await getValue.first(session, { name }))?.value ?? null;
  return {
    get,
    set: async (name, value) => {
      await setValue.run(session, { name, value });
    },
    setOnce: async (name, value) => {
      await setMissing.run(session, { name, value });
      return (await get(name)) ?? value;
    },
  };
}
