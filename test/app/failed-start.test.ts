import { expect, it } from 'vitest';
import { ChainRefused } from '../../src/app/chain-binding.ts';
import { failedStart } from '../../src/app/failed-start.ts';
import { parseConfig } from '../../src/config.ts';
import { asDomainError } from '../../src/store/postgres/errors.ts';

const config = parseConfig({ DATABASE_URL: 'postgres://ashlar:hunter2@db.internal:5433/ashlar', MASTER_KEY_FILE: 'k' });
const thrown = (facts: object, message = 'hunter2 for postgres://ashlar:hunter2@db.internal') =>
  asDomainError(Object.assign(new Error(message), facts));

it.each([
  ['ECONNREFUSED', { code: 'ECONNREFUSED' }, /nothing listens there/],
  ['a wrong password', { code: '28P01', severity: 'FATAL' }, /refuses the user or password/],
  ['no such database', { code: '3D000', severity: 'FATAL' }, /has no database of that name/],
  ['no such host', { code: 'ENOTFOUND' }, /no such host/],
  ['a certificate that is not taken', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, /TLS with it fails/],
  ['no right to make tables', { code: '42501', severity: 'ERROR' }, /make it the owner/],
  ['a standby', { code: '25006', severity: 'ERROR' }, /name the primary/],
  ['a full disk', { code: '53100', severity: 'ERROR' }, /no room is left on its disk/],
])('of PostgreSQL: %s', (_, facts, sentence) => {
  const said = failedStart(thrown(facts), config);
  expect(said.facts).toEqual({ part: 'database', host: 'db.internal:5433', cause: facts.code });
  expect(said.sentence).toMatch(sentence);
  expect(JSON.stringify(said)).not.toContain('hunter2');
});

it('of PostgreSQL without TLS', () => {
  const { facts, sentence } = failedStart(thrown({}, 'The server does not support SSL connections'), config);
  expect(facts).toMatchObject({ host: 'db.internal:5433', cause: 'The server does not support SSL connections' });
  expect(sentence).toMatch(/^PostgreSQL at db.internal:5433/);
});

it('of a file that is no database', () => {
  const error = Object.assign(new Error('file is not a database'), { code: 'ERR_SQLITE_ERROR', errcode: 26 });
  const { facts, sentence } = failedStart(error, parseConfig({ DATA_DIR: '/srv/ashlar' }));
  expect(facts).toEqual({ part: 'database', cause: 'file is not a database' });
  expect(sentence).toMatch(/^the database in DATA_DIR \/srv\/ashlar cannot be opened/);
});

it('of the chain, and of what nobody thought of, without a stack', () => {
  expect(failedStart(new ChainRefused('another chain'), config)).toEqual({
    ...{ facts: { part: 'node' }, sentence: 'another chain' },
  });
  const { facts, sentence } = failedStart(new TypeError('x is not a function'), config);
  expect(facts.part).toBe('service');
  expect(sentence).toBe('x is not a function');
});
