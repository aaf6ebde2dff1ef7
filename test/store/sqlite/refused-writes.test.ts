/** What the machine refuses to SQLite is refused to callers as `unavailable`. */
import { expect, test } from 'vitest';
import { asDomainError } from '../../../src/store/sqlite/errors.ts';

test.each([
  ['SQLITE_FULL', 13, true],
  ['SQLITE_READONLY_DIRECTORY', 1544, true],
  ['SQLITE_IOERR_WRITE', 778, false],
  ['SQLITE_IOERR_SHMSIZE', 4874, false],
  ['SQLITE_CANTOPEN', 14, false],
  ['SQLITE_NOMEM', 7, false],
  ['SQLITE_BUSY_SNAPSHOT', 517, false],
])('%s', (_, errcode, writesOnly) => {
  const error = Object.assign(new Error('SQLite says'), { errcode });
  expect(asDomainError(error)).toMatchObject({ code: 'unavailable', writesOnly, cause: error });
});

test.each(['ENOSPC', 'EROFS', 'EMFILE', 'ENFILE', 'EIO'])('%s of a file beside the database', (code) => {
  expect(asDomainError(Object.assign(new Error('the system says'), { code }))).toMatchObject({ code: 'unavailable' });
});

test('what is a defect of ours passes through', () => {
  const error = Object.assign(new Error('no such column'), { errcode: 1 });
  expect(asDomainError(error)).toBe(error);
});
