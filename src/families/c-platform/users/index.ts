import type { AnyOperation } from '../../../hooks/operation.ts';
import type { UserServices } from '../../../services/users/index.ts';
import { createUser } from './create-user.ts';
import { deleteUser } from './delete-user.ts';
import { endUserSession } from './end-user-session.ts';
import { getUser } from './get-user.ts';
import { listUser } from './list-user.ts';
import { listUserSession } from './list-user-session.ts';
import { removeUserTotp } from './remove-user-totp.ts';
import { resetUserPassword } from './reset-user-password.ts';
import { updateUser } from './update-user.ts';

export const userOperations = ({ userServices }: { userServices: UserServices }): AnyOperation[] => [
  listUser(userServices.users),
  createUser(userServices.users),
  getUser(userServices.users),
  updateUser(userServices.users),
  deleteUser(userServices.users),
  resetUserPassword(userServices.users),
  listUserSession(userServices.sessions),
  endUserSession(userServices.sessions),
  removeUserTotp(userServices.secondFactors),
];
