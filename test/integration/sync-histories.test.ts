import { it } from 'vitest';
import { checkHistories } from '../families/c-platform/sync-histories.ts';

it(
  '500 random histories with reorganizations: from any cursor a device has folded what REST lists',
  () => checkHistories(500),
  1_800_000,
);
