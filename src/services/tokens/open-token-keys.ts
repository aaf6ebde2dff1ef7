/** The service's token keys, their private halves encrypted under a key of the service. */
import type { Store } from '../../store/store.ts';
import type { RecordChange } from '../audit/record-change.ts';
import type { KeyProvider } from '../secrets/key-provider.ts';
import { openServiceKey } from '../secrets/service-key.ts';
import { createTextCipher } from '../secrets/text-cipher.ts';
import { createTokenKeys, type TokenKeys } from './token-keys.ts';

export async function openTokenKeys(deps: {
  store: Store;
  provider: KeyProvider;
  randomBytes: (size: number) => Uint8Array;
  clock: () => number;
  recordChange?: RecordChange;
}): Promise<TokenKeys> {
  const { randomBytes, provider: _, ...rest } = deps;
  const key = await openServiceKey(deps, 'token keys');
  return createTokenKeys({ ...rest, cipher: createTextCipher(key, randomBytes) });
}
