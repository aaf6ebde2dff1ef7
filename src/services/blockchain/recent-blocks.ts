/** Raw blocks that were read a moment ago: pages of one block, and proofs from it, ask the source once. */
import type { ChainSource } from '../../chain/chain-source.ts';
import { createLru } from '../../core/lru.ts';
import type { BlockHash } from '../../core/outpoint.ts';

/** Of up to 4 MB each. */
const KEPT = 4;

export function createRecentBlocks(chain: Pick<ChainSource, 'block'>) {
  const kept = createLru<BlockHash, Promise<Uint8Array | null>>(KEPT);
  return {
    /** The block's bytes; null where the source does not know it. Throws `source_incapable` where it is pruned. */
    bytes(hash: BlockHash) {
      const known = kept.get(hash);
      if (known !== undefined) return known;
      const bytes = kept.set(
        hash,
        chain.block(hash).then((block) => block?.bytes ?? null),
      );
      const forget = () => {
        if (kept.get(hash) === bytes) kept.delete(hash);
      };
      // What is not there now may be soon.
      bytes.then((found) => found ?? forget(), forget);
      return bytes;
    },
  };
}

export type RecentBlocks = ReturnType<typeof createRecentBlocks>;
