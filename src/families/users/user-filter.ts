/** What lists of users are filtered by. */
import { z } from 'zod';
import { foldLoginName } from '../../core/users/login-name.ts';
import type { UserService } from '../../services/users/index.ts';
import { roleField } from '../credential-fields.ts';
import { booleanQuery, pageQuery } from '../fields.ts';
import { omitUndefined } from '../optional-values.ts';

export const userQuery = z.strictObject({
  ...pageQuery,
  role: roleField.optional(),
  disabled: booleanQuery.optional(),
  username: z.string().min(1).max(254).optional(),
  email: z.string().min(1).max(254).optional(),
});

export function userFilterOf({
  role,
  disabled,
  username,
  email,
}: z.output<typeof userQuery>): Parameters<UserService['list']>[0] {
  const name = username ?? email;
  return omitUndefined({ role, disabled, loginName: name === undefined ? undefined : foldLoginName(name) });
}
