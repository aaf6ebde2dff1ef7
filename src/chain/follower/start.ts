import type { BlockRecord } from '../../store/records.ts';
import type { ChainInfo, ChainSource, HeaderInfo } from '../chain-source.ts';
import { ChainMoved } from './blocks-ahead.ts';

/** Blocks below the first tip that are known by their headers, so that a reorg soon after the start can be walked back. */
const BASE_BLOCKS = 100;
const AT_ONCE = 10;

/** The blocks that an empty database begins with: the tip and those before it, oldest first. Wallets with a past are scanned apart. */
export async function baseBlocks(
  chain: Pick<ChainSource, 'blockHashesAt' | 'header'>,
  info: ChainInfo,
): Promise<BlockRecord[]> {
  const first = Math.max(0, info.height - BASE_BLOCKS + 1);
  const heights = Array.from({ length: info.height - first + 1 }, (_, i) => first + i);
  const hashes = await chain.blockHashesAt(heights);
  const headers: HeaderInfo[] = [];
  for (let i = 0; i < hashes.length; i += AT_ONCE) {
    const some = await Promise.all(hashes.slice(i, i + AT_ONCE).map((hash) => (hash ? chain.header(hash) : null)));
    for (const header of some) {
      if (!header || (headers.length > 0 && header.prevHash !== headers.at(-1)!.hash)) throw new ChainMoved();
      headers.push(header);
    }
  }
  return headers.map(({ height, hash, prevHash, time, medianTime }) => ({ height, hash, prevHash, time, medianTime }));
}
