/** What request signatures are verified with. */

import { DomainError } from '../core/errors.ts';
import { createSecp256k1 } from '../core/keys/create-secp256k1.ts';
import {
  createVerifyBytes,
  createVerifyMessage,
  type VerifyBytes,
} from '../core/request-signatures/verify-signature.ts';
import type { SignatureDeps } from '../hooks/credentials/signature.ts';
import { createFingerprints } from '../hooks/idempotency.ts';
import type { ApiKeyService } from '../services/credentials/api-keys.ts';
import type { SigningKeyService } from '../services/credentials/signing-keys.ts';
import { createNonceBook, type NonceBook } from '../services/requests/nonces.ts';
import type { KeyProvider } from '../services/secrets/key-provider.ts';
import { openServiceKey } from '../services/secrets/service-key.ts';
import { createPersonOf } from '../services/users/person-of-key.ts';
import type { Store } from '../store/store.ts';
import type { AppContext } from './app-context.ts';

export type SignatureServices = Omit<SignatureDeps, 'originOf' | 'nonces'> & {
  readonly nonces: NonceBook;
  readonly verifyBytes: VerifyBytes;
};

export async function openSignatures(
  { clock, randomBytes }: AppContext,
  store: Store,
  keyProvider: KeyProvider,
  credentials: { signingKeys: SigningKeyService; apiKeys: Pick<ApiKeyService, 'callerOf'> },
): Promise<SignatureServices> {
  const { signingKeys, apiKeys } = credentials;
  const key = await openServiceKey({ store, provider: keyProvider, randomBytes }, 'request fingerprints');
  const verifyBytes = createVerifyBytes(createSecp256k1());
  const personOf = createPersonOf({ store, clock });
  return {
    signingKeys,
    nonces: createNonceBook({ store, clock }),
    fingerprints: createFingerprints(key),
    verifyBytes,
    verifyMessage: createVerifyMessage(verifyBytes),
    // Clients sign beside their access token, which says what they may do now.
    loadCaller: async (owner, remoteAddress) => {
      if (owner.kind === 'api_key') return apiKeys.callerOf(owner.accountId, owner.id, remoteAddress);
      if (owner.kind === 'person') return personOf(owner, remoteAddress);
      throw new DomainError('unauthorized', 'this key signs beside an access token: send Authorization: Bearer, too');
    },
    clock,
  };
}
