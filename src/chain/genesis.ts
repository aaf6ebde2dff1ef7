import { GENESIS_HASHES } from '../core/genesis.ts';
import type { Network } from '../core/network.ts';
import type { BlockHash } from '../core/outpoint.ts';

export { GENESIS_HASHES };

/** The network that starts with this block, or null where it is none of ours. */
export function networkOfGenesis(hash: BlockHash): Network | null {
  const entry = Object.entries(GENESIS_HASHES).find(([, genesis]) => genesis === hash);
  return entry ? (entry[0] as Network) : null;
}
