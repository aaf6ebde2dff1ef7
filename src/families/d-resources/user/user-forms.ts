/** The forms in which clients send a user: {username, email, password} and {name, email}. */
import { z } from 'zod';
import { roleField, scopesField } from '../../credential-fields.ts';
import { nameField } from '../../fields.ts';
import { newPasswordField, usernameField } from '../../users/user-fields.ts';

const fields = {
  username: usernameField.optional(),
  name: nameField.optional(),
  password: newPasswordField.optional(),
  role: roleField.optional(),
  scopes: scopesField.optional(),
};

const isNamed = ({ username, name }: { username?: string | undefined; name?: string | undefined }): boolean =>
  username !== undefined || name !== undefined;

/** A user with these and the fields given besides. */
export const userForm = <Shape extends z.ZodRawShape>(more: Shape) =>
  z.strictObject({ ...fields, ...more }).refine((given) => isNamed(given as { username?: string; name?: string }), {
    message: 'is missing: give username or name',
    path: ['username'],
  });
