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
  await expect(checkRandomHistories(Math.ceil(runs / 4), postgres.openStore)).resolves.toBeUndefined();
}, 600_000);
