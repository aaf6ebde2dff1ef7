/** Passwords as argon2id digests (RFC 9106), computed in the thread pool, in turn: each takes its memory and a core. */
import { type Argon2Parameters, argon2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { normalizePassword } from '../../core/users/password-rules.ts';
import { type Deriver, derivations } from '../secrets/derivations.ts';

export interface Argon2Cost {
  readonly memoryKib: number;
  readonly passes: number;
  readonly parallelism: number;
}

const SALT_BYTES = 16;
const HASH_BYTES = 32;
const PHC = /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,172})$/;

const derive = promisify(argon2) as (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Buffer>;

export function createPasswords(deps: { cost: Argon2Cost; randomBytes: (size: number) => Uint8Array }) {
  const { cost, randomBytes } = deps;

  const compute = (
    password: string,
    salt: Uint8Array,
    { at, size, whose }: { at: Argon2Cost; size: number; whose: Deriver },
  ): Promise<Buffer> =>
    derivations.take({ accountId: whose.accountId, signal: whose.signal }, () =>
      derive('argon2id', {
        message: normalizePassword(password),
        nonce: salt,
        memory: at.memoryKib,
        passes: at.passes,
        parallelism: at.parallelism,
        tagLength: size,
      }),
    );

  return {
    /** PHC string: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. Throws `unavailable` where too many wait. */
    async hash(password: string, whose: Deriver) {
      const salt = randomBytes(SALT_BYTES);
      const { memoryKib, passes, parallelism } = cost;
      const digest = await compute(password, salt, { at: cost, size: HASH_BYTES, whose });
      return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${parallelism}$${base64(salt)}$${base64(digest)}`;
    },
    /**
     * Whether `stored` is this password's; `stale` where it was made at another cost than today's. Without a stored one it takes as
     * long and is never right. Throws `unavailable` where too many wait.
     */
    async verify(password: string, stored: string | null, whose: Deriver) {
      if (stored === null) {
        await compute(password, randomBytes(SALT_BYTES), { at: cost, size: HASH_BYTES, whose });
        return { right: false, stale: false };
      }
      const { at, salt, digest } = parsePhc(stored);
      const right = timingSafeEqual(await compute(password, salt, { at, size: digest.length, whose }), digest);
      const same = at.memoryKib === cost.memoryKib && at.passes === cost.passes && at.parallelism === cost.parallelism;
      return { right, stale: !same };
    },
  };
}

export type Passwords = ReturnType<typeof createPasswords>;

function parsePhc(stored: string): { at: Argon2Cost; salt: Buffer; digest: Buffer } {
  const match = PHC.exec(stored);
  if (match === null) throw new Error('a stored password has an unknown form');
  const [, memory, passes, parallelism, salt = '', digest = ''] = match;
  return {
    at: { memoryKib: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    digest: Buffer.from(digest, 'base64'),
  };
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replaceAll('=', '');
