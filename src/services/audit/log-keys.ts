/**
 * The Ed25519 keys that sign tree heads. Each is made of a service key (services/secrets/service-key.ts) named by its number; the public
 * ones are listed in the settings for ever, because old heads stay signed by old keys.
 */
import { type KeyObject, sign } from 'node:crypto';
import { z } from 'zod';
import { ed25519Of, rawPublicKey } from '../../core/keys/ed25519.ts';
import type { Store } from '../../store/store.ts';
import type { KeyProvider } from '../secrets/key-provider.ts';
import { openServiceKey } from '../secrets/service-key.ts';
import { type RecordChange, recordsNothing } from './record-change.ts';

const KEYS = 'audit.keys';
const ORIGIN = 'audit.origin';

const LISTED = z.array(z.object({ number: z.int(), public_key: z.string(), created_at: z.int() }));

interface LogPublicKey {
  readonly number: number;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly createdAt: number;
}

export interface LogKeys {
  /** What the name of each log of this installation begins with. */
  origin(): Promise<string>;
  /** Oldest first; the last one signs. */
  list(): Promise<LogPublicKey[]>;
  /** The key that signs now; asked each time, so that a rotation by another process holds here too. */
  current(): Promise<LogPublicKey & { sign(message: Buffer): Buffer }>;
  /** Makes the next key. Heads signed from now on, in every process, are signed by it. */
  rotate(): Promise<LogPublicKey>;
}

interface LogKeyDeps {
  store: Store;
  provider: KeyProvider;
  randomBytes: (size: number) => Uint8Array;
  clock: () => number;
  /** For the command line: in the job of the rotation. Absent: nothing is recorded. */
  recordChange?: RecordChange;
}

export function createLogKeys(deps: LogKeyDeps): LogKeys {
  const { store, randomBytes, clock, recordChange = recordsNothing } = deps;
  const privateKeys = new Map<number, KeyObject>();

  async function privateKey(number: number): Promise<KeyObject> {
    const known = privateKeys.get(number);
    if (known !== undefined) return known;
    const key = ed25519Of(await openServiceKey(deps, `audit heads ${number}`));
    privateKeys.set(number, key);
    return key;
  }

  async function list(): Promise<LogPublicKey[]> {
    return listed(await store.read.settings.get(KEYS));
  }

  /** Adds key `number` to the list unless it is there. */
  async function enlist(number: number, record: RecordChange): Promise<LogPublicKey[]> {
    const publicKey = rawPublicKey(await privateKey(number));
    return store.write(async (tx) => {
      const keys = listed(await tx.settings.get(KEYS));
      if (keys.some((key) => key.number === number)) return keys;
      const all = [...keys, { number, publicKey, createdAt: clock() }];
      await tx.settings.set(KEYS, textOf(all));
      await record(tx, { operation: 'audit-key.rotate', accountId: null, target: `audit heads ${number}` });
      return all;
    });
  }

  return {
    async origin() {
      const known = await store.read.settings.get(ORIGIN);
      if (known !== null) return known;
      const offered = `ashlar/${Buffer.from(randomBytes(8)).toString('hex')}`;
      return store.write((tx) => tx.settings.setOnce(ORIGIN, offered));
    },
    list,
    async current() {
      let keys = await list();
      if (keys.length === 0) keys = await enlist(1, recordsNothing);
      const last = keys.at(-1)!;
      const key = await privateKey(last.number);
      return { ...last, sign: (message) => sign(null, message, key) };
    },
    async rotate() {
      const keys = await list();
      return (await enlist((keys.at(-1)?.number ?? 0) + 1, recordChange)).at(-1)!;
    },
  };
}

const listed = (stored: string | null): LogPublicKey[] =>
  LISTED.parse(JSON.parse(stored ?? '[]')).map((key) => ({
    number: key.number,
    publicKey: Buffer.from(key.public_key, 'base64'),
    createdAt: key.created_at,
  }));

const textOf = (keys: readonly LogPublicKey[]): string =>
  JSON.stringify(
    keys.map(({ number, publicKey, createdAt }) => ({
      number,
      public_key: Buffer.from(publicKey).toString('base64'),
      created_at: createdAt,
    })),
  );
