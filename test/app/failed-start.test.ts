import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ChainRefused } from '../../src/app/chain-binding.ts';
import { failedStart } from '../../src/app/failed-start.ts';
import { openMail } from '../../src/app/open-mail.ts';
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

it('of a DKIM key that is missing, or cannot sign', async () => {
  const env = (file: string) => ({
    ...{ SMTP_URL: 'smtp://127.0.0.1', NOTIFICATION_EMAIL_FROM: 'a@example.com', NOTIFICATION_DKIM_KEY_FILE: file },
    ...{ NOTIFICATION_DKIM_DOMAIN: 'example.com', NOTIFICATION_DKIM_SELECTOR: 's', NOTIFICATION_EMAIL_DOMAINS: '*' },
  });
  const file = join(mkdtempSync(join(tmpdir(), 'ashlar-dkim-')), 'key.pem');
  const problem = async () => {
    const { facts, sentence } = failedStart(await openMail(parseConfig(env(file)).mail).catch((error) => error), null);
    return [facts.part, sentence];
  };
  expect(await problem()).toEqual([
    'configuration',
    expect.stringContaining('NOTIFICATION_DKIM_KEY_FILE cannot be read'),
  ]);
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  for (const text of ['garbage', pem]) {
    writeFileSync(file, text);
    expect(await problem()).toEqual(['configuration', expect.stringContaining('must hold an RSA private key')]);
  }
});
