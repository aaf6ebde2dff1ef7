import { randomBytes } from 'node:crypto';
import { type ApiKeyService, createApiKeys } from '../../src/services/credentials/api-keys.ts';
import { createSigningKeys } from '../../src/services/credentials/signing-keys.ts';
import type { Store } from '../../src/store/store.ts';
import { silent } from './stores.ts';

/** API keys on a store, for tests without the whole service. */
export function apiKeysOn(
  store: Store,
  { clock = Date.now, signaturePolicy = 'required' as 'required' | 'per-key' } = {},
): ApiKeyService {
  const signingKeys = createSigningKeys({ store, clock, log: silent });
  return createApiKeys({ store, signingKeys, signaturePolicy, randomBytes, clock, log: silent });
}
