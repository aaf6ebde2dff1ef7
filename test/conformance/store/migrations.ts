import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../../src/store/contents.ts';
import type { Migration } from '../../../src/store/migrations/dialect.ts';
import type { StoreContext } from '../store.ts';

const next: Migration = {
  version: MIGRATIONS.length + 1,
  name: 'a column more',
  statements: ({ text }) => [`ALTER TABLE accounts ADD COLUMN motto ${text}`],
};
const versions = (context: StoreContext) => context.harness.observe('select version from schema_migrations order by 1');

export function migrationTests(context: StoreContext): void {
  test('versions are 1, 2, 3, …', () => {
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, i) => i + 1));
  });

  test('an older database is brought forward, its records kept; a newer one is refused, saying so', async () => {
    await context.store.close();
    const newer = await context.harness.open({ migrations: [...MIGRATIONS, next] });
    expect(await newer.read.accounts.count()).toBe(2);
    await newer.close();
    expect(await context.harness.observe('select motto from accounts')).toHaveLength(2);
    expect((await versions(context)).map(({ version }) => Number(version))).toContain(next.version);

    await expect(context.harness.open()).rejects.toThrow(
      `The database is at version ${next.version}, and this program knows versions up to ${MIGRATIONS.length}`,
    );
    const again = await context.harness.open({ migrations: [...MIGRATIONS, next] });
    await again.close();
  });

  test('a migration that came behind a later one is made up for', async () => {
    await context.store.close();
    const later: Migration = { version: next.version + 1, name: 'later', statements: () => [] };
    await (await context.harness.open({ migrations: [...MIGRATIONS, later] })).close();
    await (await context.harness.open({ migrations: [...MIGRATIONS, next, later] })).close();
    expect(await context.harness.observe('select motto from accounts')).toHaveLength(2);
  });

  test('a migration that fails leaves the database as it was', async () => {
    await context.store.close();
    const broken: Migration = {
      ...next,
      statements: (types) => [...next.statements(types), 'CREATE TABLE accounts (broken TEXT)'],
    };
    await expect(context.harness.open({ migrations: [...MIGRATIONS, broken] })).rejects.toThrow(/accounts/);
    await expect(context.harness.observe('select motto from accounts')).rejects.toThrow(/motto/);
    expect(await versions(context)).toHaveLength(MIGRATIONS.length);
    await context.restart();
    expect(await context.store.read.accounts.count()).toBe(2);
  });
}
