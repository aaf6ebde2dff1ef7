/**
 * The service as an operator runs it: a process of its own on a real port, which a test can stop, kill with -9 and start again
 * on the same data directory.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../../src/chain/node-finder/free-ports.ts';
import type { PrivateJwk } from '../../src/core/request-signatures/signing-algorithm.ts';
import { noteExchange, noteOutput, noteSecretsOf } from '../secrets/collected.ts';
import { MAIN } from './built.ts';
import { childEnvironment } from './child-environment.ts';
import { createPairs, lowerCased, type Signing } from './signing.ts';

/** Of every service that a test started: replicas on one database have the first one's administrator. */
const pairs = createPairs(Date.now);

/** Else what was compiled is kept by an orderly end alone, and most are killed. */
const KEEP_COMPILED =
  "data:text/javascript,import{flushCompileCache}from'node:module';setTimeout(flushCompileCache,2000).unref()";

interface Answer<T = any> {
  status: number;
  headers: Headers;
  body: T;
}

export interface ServiceProcess {
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly apiKey: string;
  readonly pid: number;
  /** The exit code of the present process, once it has ended and all that it wrote has been read. */
  readonly exited: Promise<number | null>;
  /** All that the process wrote, over its restarts. */
  output(): string;
  start(): Promise<void>;
  /** SIGTERM and wait. Answers the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL and wait. */
  kill(): Promise<void>;
  /** Whatever modifies is signed with the pair of the first start; `sign: false`: not, a private JWK: with that one. */
  call<T = any>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
    sign?: Signing,
  ): Promise<Answer<T>>;
  /** Stops and removes the data directory. */
  dispose(): Promise<void>;
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}

/** Starts the service and waits until /readyz?for=writes says so. `env` overrides; DATA_DIR, HOST and PORT are given. */
export async function startService(
  env: Record<string, string>,
  options: {
    untilReady?: boolean;
    dataDir?: string;
    /** Else a free one: for who must know it before the start. */
    port?: number;
    main?: URL;
    /** `call` asks with an administrator's key that may ask as often as it likes: for tests that look again and again. */
    unlimited?: true;
  } = {},
): Promise<ServiceProcess> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'ashlar-test-'));
  const port = options.port ?? (await freePort());
  const baseUrl = `http://127.0.0.1:${port}`;
  let child: ChildProcess | null = null;
  let exited: Promise<number | null> = Promise.resolve(null);
  let output = '';

  async function start(): Promise<void> {
    const main = options.main ? fileURLToPath(options.main) : MAIN;
    const process_ = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=8', '--import', KEEP_COMPILED, main],
      {
        env: {
          ...childEnvironment,
          HOST: '127.0.0.1',
          PORT: String(port),
          METRICS_PORT: '0',
          DATA_DIR: dataDir,
          LOG_LEVEL: 'trace',
          // A busy machine is no overload.
          MAX_EVENT_LOOP_DELAY_MS: '0',
          ...env,
        },
        cwd: dataDir,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    child = process_;
    for (const stream of [process_.stdout, process_.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        noteOutput(text);
      });
    }
    exited = new Promise((resolve) => process_.once('close', (code) => resolve(code)));
    if (options.untilReady === false) return;
    const deadline = Date.now() + 120_000;
    for (;;) {
      if (process_.exitCode !== null || process_.signalCode !== null)
        throw new Error(`the service ended with ${await exited}:\n${output}`);
      if (Date.now() > deadline) throw new Error(`the service was not ready in time:\n${output}`);
      const ready = await fetch(`${baseUrl}/readyz?for=writes`).then(
        (response) => response.ok,
        () => false,
      );
      if (ready) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async function stop(): Promise<number | null> {
    child?.kill('SIGTERM');
    return exited;
  }

  async function kill(): Promise<void> {
    child?.kill('SIGKILL');
    await exited;
  }

  const adminKey = (): string => {
    const { api_key, private_key } = JSON.parse(readFileSync(join(dataDir, 'admin-credentials.json'), 'utf8')) as {
      api_key: string;
      private_key: PrivateJwk;
    };
    pairs.remember(api_key, private_key);
    noteSecretsOf({ api_key, private_key });
    return api_key;
  };

  let callerKey: string | null = null;

  async function call(
    method: string,
    path: string,
    body?: unknown,
    given: Record<string, string> = {},
    sign = true as Signing,
  ): Promise<Answer> {
    const text = body === undefined ? null : JSON.stringify(body);
    const headers: Record<string, string> = {
      authorization: given.authorization ?? `Bearer ${callerKey ?? adminKey()}`,
      ...(text === null ? {} : { 'content-type': 'application/json' }),
      ...lowerCased(given),
    };
    const { host } = new URL(baseUrl);
    const signed = pairs.headersFor({ method, path, host, headers, body: text }, sign);
    const response = await fetch(baseUrl + path, {
      method,
      headers: { ...signed, ...headers },
      ...(text === null ? {} : { body: text }),
    });
    const { status } = response;
    const answer = await response.text();
    const parsed = answer ? JSON.parse(answer) : null;
    noteExchange(body, { status, text: answer, body: parsed });
    return { status, headers: response.headers, body: parsed };
  }

  async function takeUnlimitedKey(): Promise<void> {
    const limits = { requests_per_minute: 1_000_000, bulk_per_minute: 1_000_000 };
    const wanted = { name: 'unlimited', role: 'admin', scopes: ['*'], tier: 'custom', limits };
    const { status, body } = await call('POST', '/api/v1/api-keys', wanted);
    if (status !== 201) throw new Error(`no key without limits was made: ${status} ${JSON.stringify(body)}`);
    pairs.remember(body.api_key, body.private_key);
    callerKey = body.api_key;
  }

  await start();
  if (options.unlimited) await takeUnlimitedKey();
  return {
    baseUrl,
    dataDir,
    get apiKey() {
      return adminKey();
    },
    get pid() {
      return child?.pid ?? 0;
    },
    get exited() {
      return exited;
    },
    output: () => output,
    start,
    stop,
    kill,
    call,
    async dispose() {
      await kill();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Calls `probe` until it answers something truthy; throws what was last seen after `timeoutMs`: long, for busy machines. */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | null | undefined | false>,
  timeoutMs = 90_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  let last: unknown;
  // Most of what is waited for is there at once, or takes long.
  for (let pauseMs = 10; ; pauseMs = Math.min(50, pauseMs + 5)) {
    try {
      const answer = await probe();
      if (answer) return answer;
      last = answer;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what} (last seen: ${String(last)})`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
