import { familyPlugin } from '../../hooks/family.ts';
import type { UserServices } from '../../services/users/index.ts';
import { orWaiting } from '../approvals/or-waiting.ts';
import { createUserResource } from './user/create-user-resource.ts';
import { deleteUserResource } from './user/delete-user-resource.ts';
import { getUserResource } from './user/get-user-resource.ts';
import { listUserResource } from './user/list-user-resource.ts';
import { updateUserResource } from './user/update-user-resource.ts';

interface Services {
  userServices: UserServices;
}

/** Family D: users, ledger notes and networks as plain resources, for access tokens only. */
export const resources = familyPlugin<Services>({
  name: 'd-resources',
  tags: { Resources: 'Users, ledger notes and networks as plain resources: [guide](/docs/resources).' },
  operations: ({ userServices: { users } }) =>
    orWaiting([
      listUserResource(users),
      createUserResource(users),
      getUserResource(users),
      updateUserResource(users),
      deleteUserResource(users),
    ]),
});
