/** Two processes on one PostgreSQL and one node, known under one origin, as behind a load balancer. */
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { request } from 'undici';
import type { PrivateJwk } from '../../../src/core/request-signatures/signing-algorithm.ts';
import { LOCKS } from '../../../src/store/postgres/advisory-lock.ts';
import { startTestNode, type TestNode } from '../../builders/regtest-node.ts';
import { type ServiceProcess, startService } from '../../builders/service-process.ts';
import { signatureHeaders } from '../../builders/signing.ts';
import { withPostgres } from '../../builders/stores.ts';
import { noteExchange, noteSecretsOf } from '../../secrets/collected.ts';

/** What clients call the service. */
export const HOST = 'api.ashlar.test';

export interface Credentials {
  api_key: string;
  private_key: PrivateJwk;
}

export interface Sent {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: any;
}

export interface Prepared {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | null;
}

/** A request ready to be sent to either process, any number of times. `credentials` null: none. */
export function prepare(
  method: string,
  path: string,
  credentials: Credentials | null,
  {
    body = null as unknown,
    nonce = undefined as string | undefined,
    headers: more = {} as Record<string, string>,
  } = {},
): Prepared {
  const text = body === null ? null : JSON.stringify(body);
  const headers: Record<string, string> = {
    host: HOST,
    ...(credentials === null ? {} : { authorization: `Bearer ${credentials.api_key}` }),
    ...(text === null ? {} : { 'content-type': 'application/json' }),
    ...more,
  };
  if (credentials !== null && method !== 'GET') {
    const given = nonce === undefined ? {} : { nonce };
    Object.assign(
      headers,
      signatureHeaders({ method, path, host: HOST, headers, body: text }, credentials.private_key, given),
    );
  }
  return { method, path, headers, body: text };
}

export async function send(service: ServiceProcess, prepared: Prepared): Promise<Sent> {
  const { method, path, headers, body } = prepared;
  const answer = await request(service.baseUrl + path, { method: method as 'GET', headers, body });
  const text = await answer.body.text();
  const isJson = String(answer.headers['content-type']).startsWith('application/json');
  const parsed = isJson && text !== '' ? JSON.parse(text) : text;
  noteExchange(body === null ? undefined : parsedOr(body), { status: answer.statusCode, text, body: parsed });
  return { status: answer.statusCode, headers: answer.headers, body: parsed };
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export interface TwoProcesses {
  readonly node: TestNode;
  readonly first: ServiceProcess;
  readonly second: ServiceProcess;
  readonly admin: Credentials;
  /** Which of the two holds the lock of this background work: exactly one must. */
  holder(work: 'follower' | 'sequencer' | 'sealer'): Promise<ServiceProcess>;
  stop(): Promise<void>;
}

export async function startTwoProcesses(env: Record<string, string> = {}): Promise<TwoProcesses> {
  const opened = new AsyncDisposableStack();
  try {
    const postgres = opened.use(await withPostgres());
    const node = await startTestNode();
    opened.defer(() => node.stop());
    await node.mine(101, await node.rpc<string>('getnewaddress'));
    const folder = mkdtempSync(join(tmpdir(), 'ashlar-secrets-'));
    opened.defer(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'master.key'), crypto.getRandomValues(Buffer.alloc(32)), { mode: 0o600 });
    const database = await postgres.newDatabase();
    const shared = {
      DATABASE_URL: database,
      MASTER_KEY_FILE: join(folder, 'master.key'),
      BITCOIN_RPC_URL: node.rpcUrl,
      BITCOIN_RPC_COOKIE_FILE: node.cookieFile,
      PUBLIC_ORIGINS: `http://${HOST}`,
      ...env,
    };
    const first = await startService(shared);
    opened.defer(() => first.dispose());
    const second = await startService(shared);
    opened.defer(() => second.dispose());
    const admin = JSON.parse(readFileSync(join(first.dataDir, 'admin-credentials.json'), 'utf8')) as Credentials;
    noteSecretsOf(admin);
    return {
      ...{ node, first, second, admin },
      holder: (work) => holderOf(database, LOCKS[work], [first, second]),
      stop: () => opened.disposeAsync(),
    };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

/** PostgreSQL knows the connection that holds a lock by its port, the kernel whose socket that is. */
async function holderOf(database: string, lock: number, services: ServiceProcess[]): Promise<ServiceProcess> {
  const client = new pg.Client(database);
  await client.connect();
  try {
    const { rows } = await client.query<{ client_port: number }>(
      `SELECT client_port FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE locktype = 'advisory' AND granted AND objid = $1 AND objsubid = 2`,
      [lock],
    );
    if (rows.length !== 1) throw new Error(`${rows.length} processes hold the lock ${lock}`);
    const port = rows[0]?.client_port ?? 0;
    const holder = services.find(({ pid }) => localPorts(pid).has(port));
    if (holder === undefined) throw new Error(`the lock ${lock} is held by neither process`);
    return holder;
  } finally {
    await client.end();
  }
}

/** Local TCP ports of a running process (Linux). */
function localPorts(pid: number): Set<number> {
  const folder = `/proc/${pid}/fd`;
  const inodes = new Set<string>();
  try {
    for (const file of readdirSync(folder)) {
      try {
        const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(join(folder, file))) ?? [];
        if (inode !== undefined) inodes.add(inode);
      } catch {
        // Closed meanwhile.
      }
    }
  } catch {
    // The process has ended.
    return new Set();
  }
  const rows = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1);
  return new Set(
    rows
      .map((row) => row.trim().split(/\s+/))
      .filter((columns) => inodes.has(columns[9] as string))
      .map((columns) => Number.parseInt((columns[1] as string).split(':')[1] as string, 16)),
  );
}
