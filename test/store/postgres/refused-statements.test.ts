/** What a PostgreSQL server says of itself, and not of a statement, is refused to callers as `unavailable`. */
import { expect, test } from 'vitest';
import { isWithoutAnswer } from '../../../src/core/errors.ts';
import { asDomainError } from '../../../src/store/postgres/errors.ts';

test.each([
  ['disk_full', '53100', true],
  ['read_only_sql_transaction, after a failover', '25006', true],
  ['out_of_memory', '53200', false],
  ['too_many_connections', '53300', false],
  ['query_canceled, by the time a statement may take', '57014', false],
  ['admin_shutdown', '57P01', false],
  ['cannot_connect_now', '57P03', false],
  ['io_error', '58030', false],
  ['invalid_password, once it was changed', '28P01', false],
  ['no file descriptor', 'EMFILE', false],
  ['a certificate that is over', 'CERT_HAS_EXPIRED', false],
])('%s (%s)', (_, code, writesOnly) => {
  const error = Object.assign(new Error('the server says'), { code });
  const refusal = asDomainError(error);
  expect(refusal).toMatchObject({ code: 'unavailable', writesOnly, cause: error });
  expect((refusal as { details: object }).details).toMatchObject({ retryAfterSeconds: expect.any(Number) });
  // Taken for the chain's inability to answer it would halt spending, and end scans.
  expect(isWithoutAnswer(refusal)).toBe(false);
});

test.each(['23505', '42P01', '22P02'])('%s passes through', (code) => {
  const error = Object.assign(new Error('the statement is wrong'), { code });
  expect(asDomainError(error)).toBe(error);
});
