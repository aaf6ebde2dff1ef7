import type { AnyOperation } from '../../../hooks/operation.ts';
import type { ApiKeyManagement } from '../../../services/credentials/manage-api-keys.ts';
import { createApiKey } from './create-api-key.ts';
import { getApiKey } from './get-api-key.ts';
import { listApiKey } from './list-api-key.ts';
import { revokeApiKey } from './revoke-api-key.ts';
import { rotateApiKey } from './rotate-api-key.ts';

export const apiKeyOperations = ({ apiKeyManagement }: { apiKeyManagement: ApiKeyManagement }): AnyOperation[] => [
  createApiKey(apiKeyManagement),
  listApiKey(apiKeyManagement),
  getApiKey(apiKeyManagement),
  revokeApiKey(apiKeyManagement),
  rotateApiKey(apiKeyManagement),
];
