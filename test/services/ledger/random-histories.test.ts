import { expect, it } from 'vitest';
import { withPostgres } from '../../builders/stores.ts';
import { checkRandomHistories } from './random-histories.ts';

/** More of them on demand: HISTORIES=200. */
const runs = Number(process.env.HISTORIES ?? 20);

it('random histories end in what a fresh follow from genesis finds', async () => {
  await expect(checkRandomHistories(runs)).resolves.toBeUndefined();
}, 600_000);

it('and so they do on PostgreSQL', async () => {
  await using postgres = await withPostgres();
  const stores: { close(): Promise<void> }[] = [];
  const openStore = async () => {
    const store = await postgres.openStore();
    stores.push(store);
    return store;
  };
  await expect(checkRandomHistories(Math.ceil(runs / 4), openStore)).resolves.toBeUndefined();
  for (const store of stores) await store.close();
}, 600_000);
