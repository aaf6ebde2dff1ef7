/** Passwords as argon2id digests (RFC 9106), computed in the thread pool, a few at once: each takes its memory and a core. */
import { type Argon2Parameters, argon2, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { DomainError } from '../../core/errors.ts';
import { normalizePassword } from '../../core/people/password-rules.ts';

export interface Argon2Cost {
  readonly memoryKib: number;
  readonly passes: number;
  readonly parallelism: number;
}

export interface Passwords {
  /** PHC string: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. Throws `unavailable` where too many wait. */
  hash(password: string): Promise<string>;
  /**
   * Whether `stored` is this password's; `stale` where it was made at another cost than today's. Without a stored one it takes as
   * long and is never right. Throws `unavailable` where too many wait.
   */
  verify(password: string, stored: string | null): Promise<{ right: boolean; stale: boolean }>;
}

/** One core stays with the event loop, one thread of the pool (4) with everything else; what waits is over within a few seconds. */
const AT_ONCE = Math.max(1, Math.min(3, availableParallelism() - 1));
const WAITING = 32;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const PHC = /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,172})$/;

const derive = promisify(argon2) as (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Buffer>;

export function createPasswords(deps: { cost: Argon2Cost; randomBytes: (size: number) => Uint8Array }): Passwords {
  const { cost, randomBytes } = deps;
  const turn = createTurns(AT_ONCE, WAITING);

  const compute = (password: string, salt: Uint8Array, at: Argon2Cost, size: number): Promise<Buffer> =>
    turn(() =>
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
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      const { memoryKib, passes, parallelism } = cost;
      const digest = await compute(password, salt, cost, HASH_BYTES);
      return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${parallelism}$${base64(salt)}$${base64(digest)}`;
    },
    async verify(password, stored) {
      if (stored === null) {
        await compute(password, randomBytes(SALT_BYTES), cost, HASH_BYTES);
        return { right: false, stale: false };
      }
      const { at, salt, digest } = parsePhc(stored);
      const right = timingSafeEqual(await compute(password, salt, at, digest.length), digest);
      const same = at.memoryKib === cost.memoryKib && at.passes === cost.passes && at.parallelism === cost.parallelism;
      return { right, stale: !same };
    },
  };
}

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

/** Runs `atOnce` works at a time; `waiting` more wait in order, and what comes beyond is refused. */
function createTurns(atOnce: number, waiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const queue: (() => void)[] = [];
  return async (work) => {
    if (running >= atOnce) {
      if (queue.length >= waiting) {
        throw new DomainError('unavailable', 'too many passwords are being checked: try again in a moment', {
          retryAfterSeconds: 2,
        });
      }
      // Whoever ends hands its place over, so `running` stays as it is.
      await new Promise<void>((resolve) => queue.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
