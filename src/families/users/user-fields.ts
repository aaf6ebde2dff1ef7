import { z } from 'zod';
import { USERNAME_FORM } from '../../core/users/login-name.ts';
import { PASSWORD_CHARACTERS } from '../../core/users/password-rules.ts';

export const usernameField = z
  .string()
  .regex(
    USERNAME_FORM,
    'must have 3 to 64 letters, digits, dots, dashes or underscores, beginning and ending with a letter or digit',
  )
  .meta({ description: 'Once in the whole service, whatever its case', examples: ['ada'] });

export const emailField = z
  .email('must be an e-mail address')
  .max(254, 'must have at most 254 characters')
  .meta({ description: 'Once in the whole service, whatever its case', examples: ['ada@example.com'] });

const { least, most } = PASSWORD_CHARACTERS;

/** Length is counted after normalization (core/users/password-rules.ts); this only bounds what is read. */
export const newPasswordField = z
  .string()
  .max(4 * most, `must have at most ${most} characters`)
  .meta({ description: `${least} to ${most} characters of any kind`, format: 'password' });

/** A password that is only compared: no rule of today's refuses one of yesterday's. */
export const passwordField = z
  .string()
  .min(1, 'must not be empty')
  .max(4 * most, `must have at most ${most} characters`)
  .meta({ format: 'password' });
