import type { Network } from '../../core/network.ts';
import { parsePlainKeyText } from '../../core/psbt/signing/key-text.ts';

/**
 * Hands the bytes of a key given as WIF or 64 hex digits to `use`, and overwrites them when that returns or throws.
 * Throws `invalid_key` or `wrong_network`, at key.
 */
export function withPrivateKey<T>(text: string, network: Network, use: (privateKey: Uint8Array) => T): T {
  const key = parsePlainKeyText(text, network);
  try {
    return use(key.privateKey);
  } finally {
    key.privateKey.fill(0);
  }
}
