import type { AnyOperation } from '../../../hooks/operation.ts';
import type { People } from '../../../services/people/index.ts';
import { createUser } from './create-user.ts';
import { deleteUser } from './delete-user.ts';
import { endUserSession } from './end-user-session.ts';
import { getUser } from './get-user.ts';
import { listUser } from './list-user.ts';
import { listUserSession } from './list-user-session.ts';
import { removeUserTotp } from './remove-user-totp.ts';
import { resetUserPassword } from './reset-user-password.ts';
import { updateUser } from './update-user.ts';

export const userOperations = ({ people }: { people: People }): AnyOperation[] => [
  listUser(people.users),
  createUser(people.users),
  getUser(people.users),
  updateUser(people.users),
  deleteUser(people.users),
  resetUserPassword(people.users),
  listUserSession(people.sessions),
  endUserSession(people.sessions),
  removeUserTotp(people.secondFactors),
];
