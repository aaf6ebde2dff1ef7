/** A service that is killed (-9) right before or right after the COMMIT that a test names, and started again whenever it ends. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type ServiceProcess, startService } from '../../builders/service-process.ts';
import { type Caller, type Credentials, createCaller } from './caller.ts';
import { unlimited } from './series.ts';

const PRELOAD = fileURLToPath(new URL('killed-at-commit.ts', import.meta.url));
/** No life has as many. */
const MOST_COMMITS = 20;

export type When = 'before' | 'after';

export interface KilledService {
  readonly service: ServiceProcess;
  /** With a key that may ask as often as it likes. */
  readonly admin: Caller;
  /** How often it has been killed. */
  readonly deaths: number;
  /** Another such key. */
  key(name: string, role: string): Promise<Caller>;
  /** From now on it is started again when it ends: whoever asks meanwhile asks again until it is there. */
  startAgain(): void;
  /** It is killed at the next such COMMIT, until it was or `spare` is called; the mark tells one life from others. */
  arm(mark: string, commit: number, when: When): void;
  spare(): void;
  /** It ends for good. */
  end(): void;
  dispose(): Promise<void>;
}

/** `tables`: a regular expression of those whose changes count; unless given, those of killed-at-commit.ts. */
export async function startKilledService(env: Record<string, string>, tables?: string): Promise<KilledService> {
  const folder = mkdtempSync(join(tmpdir(), 'ashlar-kills-'));
  const file = join(folder, 'kill-at');
  const service = await startService({
    ...{ CHAIN: 'simulated', LOG_LEVEL: 'debug', NODE_OPTIONS: `--import ${PRELOAD}`, KILL_AT: file },
    ...(tables === undefined ? {} : { KILL_TABLES: tables }),
    ...env,
  });
  const first = JSON.parse(readFileSync(join(service.dataDir, 'admin-credentials.json'), 'utf8')) as Credentials;
  const admin = await unlimited(service.baseUrl, createCaller(service.baseUrl, first));
  let [deaths, over] = [0, false];
  const spare = () => rmSync(file, { force: true });
  const startAgain = (): Promise<void> =>
    service.exited.then(async () => {
      if (over) return;
      deaths++;
      spare();
      const started = service.start();
      void startAgain();
      // It may be killed before it is ready.
      await started.catch(() => {});
    });

  return {
    ...{ service, admin, spare },
    get deaths() {
      return deaths;
    },
    key: (name, role) => unlimited(service.baseUrl, admin, { name, role }),
    startAgain: () => void startAgain(),
    arm: (mark, commit, when) => writeFileSync(file, JSON.stringify({ mark, commit, when })),
    end() {
      over = true;
    },
    async dispose() {
      over = true;
      await service.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Lives with a death at the first COMMIT, at the second and so on, until one has fewer; answers which that was. `live`: whether it was killed. */
export async function livesKilledAtEach(live: (commit: number) => Promise<boolean>): Promise<number> {
  let commit = 1;
  while (await live(commit)) expect(commit++).toBeLessThan(MOST_COMMITS);
  return commit;
}
