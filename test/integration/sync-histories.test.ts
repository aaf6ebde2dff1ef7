import { it } from 'vitest';
import { checkHistories } from '../families/c-platform/sync-histories.ts';

/** A second each: more by HISTORIES. */
const runs = Number(process.env.HISTORIES ?? 60);

it(
  `${runs} random histories with reorganizations: from any cursor a device has folded what REST lists`,
  () => checkHistories(runs),
  1_800_000,
);
