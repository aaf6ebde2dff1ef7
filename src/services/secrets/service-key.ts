import type { Store } from '../../store/store.ts';
import { KEY_BYTES } from './authenticated-encryption.ts';
import type { KeyProvider } from './key-provider.ts';
import { SERVICE_KEY_PREFIX } from './wrapped-keys.ts';

/**
 * A 32-byte key of the service itself (for kept answers, say), the same in every process: made at first use and kept in the settings,
 * wrapped by the key provider.
 */
export async function openServiceKey(
  deps: { store: Store; provider: KeyProvider; randomBytes: (size: number) => Uint8Array },
  purpose: string,
): Promise<Uint8Array> {
  const { store, provider } = deps;
  const setting = SERVICE_KEY_PREFIX + purpose;
  const context = `service ${purpose}` as const;
  let wrapped = await store.read.settings.get(setting);
  if (wrapped === null) {
    const fresh = deps.randomBytes(KEY_BYTES);
    const offered = Buffer.from(await provider.wrap(fresh, context)).toString('base64url');
    fresh.fill(0);
    wrapped = await store.write((tx) => tx.settings.setOnce(setting, offered));
  }
  return provider.unwrap(Buffer.from(wrapped, 'base64url'), context);
}
