/** NIST SP 800-63B: length counts, composition does not. */
import { DomainError } from '../errors.ts';
import { foldLoginName } from './login-name.ts';

export const PASSWORD_CHARACTERS = { least: 12, most: 256 } as const;

/** What is hashed: the same for every way of typing the same characters. */
export const normalizePassword = (password: string): string => password.normalize('NFKC');

/** Throws `invalid_value` at `field` for a password that nobody should have. */
export function checkNewPassword(
  password: string,
  person: { username: string; email: string | null },
  field: string,
): void {
  const { least, most } = PASSWORD_CHARACTERS;
  const length = [...normalizePassword(password)].length;
  const refuse = (reason: string) => new DomainError('invalid_value', `${field} ${reason}`, { field, reason });
  if (!password.isWellFormed()) throw refuse('must be valid Unicode');
  if (length < least) throw refuse(`must have at least ${least} characters`);
  if (length > most) throw refuse(`must have at most ${most} characters`);
  const folded = foldLoginName(password);
  if ([person.username, person.email].some((name) => name !== null && foldLoginName(name) === folded)) {
    throw refuse('must not be the username or the e-mail address');
  }
}
