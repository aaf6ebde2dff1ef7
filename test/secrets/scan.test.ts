/** The scan finds what is planted, in every form, and nothing where nothing is. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COLLECTED_IN, collectedLog, noteExchange, noteSecret } from './collected.ts';
import { createSearch, scan, shapesIn } from './scan.ts';

const secret = 'Tr0ub4dor&3 "quoted"\\n';
const innocent = '{"level":"info","request_id":"req_0123456789abcd0000001z","operation":"wallet.get","status":200}\n';

describe('the search for secrets', () => {
  const search = createSearch([
    ['password', secret],
    ['key', 'a'.repeat(43)],
  ]);
  const json = (value: unknown) => JSON.stringify(value);
  it.each([
    ['as it is', secret],
    ['in JSON', json({ body: secret })],
    ['in JSON within JSON', json({ line: json({ body: secret }) })],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64url', Buffer.from(secret).toString('base64url')],
    ['in hex', Buffer.from(secret).toString('hex')],
    ['in a query', `/reset?token=${encodeURIComponent(secret)}&x`],
  ])('finds one %s, with its place', (_, form) => {
    const text = Buffer.from(`${innocent}${innocent}${form}${innocent}`);
    const [found] = search(text);
    expect(found?.kind).toBe('password');
    expect(found?.at).toBeGreaterThanOrEqual(2 * innocent.length);
  });

  it('finds every one of many, at the beginning and at the end of a text', () => {
    const many = Array.from({ length: 2_000 }, () => randomBytes(16).toString('base64url'));
    const all = createSearch(many.map((value) => ['token', value]));
    expect(all(Buffer.from(many.join('')))).toHaveLength(2_000);
    expect(all(Buffer.from(innocent.repeat(1_000)))).toEqual([]);
  });

  it('finds nothing where nothing is', () => {
    expect(search(Buffer.from(innocent.repeat(50)))).toEqual([]);
    expect(search(Buffer.from(''))).toEqual([]);
    expect(search(Buffer.from('a'.repeat(42)))).toEqual([]);
  });
});

describe('shapes of secrets', () => {
  const { d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  it.each([
    ['an API key', `{"x":"Bearer ak_${'a'.repeat(8)}_${'B'.repeat(43)}"}`],
    ['a private JWK', `{"jwk":{"kty":"OKP","d":"${d}"}}`],
    ['a private JWK', JSON.stringify({ line: `{"d":"${d}"}` })],
    ['a JWT', `token eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ1c3JfMSJ9.${'s'.repeat(86)}`],
    ['an extended private key', `tprv8${'Z'.repeat(106)}`],
    ['a refresh token, reset token or client secret', `{"x":"rt_${'a'.repeat(43)}"}`],
    ['a second factor', 'scan otpauth://totp/Ashlar:ada?secret=JBSWY3DPEHPK3PXP'],
    ['a private key', '-----BEGIN PRIVATE KEY-----\\nMC4C'],
    ['a password hash', 'PHC $argon2id$v=19$m=65536'],
    ['a mnemonic', `"phrase":"${generateMnemonic(wordlist)}"`],
    ['a mnemonic', `the words are ${generateMnemonic(wordlist, 256)} or so`],
  ])('%s is seen', (kind, text) => {
    expect(shapesIn(innocent + text).map((found) => found.kind)).toContain(kind);
  });

  it('are not seen in ordinary lines and sentences', () => {
    expect(shapesIn(innocent)).toEqual([]);
    expect(shapesIn('the service failed and its log has the cause of it under this one request id here')).toEqual([]);
    expect(shapesIn('{"d":"short","key_id":"jtUEHqhZ","jwt":"eyJh"}')).toEqual([]);
  });
});

describe('a run', () => {
  const before = process.env[COLLECTED_IN];
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ashlar-planted-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('fails for a secret that was logged or answered in an error, and for no other reason', () => {
    writeFileSync(join(folder, '1.secrets'), `${JSON.stringify(['password', secret])}\n`);
    writeFileSync(join(folder, '1.log'), innocent);
    expect(scan(folder)).toMatchObject({ leaks: [], secrets: 1, bytes: innocent.length });
    writeFileSync(join(folder, '2.log'), `${innocent}${JSON.stringify({ error: { message: `not ${secret}` } })}\n`);
    expect(scan(folder).leaks).toMatchObject([{ kind: 'password' }]);
  });

  it('collects what the tests make, and what services log and refuse', () => {
    if (before === undefined) throw new Error('the global setup names no folder: nothing of this run would be scanned');
    const mark = randomBytes(12).toString('hex');
    collectedLog().trace({ mark }, 'a line');
    noteSecret('password', `secret ${mark}`);
    noteExchange({ user: { password: `sent ${mark}` } }, { status: 400, text: `refused ${mark}`, body: null });
    noteExchange(undefined, { status: 201, text: '', body: { private_key: { d: `made ${mark}` } } });
    const texts = (kind: string) =>
      readdirSync(before)
        .filter((name) => name.startsWith(`${process.pid}.`) && name.endsWith(kind))
        .map((name) => readFileSync(join(before, name), 'utf8'))
        .join('');
    expect(texts('.log')).toContain(`"mark":"${mark}"`);
    expect(texts('.log')).toContain(`refused ${mark}`);
    for (const noted of ['secret', 'sent', 'made']) expect(texts('.secrets')).toContain(`${noted} ${mark}`);
    expect(scan(before).bytes).toBeGreaterThan(0);
  });
});
