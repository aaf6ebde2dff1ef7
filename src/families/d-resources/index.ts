import { familyPlugin } from '../../hooks/family.ts';
import type { NetworkService } from '../../services/networks/network-service.ts';
import { createNotes } from '../../services/notes/note-service.ts';
import type { UserServices } from '../../services/users/index.ts';
import { orWaiting } from '../approvals/or-waiting.ts';
import { createNetwork } from './network/create-network.ts';
import { deleteNetwork } from './network/delete-network.ts';
import { getNetwork } from './network/get-network.ts';
import { listNetwork } from './network/list-network.ts';
import { updateNetwork } from './network/update-network.ts';
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

type Services = Parameters<typeof createNotes>[0] & { userServices: UserServices; networks: NetworkService };

/** Family D: users, notes of payments and networks of nodes as plain resources, for access tokens only. */
export const resources = familyPlugin<Services>({
  name: 'd-resources',
  tags: { Resources: 'Users, notes of payments and networks of nodes as plain resources: [guide](/docs/resources).' },
  operations: (services) => {
    const { networks } = services;
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
      listNetwork(networks),
      createNetwork(networks),
      getNetwork(networks),
      updateNetwork(networks),
      deleteNetwork(networks),
    ]);
  },
});
