import { DomainError } from '../../core/errors.ts';
import type { Network } from '../../core/network.ts';
import { decodeAddress } from '../../core/relay-policy/address.ts';
import { scriptAddress } from '../../core/relay-policy/script-address.ts';

/** The address of a script, or `script:<hex>` for one that has none (bare multisig, pay to public key, …). */
export const addressOfScript = (scriptPubKey: string, network: Network): string =>
  scriptAddress(Buffer.from(scriptPubKey, 'hex'), network) ?? `script:${scriptPubKey}`;

/** The script of such an address, hex; null for what is none on the network. */
export function scriptOfAddress(address: string, network: Network): string | null {
  if (address.startsWith('script:')) return address.slice('script:'.length);
  try {
    return decodeAddress(address, network).scriptPubKey;
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
}
