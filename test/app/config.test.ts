import { describe, expect, it } from 'vitest';
import { ConfigError, parseConfig } from '../../src/config.ts';

const problemsOf = (env: Record<string, string>): readonly string[] => {
  try {
    parseConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
};

describe('mail', () => {
  const smtp = {
    SMTP_URL: 'smtps://u:p%40ss@mail.example.com',
    NOTIFICATION_EMAIL_FROM: 'Ashlar <a@mail.example.com>',
    NOTIFICATION_EMAIL_DOMAINS: 'example.com',
  };

  it('has a server and a sender, or neither', () => {
    expect(parseConfig({}).mail).toBeNull();
    expect(parseConfig(smtp).mail).toMatchObject({
      from: { name: 'Ashlar', address: 'a@mail.example.com' },
      dkim: null,
    });
    expect(problemsOf({ SMTP_URL: smtp.SMTP_URL })[0]).toContain('NOTIFICATION_EMAIL_FROM');
    expect(problemsOf({ ...smtp, NOTIFICATION_EMAIL_DOMAINS: '' })[0]).toContain('NOTIFICATION_EMAIL_DOMAINS');
    expect(problemsOf({ NOTIFICATION_EMAIL_FROM: 'a@example.com' })[0]).toContain('SMTP_URL');
    expect(problemsOf({ ...smtp, SMTP_URL: 'smtp://u:%zz@mail.example.com' })[0]).toContain('percent-encoded');
    expect(problemsOf({ ...smtp, NOTIFICATION_DKIM_DOMAIN: 'example.com' })[0]).toContain('NOTIFICATION_DKIM_KEY_FILE');
    const signed = { ...smtp, NOTIFICATION_DKIM_SELECTOR: 's', NOTIFICATION_DKIM_KEY_FILE: 'key.pem' };
    for (const domain of ['mail.example.com', 'Example.com'])
      expect(problemsOf({ ...signed, NOTIFICATION_DKIM_DOMAIN: domain }), domain).toEqual([]);
    for (const domain of ['il.example.com', 'other.mail.example.com'])
      expect(problemsOf({ ...signed, NOTIFICATION_DKIM_DOMAIN: domain })[0], domain).toContain('mail.example.com');
    for (const from of ['a@b@c.example', 'A <a@example.com>, b@example.com', 'a@example.com\r\nBcc: b@example.com'])
      expect(problemsOf({ ...smtp, NOTIFICATION_EMAIL_FROM: from })[0]).toContain('NOTIFICATION_EMAIL_FROM');
  });
});

describe('the configuration', () => {
  it('has a default for everything', () => {
    expect(parseConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      dataDir: `${process.cwd()}/data`,
      databaseUrl: null,
      network: 'regtest',
      chain: 'auto',
      bitcoinRpc: null,
      publicOrigins: ['http://127.0.0.1:3000', 'http://localhost:3000'],
      trustProxy: false,
      metricsPort: null,
      logLevel: 'info',
      signaturePolicy: 'required',
      allowMainnetHotWallets: false,
    });
  });

  it('takes an empty value for none, and ignores variables it does not know', () => {
    expect(parseConfig({ PORT: '', BITCOIN_RPC_URL: '', PORTS: 'x', ASHLAR_FOO: 'x' }).port).toBe(3000);
  });

  it('takes the userinfo out of the RPC URL', () => {
    expect(parseConfig({ BITCOIN_RPC_URL: 'http://alice:p%40ss@127.0.0.1:18443' }).bitcoinRpc).toEqual({
      url: 'http://127.0.0.1:18443/',
      userinfo: 'alice:p%40ss',
      cookieFile: null,
    });
  });

  it.each([
    ['PORT', '65536', /from 0 to 65535/],
    ['PORT', '80a', /from 0 to 65535/],
    ['PORT', '-1', /from 0 to 65535/],
    ['METRICS_PORT', 'on', /from 0 to 65535/],
    ['HOST', 'local host', /127\.0\.0\.1/],
    ['BITCOIN_NETWORK', 'testnet3', /regtest, signet, testnet4, mainnet/],
    ['CHAIN', 'electrum', /auto, bitcoind, esplora, simulated/],
    ['BITCOIN_RPC_URL', '127.0.0.1:8332', /http:\/\/user:password@127/],
    ['BITCOIN_RPC_URL', 'ftp://127.0.0.1', /http:\/\/user:password@127/],
    ['BITCOIN_RPC_URL', 'http://a%zz:b@127.0.0.1', /percent-encoded/],
    ['BITCOIN_ZMQ_URL', 'tcp://127.0.0.1:1,udp://x', /tcp:\/\/127/],
    ['ESPLORA_URL', 'mempool', /https:/],
    ['DATABASE_URL', 'mysql://a:hunter2@b/c', /postgres:/],
    ['REDIS_URL', 'http://redis', /redis:/],
    ['PUBLIC_ORIGINS', 'https://api.example.com/', /without path or final slash/],
    ['CORS_ORIGINS', '*', /without path or final slash/],
    ['CORS_ORIGINS', 'https://a.example.com,b.example.com', /without path or final slash/],
    ['MAX_EVENT_LOOP_DELAY_MS', '1s', /number of milliseconds/],
    ['MAX_WRITER_QUEUE', '-1', /number of waiting writes/],
    ['SPEND_HISTORY_DAYS', '31', /from 32 to 36500/],
    ['DAO_PARAMETERS', '[]', /must be a JSON object/],
    ['DAO_PARAMETERS', '{"quorum_percent":101}', /has parameters.quorum_percent: must be from 0 to 100/],
    ['NOTIFICATION_HISTORY_DAYS', '30', /from 40 to 3650/],
    ['MAX_WATCHED_SCRIPTS', '10', /from 1000 to 100000000/],
    ['ORACLE_ALLOWED_HOSTS', 'http://oracle.internal', /without scheme and port/],
    ['ORACLE_ALLOWED_HOSTS', 'oracle.internal:8080', /without scheme and port/],
    ['ORACLE_ALLOWED_HOSTS', 'oracle.internal,', /without scheme and port/],
    ['TRUST_PROXY', '10.0.0.0/33', /10\.0\.0\.0\/8/],
    ['TRUST_PROXY', 'true', /10\.0\.0\.0\/8/],
    ['SIGNATURE_POLICY', 'none', /required, per-key/],
    ['ALLOW_MAINNET_HOT_WALLETS', 'yes', /true, false/],
    ['LOG_LEVEL', 'verbose', /debug/],
  ])('refuses %s=%s, naming the variable and what would be right', (name, value, right) => {
    const problems = problemsOf({ [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name} `));
    expect(problems[0]).toMatch(right);
  });

  it.each([
    [{ CHAIN: 'bitcoind' }, 'BITCOIN_RPC_URL'],
    [{ CHAIN: 'esplora' }, 'ESPLORA_URL'],
    [{ CHAIN: 'simulated', BITCOIN_NETWORK: 'signet' }, 'CHAIN'],
    [{ BITCOIN_NETWORK: 'mainnet' }, 'BITCOIN_RPC_URL'],
    [{ BITCOIN_RPC_URL: 'http://a:b@127.0.0.1:1', ESPLORA_URL: 'http://127.0.0.1:2' }, 'CHAIN'],
    [{ DATABASE_URL: 'postgres://a:b@127.0.0.1/c' }, 'MASTER_KEY_FILE'],
    [{ DATABASE_PASSWORD_FILE: 'p' }, 'DATABASE_URL'],
  ])('refuses %o, which does not go together', (env, name) => {
    expect(problemsOf(env as unknown as Record<string, string>)).toEqual([
      expect.stringMatching(new RegExp(`^${name} `)),
    ]);
  });

  it('names every wrong variable at once', () => {
    expect(problemsOf({ PORT: 'x', CHAIN: 'y', LOG_LEVEL: 'z' })).toHaveLength(3);
  });

  it('never repeats what may be a secret', () => {
    const wrong = {
      DATABASE_URL: 'mysql://user:hunter2@host/db',
      BITCOIN_RPC_URL: 'ftp://user:hunter2@host',
      REDIS_URL: 'http://:hunter2@host',
      ESPLORA_URL: 'ftp://user:hunter2@host',
    };
    expect(problemsOf(wrong)).toHaveLength(4);
    expect(problemsOf(wrong).join()).not.toContain('hunter2');
    expect(problemsOf({ BITCOIN_RPC_URL: 'http://user:hunter2%zz@host' }).join()).not.toContain('hunter2');
  });
});
