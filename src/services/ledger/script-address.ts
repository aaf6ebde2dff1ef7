import type { Network } from '../../core/network.ts';
import { scriptAddress } from '../../core/relay-policy/script-address.ts';

/** The address of a script, or `script:<hex>` for one that has none (bare multisig, pay to public key, …). */
export const addressOfScript = (scriptPubKey: string, network: Network): string =>
  scriptAddress(Buffer.from(scriptPubKey, 'hex'), network) ?? `script:${scriptPubKey}`;
