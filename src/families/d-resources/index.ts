import { familyPlugin } from '../../hooks/family.ts';
import { createNotes } from '../../services/notes/note-service.ts';
import type { UserServices } from '../../services/users/index.ts';
import { orWaiting } from '../approvals/or-waiting.ts';
import { createTransactionNote } from './transaction/create-transaction-note.ts';
import { deleteTransactionNote } from './transaction/delete-transaction-note.ts';
import { getTransactionNote } from './transaction/get-transaction-note.ts';
import { listTransactionNote } from './transaction/list-transaction-note.ts';
import { updateTransactionNote } from './transaction/update-transaction-note.ts';
import { createUserResource } from './user/create-user-resource.ts';
import { deleteUserResource } from './user/delete-user-resource.ts';
import { getUserResource } from './user/get-user-resource.ts';
import { listUserResource } from './user/list-user-resource.ts';
import { updateUserResource } from './user/update-user-resource.ts';

type Services = Parameters<typeof createNotes>[0] & { userServices: UserServices };

/** Family D: users and notes of payments as plain resources, for access tokens only. */
export const resources = familyPlugin<Services>({
  name: 'd-resources',
  tags: { Resources: 'Users and notes of payments as plain resources: [guide](/docs/resources).' },
  operations: (services) => {
    const { users } = services.userServices;
    const notes = createNotes(services);
    return orWaiting([
      listUserResource(users),
      createUserResource(users),
      getUserResource(users),
      updateUserResource(users),
      deleteUserResource(users),
      listTransactionNote(notes),
      createTransactionNote(notes),
      getTransactionNote(notes),
      updateTransactionNote(notes),
      deleteTransactionNote(notes),
    ]);
  },
});
