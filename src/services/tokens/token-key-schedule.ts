/**
 * Which key signs, and which are published, at a time. A key is published before it signs, so that whoever fetched the key set knows it,
 * and stays published until the last token that it signed has ended.
 */
import type { TokenKeyRecord } from '../../store/repositories/token-keys.ts';
import { ACCESS_TOKEN_LIFE_SECONDS } from './token-claims.ts';

/** How long a key signs. */
const SIGNS_FOR_MS = 30 * 24 * 60 * 60 * 1000;
/** How long a key is published before it signs: more than the key set may be cached (its max-age). */
export const PUBLISHED_AHEAD_MS = 10 * 60 * 1000;
/** For clocks of replicas that differ. */
const LEEWAY_MS = 60 * 1000;

type Scheduled = Pick<TokenKeyRecord, 'generation' | 'keyId' | 'signsFrom' | 'revokedAt'>;

export interface TokenKeySchedule<K extends Scheduled> {
  /** Not revoked, in the order in which they sign; each until the next begins. */
  readonly turns: readonly { readonly key: K; readonly signsUntil: number; readonly publishedUntil: number }[];
}

export function scheduleOf<K extends Scheduled>(keys: readonly K[]): TokenKeySchedule<K> {
  // A key that was revoked before its turn never took over; one that was revoked later did.
  const inTurn = keys
    .filter(({ revokedAt, signsFrom }) => revokedAt === null || revokedAt >= signsFrom)
    .sort((a, b) => a.signsFrom - b.signsFrom || a.generation - b.generation);
  const turns = inTurn.map((key, place) => {
    const signsUntil = inTurn[place + 1]?.signsFrom ?? Number.POSITIVE_INFINITY;
    return { key, signsUntil, publishedUntil: signsUntil + ACCESS_TOKEN_LIFE_SECONDS * 1000 + LEEWAY_MS };
  });
  return { turns: turns.filter(({ key }) => key.revokedAt === null) };
}

/** null where there is none that may: all are revoked. A clock behind the one that made the only key does not matter. */
export function signerAt<K extends Scheduled>({ turns }: TokenKeySchedule<K>, now: number): K | null {
  const usable = turns.filter(({ signsUntil }) => now < signsUntil);
  return (usable.findLast(({ key }) => key.signsFrom <= now) ?? usable[0])?.key ?? null;
}

export function publishedAt<K extends Scheduled>({ turns }: TokenKeySchedule<K>, now: number): K[] {
  return turns.filter(({ publishedUntil }) => now < publishedUntil).map(({ key }) => key);
}

/** When the next key is to be made. */
export function rotationDueAt({ turns }: TokenKeySchedule<Scheduled>): number {
  const last = turns.at(-1);
  return last === undefined ? Number.NEGATIVE_INFINITY : last.key.signsFrom + SIGNS_FOR_MS - PUBLISHED_AHEAD_MS;
}
