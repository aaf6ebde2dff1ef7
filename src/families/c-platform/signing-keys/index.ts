import type { AnyOperation } from '../../../hooks/operation.ts';
import type { SigningKeyManagement } from '../../../services/credentials/manage-signing-keys.ts';
import { createSigningKey } from './create-signing-key.ts';
import { getSigningKey } from './get-signing-key.ts';
import { listSigningKey } from './list-signing-key.ts';
import { revokeSigningKey } from './revoke-signing-key.ts';

export const signingKeyOperations = (services: { signingKeyManagement: SigningKeyManagement }): AnyOperation[] => [
  createSigningKey(services.signingKeyManagement),
  listSigningKey(services.signingKeyManagement),
  getSigningKey(services.signingKeyManagement),
  revokeSigningKey(services.signingKeyManagement),
];
