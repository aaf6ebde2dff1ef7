/** The operator's tool as a process of its own beside a running service. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI } from '../builders/built.ts';
import { childEnvironment } from '../builders/child-environment.ts';
import { freePort, type ServiceProcess, startService } from '../builders/service-process.ts';

let service: ServiceProcess;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ashlar-cli-'));
  service = await startService({ CHAIN: 'simulated' });
});
afterAll(async () => {
  await service?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

function ashlar(args: string[], env: Record<string, string> = {}, input = '') {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', CLI, ...args],
    {
      env: { ...childEnvironment, DATA_DIR: service.dataDir, ASHLAR_URL: service.baseUrl, ...env },
      cwd: folder,
      encoding: 'utf8',
      input,
    },
  );
  return { status, stdout, stderr, json: () => JSON.parse(stdout) };
}

/** On a connection of its own: one that was kept may end unnoticed while a command blocks this process. */
const statusWith = async (apiKey: string, path = '/api/v1/blockchain/status') =>
  (await fetch(service.baseUrl + path, { headers: { authorization: `Bearer ${apiKey}`, connection: 'close' } })).status;

describe('ashlar', () => {
  it('explains itself, and says what is wrong with a command line', () => {
    expect(ashlar(['help']).stdout).toContain('keys create');
    expect(ashlar(['--version']).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(ashlar([]).status).toBe(2);
    const lines = ashlar(['help']).stdout.split('\n');
    expect(lines.filter((line) => /^ {2}(keys|audit) \S+ +[a-z]/.test(line))).toHaveLength(8);
    for (const asked of [
      ['help', 'keys', 'create'],
      ['keys', 'create', '--help'],
    ]) {
      expect(ashlar(asked).stdout).toMatch(/^ashlar keys create --name NAME .*--out FILE\]\n {4}make an API key/);
    }
    const unknown = ashlar(['frobnicate']);
    expect([unknown.status, unknown.stdout]).toEqual([2, '']);
    expect(unknown.stderr).toContain('there is no command frobnicate');
    expect(ashlar(['keys', 'create', '--nam', 'x']).status).toBe(2);
    expect(ashlar(['keys', 'list'], { PORT: 'x' }).stderr).toContain('PORT must be');
  });

  it.each([
    [['key', 'list'], /there is no command key \(is keys meant\?\)/],
    [
      ['keys', 'lst'],
      /there is no command keys lst \(is keys list meant\?\): ashlar keys create\|list\|rotate\|revoke/,
    ],
    [['keys'], /usage: ashlar keys create\|list\|rotate\|revoke/],
    [['keys', 'create', '--nmae', 'x'], /there is no option --nmae: is --name meant\?/],
    [['backup', '--to', 'x'], /there is no option --to: it takes none/],
    [['request', 'GET', 'wallets'], /the path begins with \/, such as \/api\/v1\/wallets/],
    [['request', 'GET', '//elsewhere.example/x'], /this is no path of http:/],
    [['request', 'FETCH', '/api/v1/wallets'], /must be one of GET, POST, PUT, PATCH, DELETE/],
    [['request', 'GET'], /usage: ashlar request METHOD PATH/],
    [['backup'], /^ashlar: usage: ashlar backup FILE$/m],
    [['help', 'bakup'], /there is no command bakup \(is backup meant\?\)/],
    [['keys', 'lst', '--help'], /there is no command keys lst \(is keys list meant\?\)/],
    [['request', 'GET', '/livez', '--idempotency-key'], /--idempotency-key needs a value: --idempotency-key IDEMP/],
    [['keys', 'list', 'x'], /^ashlar: x is not taken here/],
  ])('%j is answered with what may be meant', (args, message) => {
    const { status, stdout, stderr } = ashlar(args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it('makes no database where there is none', () => {
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    const refused = ashlar(['keys', 'list'], { DATA_DIR: empty });
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('there is no database');
    expect(existsSync(join(empty, 'ashlar.db'))).toBe(false);
  });
});

describe('ashlar keys', () => {
  it('makes a key that the running service takes at once, shown once and kept as a hash', async () => {
    const made = ashlar(['keys', 'create', '--name', 'ci', '--role', 'viewer', '--scope', 'blockchain:read']);
    expect(made.status, made.stderr).toBe(0);
    const { api_key: apiKey, ...shown } = made.json();
    expect(shown).toMatchObject({ name: 'ci', role: 'viewer', scopes: ['blockchain:read'], revoked_at: null });
    expect(await statusWith(apiKey)).toBe(200);
    const listed = ashlar(['keys', 'list']);
    expect(listed.json().data).toContainEqual(expect.objectContaining({ api_key_id: shown.api_key_id }));
    expect(listed.stdout).not.toContain(apiKey.slice(12));
  });

  it('shows the limits of each, and warns of scopes that its role cannot use', () => {
    const body = {
      name: 'bounded',
      role: 'viewer',
      scopes: ['wallets:write'],
      tier: 'custom',
      limits: { requests_per_minute: 30 },
    };
    const made = ashlar([
      'request',
      'POST',
      '/api/v1/api-keys',
      JSON.stringify({ ...body, allowed_ips: ['127.0.0.1'] }),
    ]).json();
    const { data } = ashlar(['keys', 'list']).json();
    expect(data.find((key: { api_key_id: string }) => key.api_key_id === made.api_key_id)).toMatchObject({
      ...{ tier: 'custom', limits: { requests_per_minute: 30 }, allowed_ips: ['127.0.0.1'], expires_at: null },
      created_by: expect.stringMatching(/^key_/),
    });
    const weak = ashlar(['keys', 'create', '--name', 'weak', '--role', 'viewer', '--scope', 'wallets:write']).json();
    expect(weak.warnings).toEqual(made.warnings);
    expect(weak.warnings).toEqual([expect.stringContaining('wallets:write can only read with the role viewer')]);
  });

  it('revokes a key', async () => {
    const short = ashlar(['keys', 'create', '--name', 'short']);
    expect(short.stderr).toContain('No --scope is given');
    const { api_key_id: keyId, api_key: apiKey } = short.json();
    expect(await statusWith(apiKey)).toBe(200);
    expect(ashlar(['keys', 'revoke', keyId]).status).toBe(0);
    expect(await statusWith(apiKey)).toBe(401);
    const again = ashlar(['keys', 'revoke', keyId]);
    expect(again.status).toBe(1);
    expect(again.stderr).toContain(keyId);
  });

  it.each([
    [['--role', 'root'], /viewer, operator, admin/],
    [['--scope', 'wallets'], /wallets:read/],
    [['--scope', 'wallet:read'], /wallet:read is not a scope: did you mean wallets:read\?/],
    [['--tier', 'gold'], /standard/],
    [['--expires', 'tomorrow'], /2027-12-31/],
    [['--expires', '2001-01-01T00:00:00Z'], /to come/],
    [['--allow-ip', '10.0.0.0/99'], /10\.0\.0\.0\/8/],
    [['--account', 'nobody'], /no account nobody/],
  ])('refuses %s', (options, message) => {
    const refused = ashlar(['keys', 'create', '--name', 'x', ...options]);
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toMatch(message);
    expect(refused.stdout).toBe('');
  });
});

describe('ashlar keys, with a file of their own', () => {
  it('writes credentials that ashlar request signs with, readable by their owner alone, and shows no secret', async () => {
    const out = join(folder, 'operator.json');
    const made = ashlar(['keys', 'create', '--name', 'operator', '--scope', 'wallets:write', '--out', out]);
    expect(made.status, made.stderr).toBe(0);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const secrets = JSON.parse(readFileSync(out, 'utf8'));
    expect(Object.keys(secrets)).toEqual(['api_key', 'key_id', 'private_key']);
    expect(made.stdout + made.stderr).not.toContain(secrets.api_key);
    expect(made.stdout + made.stderr).not.toContain(secrets.private_key.d);
    const wallet = ['request', 'POST', '/api/v1/wallets', '{"name":"w","type":"segwit","backup_type":"none"}'];
    const answer = ashlar(wallet, { ASHLAR_CREDENTIALS: out });
    expect(answer.status, answer.stdout + answer.stderr).toBe(0);
  });

  it('are restricted as docs/operating.md says', () => {
    const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
    const [, section = ''] = page.split('### Least-privilege keys');
    const [block = ''] = section.split('```bash\n').slice(1);
    const commands = block.split('```')[0]!.replaceAll('\\\n', '').trim().split('\n');
    expect(commands.length).toBeGreaterThan(3);
    for (const command of commands) {
      const words = [...command.replace(/ #.*/, '').matchAll(/'([^']*)'|(\S+)/g)].map(
        ([, quoted, word]) => quoted ?? word!,
      );
      const done = ashlar(words.slice(1), words[1] === 'request' ? {} : { DATA_DIR: service.dataDir });
      expect(done.status, `${command}: ${done.stdout}${done.stderr}`).toBe(0);
    }
  });

  it('never writes over a file, and makes no key then', () => {
    const out = join(folder, 'there.json');
    writeFileSync(out, 'mine');
    const count = ashlar(['keys', 'list']).json().data.length;
    const refused = ashlar(['keys', 'create', '--name', 'x', '--out', out]);
    expect([refused.status, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain(out);
    expect(readFileSync(out, 'utf8')).toBe('mine');
    expect(ashlar(['keys', 'list']).json().data).toHaveLength(count);
  });

  it('enrols a public key from a file', () => {
    const file = join(folder, 'public.json');
    writeFileSync(file, '{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}');
    const made = ashlar(['keys', 'create', '--name', 'x', '--public-key', file]).json();
    expect(made.key_id).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
    expect(made.private_key).toBeUndefined();
    expect(ashlar(['keys', 'create', '--name', 'x', '--public-key', join(folder, 'none.json')]).status).toBe(2);
  });

  it('lets a key go unsigned only where the policy does', () => {
    const command = ['keys', 'create', '--name', 'x', '--require-signature', 'false'];
    expect(ashlar(command).stderr).toContain('SIGNATURE_POLICY=per-key');
    expect(ashlar(command, { SIGNATURE_POLICY: 'per-key' }).json().require_signature).toBe(false);
  });

  it('rotates a key of a running service at once', async () => {
    const { api_key_id: keyId, api_key: old } = ashlar(['keys', 'create', '--name', 'turns']).json();
    expect(await statusWith(old)).toBe(200);
    const successor = ashlar(['keys', 'rotate', keyId, '--overlap-seconds', '0']);
    expect(successor.status, successor.stderr).toBe(0);
    expect(successor.json()).toMatchObject({ name: 'turns', replaces: keyId });
    expect(await statusWith(old)).toBe(401);
    expect(await statusWith(successor.json().api_key)).toBe(200);
    expect(ashlar(['keys', 'rotate', keyId]).status).toBe(1);
    expect(ashlar(['keys', 'rotate', keyId, '--overlap-seconds', 'x']).status).toBe(2);
  });
});

describe('ashlar accounts', () => {
  it('makes an account once, whose keys see nothing of another', async () => {
    const made = ashlar(['accounts', 'create', 'Subsidiary']);
    expect(made.status, made.stderr).toBe(0);
    expect(made.json().may_grant).toBe(true);
    expect(ashlar(['accounts', 'create', 'Subsidiary']).status).toBe(1);
    const names = ashlar(['accounts', 'list'])
      .json()
      .data.map(({ name }: { name: string }) => name);
    expect(names.sort()).toEqual(['Subsidiary', 'default']);
    const create = ['keys', 'create', '--name', 'k', '--account', 'Subsidiary'];
    expect(ashlar(create).json()).toMatchObject({ account_id: made.json().account_id, may_grant: false });
    expect(ashlar([...create, '--may-grant']).json().may_grant).toBe(true);
  });
});

describe('ashlar accounts freeze', () => {
  it('is felt by the running service at once, and so is unfreeze', async () => {
    const out = join(folder, 'tenant.json');
    expect(ashlar(['accounts', 'create', 'Tenant', '--out', out]).status).toBe(0);
    const wallet = ['request', 'POST', '/api/v1/wallets', '{"name":"w","type":"segwit","backup_type":"none"}'];
    const make = () => ashlar(wallet, { ASHLAR_CREDENTIALS: out });
    expect(make().status).toBe(0);
    const frozen = ashlar(['accounts', 'freeze', 'Tenant', '--reason', 'ordered']);
    expect(frozen.json()).toMatchObject({ frozen: true, frozen_reason: 'ordered' });
    expect(make().stderr).toMatch(/^403/);
    expect(ashlar(['accounts', 'unfreeze', 'Tenant']).json().frozen).toBe(false);
    expect(make().status).toBe(0);
    const own = ashlar(['accounts', 'freeze', 'default']);
    expect([own.status, own.stderr]).toEqual([1, expect.stringContaining('cannot be frozen')]);
  });
});

describe('ashlar request', () => {
  it('calls with the credentials of the first start and prints JSON', () => {
    const answer = ashlar(['request', 'GET', '/api/v1/blockchain/status']);
    expect(answer.status, answer.stderr).toBe(0);
    expect(answer.json().network).toBe('regtest');
  });

  it('sends a body from the line, from standard input and from a file', () => {
    const file = join(folder, 'body.json');
    writeFileSync(file, '{"count": 1}');
    for (const [body, input] of [
      ['{"count": 1}', ''],
      ['-', '{"count": 1}'],
      [`@${file}`, ''],
    ] as const) {
      const answer = ashlar(['request', 'post', '/api/v1/bitcoin/blocks', body], {}, input);
      expect(answer.status, answer.stderr).toBe(0);
      expect(answer.json().data).toHaveLength(1);
    }
  });

  it('takes an Idempotency-Key, so that the same command twice does its work once', () => {
    const once = ['request', 'POST', '/api/v1/bitcoin/blocks', '{"count": 1}', '--idempotency-key', 'cli-1'];
    const first = ashlar(once).json();
    expect(ashlar(once).json()).toEqual(first);
  });

  it('ends with 4 for a refusal and 5 for a failure, the refusal on stdout, the request id on stderr', () => {
    const refused = ashlar(['request', 'POST', '/api/v1/bitcoin/blocks', '{"count": 0}']);
    expect(refused.status).toBe(4);
    expect(refused.json().error.details.field).toBe('count');
    expect(refused.stderr).toMatch(/^400 \(request req_/);
  });

  it('finds the file of a body in the folder from which npm was started', () => {
    const away = join(folder, 'away');
    mkdirSync(away);
    writeFileSync(join(away, 'body.json'), '{"count": 1}');
    const mine = ['request', 'POST', '/api/v1/bitcoin/blocks', '@body.json'];
    const answer = ashlar(mine, { npm_lifecycle_event: 'ashlar', INIT_CWD: away });
    expect(answer.status, answer.stderr).toBe(0);
  });

  it.each([
    ['127.0.0.1:3917', 'http://127.0.0.1:3917'],
    ['localhost:3917', 'http://localhost:3917'],
    ['a b', 'http://127.0.0.1:3000'],
  ])('names ASHLAR_URL where it is %s', (url, right) => {
    const { status, stderr } = ashlar(['request', 'GET', '/livez'], { ASHLAR_URL: url });
    expect([status, stderr]).toEqual([2, expect.stringMatching(`^ashlar: ASHLAR_URL is "${url}".*such as ${right}`)]);
  });

  it('says where it looked when there is no service or no credentials', async () => {
    const away = ashlar(['request', 'GET', '/livez'], { ASHLAR_URL: `http://127.0.0.1:${await freePort()}` });
    expect(away.status).toBe(2);
    expect(away.stderr).toMatch(/ECONNREFUSED.*is the service running/);
    const without = ashlar(['request', 'GET', '/livez'], { ASHLAR_CREDENTIALS: join(folder, 'none.json') });
    expect(without.stderr).toMatch(/none\.json.*ASHLAR_CREDENTIALS/);
    const open = join(folder, 'open.json');
    copyFileSync(join(service.dataDir, 'admin-credentials.json'), open);
    chmodSync(open, 0o640);
    const read = ashlar(['request', 'GET', '/livez'], { ASHLAR_CREDENTIALS: open });
    expect([read.status, read.stderr]).toEqual([0, expect.stringMatching(/mode 640\): run chmod 600 .*open\.json/)]);
    const page = join(folder, 'page.md');
    writeFileSync(page, '# Ashlar', { mode: 0o644 });
    const unfit = ashlar(['request', 'GET', '/livez'], { ASHLAR_CREDENTIALS: page }).stderr;
    expect(unfit).toMatch(/^ashlar: .*page\.md is not a credentials file/);
    chmodSync(open, 0o600);
    expect(ashlar(['request', 'GET', '/livez'], { ASHLAR_CREDENTIALS: open }).stderr).toBe('');
  });
});

describe('ashlar login', () => {
  it('keeps a user’s session beside their key pair, with which ashlar request signs, and refreshes it', () => {
    const file = join(folder, 'carol.json');
    writeFileSync(file, ashlar(['signing-keys', 'pair']).stdout, { mode: 0o600 });
    const ask = (...args: string[]) => ashlar(['request', ...args]).json();
    const password = 'correct horse battery staple';
    const person = { username: 'carol', password, role: 'operator', scopes: ['wallets:write'] };
    const { user_id } = ask('POST', '/api/v1/users', JSON.stringify(person));
    const { account_id } = ask('GET', '/api/v1/api-keys').data[0];
    const signIn = (secret: string) => ashlar(['login', 'carol', file], {}, secret);

    expect(signIn(`${password}\n`)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/is not enrolled .*: ashlar signing-keys proof .* POST \/api\/v1\/signing-keys/),
    });
    const proof = ashlar(['signing-keys', 'proof', file, '--account', account_id, '--credential', user_id]).stdout;
    ask('POST', '/api/v1/signing-keys', proof);
    expect(signIn('wrong')).toMatchObject({ status: 1, stderr: expect.stringMatching(/^ashlar: login: /) });
    const { json, stderr } = signIn(`${password}\n`);
    expect([stderr, json().user.username, statSync(file).mode & 0o777]).toEqual(['', 'carol', 0o600]);

    const asCarol = { ASHLAR_CREDENTIALS: file };
    const wallet = [
      'request',
      'POST',
      '/api/v1/wallets',
      '{"name": "Of Carol", "type": "segwit", "backup_type": "encrypted"}',
    ];
    expect(ashlar(wallet, asCarol)).toMatchObject({ status: 0, stderr: '' });
    const kept = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...kept, access_token: 'gone', expires_at: new Date(0).toISOString() }));
    expect(ashlar(['request', 'GET', '/api/v1/auth/me'], asCarol).json().user_id).toBe(user_id);
    const next = JSON.parse(readFileSync(file, 'utf8'));
    expect(next.refresh_token).not.toBe(kept.refresh_token);
    expect(next.private_key).toEqual(kept.private_key);
    expect(ashlar(['logout', file]).json()).toEqual({ credentials: file, session: 'ended' });
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8'))).sort()).toEqual(['key_id', 'private_key', 'public_key']);
    writeFileSync(file, JSON.stringify(next));
    expect(ashlar(['request', 'GET', '/api/v1/auth/me'], asCarol).status).toBe(4);
  });

  it('says what a file without a key pair, or a session that has ended, lacks', () => {
    expect(ashlar(['login', 'carol', join(folder, 'nobody.json')]).stderr).toMatch(
      /nobody\.json cannot be read \(ENOENT/,
    );
    const file = join(folder, 'carol.json');
    const kept = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...kept, refresh_token: 'rt_none', expires_at: new Date(0).toISOString() }));
    const ended = ashlar(['request', 'GET', '/api/v1/auth/me'], { ASHLAR_CREDENTIALS: file });
    expect([ended.status, ended.stderr]).toEqual([1, expect.stringMatching(/refresh: .*ashlar login/)]);
    writeFileSync(file, '{}');
    expect(ashlar(['login', 'carol', file]).stderr).toMatch(/holds no private_key: ashlar signing-keys pair/);
  });
});

