import { it } from 'vitest';
import { checkHistories } from './sync-histories.ts';

it('a few random histories: a device has folded what REST lists (all of them: test/integration/sync-histories.test.ts)', () =>
  checkHistories(5));
