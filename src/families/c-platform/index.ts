import { familyPlugin } from '../../hooks/family.ts';
import { accountOperations } from './accounts/index.ts';
import { apiKeyOperations } from './api-keys/index.ts';
import { authOperations } from './auth/index.ts';
import { blockchainOperations } from './blockchain/index.ts';
import { complianceOperations } from './compliance/index.ts';
import { idempotencyOperations } from './idempotency/index.ts';
import { oauthClientOperations } from './oauth-clients/index.ts';
import { signingKeyOperations } from './signing-keys/index.ts';
import { userOperations } from './users/index.ts';

type Services = Parameters<typeof accountOperations>[0] &
  Parameters<typeof apiKeyOperations>[0] &
  Parameters<typeof signingKeyOperations>[0] &
  Parameters<typeof oauthClientOperations>[0] &
  Parameters<typeof authOperations>[0] &
  Parameters<typeof userOperations>[0] &
  Parameters<typeof blockchainOperations>[0] &
  Parameters<typeof idempotencyOperations>[0] &
  Parameters<typeof complianceOperations>[0];

/** Family C: accounts, credentials, users, chain status, the audit log. */
export const platform = familyPlugin<Services>({
  name: 'c-platform',
  operations: (services) => [
    ...accountOperations(services),
    ...apiKeyOperations(services),
    ...signingKeyOperations(services),
    ...oauthClientOperations(services),
    ...authOperations(services),
    ...userOperations(services),
    ...blockchainOperations(services),
    ...idempotencyOperations(services),
    ...complianceOperations(services),
  ],
});