describe('ashlar backup and restore', () => {
  it('copies the database of the running service, and puts it back where no database is', async () => {
    const file = join(folder, 'copy.db');
    const copied = ashlar(['backup', file]);
    expect(copied.status, copied.stderr).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(ashlar(['backup', file]).status).toBe(1);
    const nowhere = join(folder, 'nowhere');
    expect(ashlar(['backup', join(nowhere, 'x')]).stderr).toBe(
      `ashlar: there is no folder ${nowhere}: make it, or name a file elsewhere\n`,
    );

    const dataDir = join(folder, 'restored');
    mkdirSync(dataDir);
    const restored = ashlar(['restore', file], { DATA_DIR: dataDir });
    expect(restored.status, restored.stderr).toBe(0);
    expect(restored.stderr).toContain(join(dataDir, 'master.key'));
    copyFileSync(join(service.dataDir, 'master.key'), join(dataDir, 'master.key'));
    copyFileSync(join(service.dataDir, 'admin-credentials.json'), join(dataDir, 'admin-credentials.json'));
    const names = ashlar(['accounts', 'list'], { DATA_DIR: dataDir }).json().data;
    expect(names).toEqual(ashlar(['accounts', 'list']).json().data);
    expect(ashlar(['restore', file], { DATA_DIR: dataDir }).stderr).toContain('is there already');

    const again = await startService({ CHAIN: 'simulated' }, { dataDir, untilReady: false });
    try {
      for (;;) {
        const answers = await again.call('GET', '/api/v1/blockchain/status').catch(() => null);
        if (answers !== null) {
          expect(answers.status).toBe(200);
          break;
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    } finally {
      await again.dispose();
    }
  });

  it('refuses to restore over a running service, and what is no backup', () => {
    const file = join(folder, 'copy.db');
    const running = ashlar(['restore', file]);
    expect(running.status).toBe(1);
    expect(running.stderr).toContain('in use by a running service');
    const text = join(folder, 'text.db');
    writeFileSync(text, 'not a database');
    const into = join(folder, 'fresh');
    expect(ashlar(['restore', text], { DATA_DIR: into }).stderr).toContain('not a sound backup');
    const torn = join(folder, 'torn.db');
    writeFileSync(torn, readFileSync(file).subarray(0, 40_000));
    expect(ashlar(['restore', torn], { DATA_DIR: into }).stderr).toContain('not a sound backup');
    expect(ashlar(['restore', join(folder, 'nothing.db')], { DATA_DIR: into }).stderr).toContain('There is no file');
    expect(existsSync(join(into, 'ashlar.db'))).toBe(false);
  });
});
