import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { arch, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cacheFolder, findBitcoind } from '../../../src/chain/node-finder/find-bitcoind.ts';
import type { FetchProgress } from '../../../src/chain/node-finder/progress.ts';

/** apt-get and dpkg are stood in for by scripts that unpack a loader which answers `--version`; everything around them is real. */
describe('findBitcoind', () => {
  let folder: string;
  let bin: string;
  let env: NodeJS.ProcessEnv;
  let binary: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ashlar-find-'));
    bin = join(folder, 'bin');
    await mkdir(bin);
    env = {
      PATH: bin,
      XDG_CACHE_HOME: join(folder, 'cache'),
      ASHLAR_DEBIAN_MIRROR: 'http://mirror.invalid/debian',
      ASHLAR_DEBIAN_KEYRING: '/keyring.gpg',
    };
    binary = join(folder, 'cache', 'ashlar', `bitcoind-${arch()}`, 'bin', 'bitcoind');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function script(name: string, body: string): Promise<void> {
    await writeFile(join(bin, name), `#!/bin/sh\nPATH=/usr/bin:/bin\n${body}\n`);
    await chmod(join(bin, name), 0o755);
  }
  async function debian({ loader = 'echo "Test daemon version v1"' } = {}): Promise<void> {
    await script(
      'apt-get',
      `echo "$*" >> ${folder}/apt.log
cat "$2" > ${folder}/apt.conf; cat "$(dirname "$2")/sources.list" > ${folder}/sources.list
case "$*" in *download*) sleep 0.3; touch one.deb; echo "dlstatus:1:50.0:Retrieving" >&3;; esac`,
    );
    await script(
      'dpkg',
      `lib="$3/usr/lib/test-linux-gnu"; mkdir -p "$lib" "$3/usr/bin"
printf '#!/bin/sh\\n%s\\n' '${loader}' > "$lib/ld-linux-test.so.1"; chmod 755 "$lib/ld-linux-test.so.1"
touch "$lib/libc.so.6" "$3/usr/bin/bitcoind" "$3/usr/bin/bitcoin-cli"`,
    );
  }
  const downloads = async (): Promise<number> =>
    (await readFile(join(folder, 'apt.log'), 'utf8')).split('\n').filter((line) => line.includes('download')).length;
  const leftovers = async (): Promise<string[]> => readdir(join(folder, 'cache', 'ashlar'));

  it('takes what is on the PATH', async () => {
    await script('bitcoind', 'echo "Bitcoin Core daemon version v30.0.0"; echo "Copyright"');
    expect(await findBitcoind({ env })).toEqual({
      binary: join(bin, 'bitcoind'),
      version: 'Bitcoin Core daemon version v30.0.0',
      from: 'path',
    });
  });

  it('passes over one that does not run here', async () => {
    await script('bitcoind', 'exit 127');
    expect(await findBitcoind({ env, fetch: false })).toMatchObject({ binary: null });
  });

  it('fetches from Debian into the cache, and finds it there afterwards', async () => {
    await debian();
    const progress: FetchProgress[] = [];
    const found = await findBitcoind({ env, onProgress: (step) => progress.push(step) });
    expect(found).toEqual({ binary, version: 'Test daemon version v1', from: 'debian' });
    expect(await findBitcoind({ env })).toEqual({ ...found, from: 'cache' });
    expect(await downloads()).toBe(1);
    expect(await leftovers()).toEqual([`bitcoind-${arch()}`]);
    expect(progress.at(-1)).toEqual({ step: 'bitcoind is ready', share: 1 });
    expect(progress.map(({ share }) => share)).toEqual(progress.map(({ share }) => share).toSorted((a, b) => a - b));
    expect(await readFile(join(folder, 'sources.list'), 'utf8')).toBe(
      `deb [signed-by=/keyring.gpg] http://mirror.invalid/debian trixie main
deb [signed-by=/keyring.gpg] http://mirror.invalid/debian trixie-backports main
`,
    );
  });

  it("leaves the system's apt alone: its folders, status and hooks are its own", async () => {
    await debian();
    await findBitcoind({ env });
    const configuration = await readFile(join(folder, 'apt.conf'), 'utf8');
    for (const [, path] of configuration.matchAll(/^Dir::\S+ "([^"]*)";$/gm)) {
      expect(path === '' || path === '/dev/null' || path!.startsWith(join(folder, 'cache', 'ashlar'))).toBe(true);
    }
    expect(configuration).toContain('#clear APT::Update::Post-Invoke-Success;');
  });

  it('fetches once when two start at once', async () => {
    await debian();
    const both = await Promise.all([findBitcoind({ env }), findBitcoind({ env })]);
    expect(both.map((found) => found.binary)).toEqual([binary, binary]);
    expect(await downloads()).toBe(1);
    expect(await leftovers()).toEqual([`bitcoind-${arch()}`]);
  });

  it('takes over the lock of a fetch that was killed', async () => {
    await debian();
    await mkdir(join(folder, 'cache', 'ashlar'), { recursive: true });
    const lock = join(folder, 'cache', 'ashlar', `bitcoind-${arch()}.lock`);
    await writeFile(lock, '');
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(lock, longAgo, longAgo);
    expect(await findBitcoind({ env })).toMatchObject({ binary, from: 'debian' });
    await expect(stat(lock)).rejects.toThrow();
  });

  it('publishes nothing that does not run, and fetches again next time', async () => {
    await debian({ loader: 'exit 1' });
    expect(await findBitcoind({ env })).toMatchObject({ binary: null });
    expect(await leftovers()).toEqual([]);
    await debian();
    expect(await findBitcoind({ env })).toMatchObject({ binary, from: 'debian' });
  });

  it.each([
    ['there is no apt-get', async () => {}, /no apt-get/],
    [
      'the mirror cannot be reached',
      () =>
        script(
          'apt-get',
          'echo "E: Failed to fetch http://me:sesame@mirror.invalid/x  Could not resolve" >&2; exit 100',
        ),
      /Failed to fetch http:\/\/mirror\.invalid\/x/,
    ],
    [
      'the package is missing',
      () => script('apt-get', 'echo "E: Unable to locate package" >&2; exit 100'),
      /locate package/,
    ],
  ])('says why when %s', async (_case, prepare, reason) => {
    await prepare();
    expect(await findBitcoind({ env })).toEqual({ binary: null, reason: expect.stringMatching(reason) });
    expect(await leftovers()).toEqual([]);
  });

  it('stops when it is told to', async () => {
    await debian();
    const controller = new AbortController();
    const stopped = findBitcoind({ env, signal: controller.signal, onProgress: () => controller.abort() });
    await expect(stopped).rejects.toThrow(/abort/i);
    expect(await leftovers()).toEqual([]);
  });

  it('keeps its cache where XDG says', () => {
    expect(cacheFolder({ XDG_CACHE_HOME: '/x' })).toBe('/x/ashlar');
    expect(cacheFolder({ XDG_CACHE_HOME: 'relative', HOME: '/home/a' })).toBe('/home/a/.cache/ashlar');
    expect(cacheFolder({ HOME: '/home/a' })).toBe('/home/a/.cache/ashlar');
  });
});
