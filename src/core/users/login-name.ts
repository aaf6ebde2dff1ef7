/** What a person logs in with. Names are compared folded: no two people differ by case or by how a character was typed. */
import { createHash } from 'node:crypto';

/** 3 to 64 of ASCII letters, digits, `.`, `_` and `-`; no `@`, so that none looks like an e-mail address. */
export const USERNAME_FORM = /^[A-Za-z0-9][A-Za-z0-9._-]{1,62}[A-Za-z0-9]$/;

export const foldLoginName = (name: string): string => name.normalize('NFKC').trim().toLowerCase();

const MAX_LOCAL_PART = 40;

/** A username for a person who is given none: the address's local part and the beginning of the address's SHA-256, so that names seldom collide. */
export function usernameOf(email: string): string {
  const folded = foldLoginName(email);
  const local = (folded.split('@')[0] ?? '').replace(/[^a-z0-9._-]+/g, '-').slice(0, MAX_LOCAL_PART);
  const name = local.replace(/^[^a-z0-9]+/, '') || 'user';
  return `${name}-${createHash('sha256').update(folded).digest('hex').slice(0, 8)}`;
}
