import { access, chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { debianMirror } from './debian-mirror.ts';
import type { FetchProgress } from './progress.ts';
import { CommandFailed, runCommand } from './run-command.ts';

export interface FetchOptions {
  /** Where the finished folder is put: it appears whole or not at all. */
  target: string;
  env: NodeJS.ProcessEnv;
  onProgress: (progress: FetchProgress) => void;
  signal?: AbortSignal;
}

const SUITE = 'trixie';
const NODE_PACKAGE = `bitcoin-knots/${SUITE}-backports`;
/** What bitcoind links, and what those link in turn. */
const LIBRARIES = [
  ...['libc6', 'libstdc++6', 'libgcc-s1', 'libsqlite3-0', 'libzmq5', 'libsodium23', 'libpgm-5.3-0t64'],
  ...['libevent-core-2.1-7t64', 'libevent-extra-2.1-7t64', 'libevent-pthreads-2.1-7t64', 'libnorm1t64'],
  ...['libbsd0', 'libmd0', 'libgssapi-krb5-2', 'libkrb5-3', 'libk5crypto3', 'libkrb5support0', 'libcom-err2'],
  'libkeyutils1',
];
const KEYRINGS = ['/usr/share/keyrings/debian-archive-keyring.gpg', '/usr/share/keyrings/debian-archive-keyring.pgp'];
const NETWORK_TIMEOUT_MS = 300_000;
const LOCAL_TIMEOUT_MS = 60_000;

/**
 * Fetches bitcoind from Debian without installing it: apt with a configuration of its own (nothing of the system's apt changes, no root
 * needed), the packages unpacked beside the libraries they need and started through those libraries' own loader, so that an older
 * system's libc does not matter. Packages are verified by apt against Debian's archive keys. Throws an Error that says why it cannot.
 */
export async function fetchFromDebian(options: FetchOptions): Promise<void> {
  const { onProgress, signal } = options;
  const mirror = options.env.ASHLAR_DEBIAN_MIRROR || debianMirror(await aptSources());
  if (!mirror) throw new Error('apt has no Debian mirror among its sources (ASHLAR_DEBIAN_MIRROR can name one)');
  const keyring = options.env.ASHLAR_DEBIAN_KEYRING || (await firstThatExists(KEYRINGS));
  if (!keyring) throw new Error('the Debian archive keyring is not installed (ASHLAR_DEBIAN_KEYRING can name one)');

  const work = await mkdtemp(`${options.target}.part-`);
  try {
    const apt = await privateApt(work, mirror, keyring, options);
    onProgress({ step: 'Reading the package lists', share: 0 });
    await apt(['update'], (share) => onProgress({ step: 'Reading the package lists', share: share * 0.35 }));
    onProgress({ step: 'Downloading bitcoind', share: 0.35 });
    await apt(['download', NODE_PACKAGE, ...LIBRARIES], (share) =>
      onProgress({ step: 'Downloading bitcoind', share: 0.35 + share * 0.45 }),
    );
    onProgress({ step: 'Unpacking', share: 0.8 });
    await unpack(work, options);
    onProgress({ step: 'Checking', share: 0.95 });
    const binary = join(work, 'node', 'bin', 'bitcoind');
    await runCommand(binary, ['--version'], { timeoutMs: LOCAL_TIMEOUT_MS, ...(signal && { signal }) });
    await rename(join(work, 'node'), options.target);
    onProgress({ step: 'bitcoind is ready', share: 1 });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

type Apt = (args: readonly string[], onShare: (share: number) => void) => Promise<void>;

async function privateApt(work: string, mirror: string, keyring: string, options: FetchOptions): Promise<Apt> {
  for (const folder of ['lists/partial', 'archives/partial', 'preferences.d', 'sources.d', 'debs']) {
    await mkdir(join(work, folder), { recursive: true });
  }
  const source = (suite: string) => `deb [signed-by=${keyring}] ${mirror} ${suite} main\n`;
  await writeFile(join(work, 'sources.list'), source(SUITE) + source(`${SUITE}-backports`));
  // Read after the system's configuration, so that its proxies hold; #clear drops its hooks, which may need root.
  await writeFile(
    join(work, 'apt.conf'),
    [
      `Dir::Etc::sourcelist "${join(work, 'sources.list')}";`,
      `Dir::Etc::sourceparts "${join(work, 'sources.d')}";`,
      'Dir::Etc::preferences "/dev/null";',
      `Dir::Etc::preferencesparts "${join(work, 'preferences.d')}";`,
      `Dir::State "${work}";`,
      `Dir::State::lists "${join(work, 'lists')}";`,
      'Dir::State::status "/dev/null";',
      `Dir::Cache "${work}";`,
      `Dir::Cache::archives "${join(work, 'archives')}";`,
      'Dir::Cache::pkgcache "";',
      'Dir::Cache::srcpkgcache "";',
      'APT::Sandbox::User "root";',
      'APT::Update::Error-Mode "any";',
      'APT::Status-Fd "3";',
      'Acquire::Languages "none";',
      'Acquire::Retries "2";',
      'Acquire::http::Timeout "20";',
      'Acquire::https::Timeout "20";',
      '#clear APT::Update::Pre-Invoke;',
      '#clear APT::Update::Post-Invoke;',
      '#clear APT::Update::Post-Invoke-Success;',
      '',
    ].join('\n'),
  );
  return async (args, onShare) => {
    try {
      await runCommand('apt-get', ['-c', join(work, 'apt.conf'), '-q', ...args], {
        cwd: join(work, 'debs'),
        env: { ...options.env, LC_ALL: 'C' },
        timeoutMs: NETWORK_TIMEOUT_MS,
        ...(options.signal && { signal: options.signal }),
        onStatusLine: (line) => {
          const percent = /^dlstatus:[^:]*:([\d.]+):/.exec(line)?.[1];
          if (percent) onShare(Number(percent) / 100);
        },
      });
    } catch (error) {
      if (error instanceof CommandFailed && error.notFound) throw new Error('this system has no apt-get');
      throw error;
    }
  };
}

async function unpack(work: string, { env, signal }: FetchOptions): Promise<void> {
  const root = join(work, 'root');
  await mkdir(root);
  for (const deb of await readdir(join(work, 'debs'))) {
    await runCommand('dpkg', ['-x', join(work, 'debs', deb), root], {
      env,
      timeoutMs: LOCAL_TIMEOUT_MS,
      ...(signal && { signal }),
    });
  }
  const lib = join(work, 'node', 'lib');
  const bin = join(work, 'node', 'bin');
  await mkdir(lib, { recursive: true });
  await mkdir(bin);
  const libraries = join(root, 'usr', 'lib', await multiarchFolder(root));
  let loader: string | undefined;
  for (const entry of await readdir(libraries, { withFileTypes: true })) {
    if (entry.isDirectory() || !entry.name.includes('.so')) continue;
    await cp(join(libraries, entry.name), join(lib, entry.name), { verbatimSymlinks: true });
    if (entry.name.startsWith('ld-linux')) loader = entry.name;
  }
  if (!loader) throw new Error('the fetched libc holds no loader');
  for (const program of ['bitcoind', 'bitcoin-cli']) {
    await cp(join(root, 'usr', 'bin', program), join(lib, `${program}.bin`));
    const wrapper = join(bin, program);
    await writeFile(wrapper, wrapperScript(loader, `${program}.bin`));
    await chmod(wrapper, 0o755);
  }
}

/** Found by its loader: the folder is named after the machine's architecture (x86_64-linux-gnu, aarch64-linux-gnu). */
async function multiarchFolder(root: string): Promise<string> {
  for (const entry of await readdir(join(root, 'usr', 'lib'), { withFileTypes: true })) {
    if (!entry.isDirectory() || !entry.name.includes('-linux-')) continue;
    const files = await readdir(join(root, 'usr', 'lib', entry.name));
    if (files.some((file) => file.startsWith('ld-linux'))) return entry.name;
  }
  throw new Error('the fetched libc holds no loader');
}

const wrapperScript = (loader: string, program: string): string =>
  `#!/bin/sh
lib="$(dirname "$(dirname "$(readlink -f "$0")")")/lib"
exec "$lib/${loader}" --inhibit-cache --library-path "$lib" "$lib/${program}" "$@"
`;

async function aptSources(): Promise<{ name: string; text: string }[]> {
  const parts = await readdir('/etc/apt/sources.list.d').catch(() => []);
  const names = ['/etc/apt/sources.list', ...parts.toSorted().map((name) => `/etc/apt/sources.list.d/${name}`)];
  const files: { name: string; text: string }[] = [];
  for (const name of names) {
    if (!/\.(list|sources)$/.test(name)) continue;
    const text = await readFile(name, 'utf8').catch(() => null);
    if (text !== null) files.push({ name, text });
  }
  return files;
}

async function firstThatExists(paths: readonly string[]): Promise<string | null> {
  for (const path of paths) {
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  return null;
}
