import type { BlockHash, Outpoint, Txid } from '../../core/outpoint.ts';
import type { ChainInfo, HeaderInfo, MempoolEntry, MempoolInfo, RawBlock, TransactionLookup } from '../chain-source.ts';
import type { ChainState, StoredBlock } from './chain-state.ts';
import { ancestorsOf, descendantsOf, feesOf, type Mempool, vsizeOf } from './mempool.ts';
import type { MempoolLimits } from './mempool-limits.ts';

/** What a ChainSource answers about chain and mempool, at once and without changing anything. */
export function chainAnswers(chain: ChainState, mempool: Mempool, limits: MempoolLimits) {
  const headerOf = (block: StoredBlock): HeaderInfo => ({
    hash: block.header.hash,
    height: block.height,
    prevHash: block.header.prevHash,
    time: block.header.time,
    medianTime: block.medianTime,
    inBestChain: chain.inBestChain(block),
  });

  return {
    info(): ChainInfo {
      const tip = chain.tip();
      return {
        network: 'regtest',
        genesisHash: (chain.at(0) as StoredBlock).header.hash,
        height: tip.height,
        bestBlockHash: tip.header.hash,
        syncing: false,
        headers: tip.height,
        prunedBelow: 0,
        capabilities: { blockFilters: true, anyTransaction: true, packages: true, mining: true },
      };
    },
    blockHashAt: (height: number): BlockHash | null => chain.at(height)?.header.hash ?? null,
    header(hash: BlockHash): HeaderInfo | null {
      const block = chain.block(hash);
      return block && headerOf(block);
    },
    block(hash: BlockHash): RawBlock | null {
      const block = chain.block(hash);
      return block && { ...headerOf(block), bytes: block.bytes };
    },
    mempoolTxids: (): Txid[] => Array.from(mempool.entries(), ({ tx }) => tx.txid),
    mempoolInfo: (): MempoolInfo => ({ count: mempool.size, vbytes: mempool.vbytes, ...limits.floors() }),
    mempoolEntry(txid: Txid): MempoolEntry | null {
      const entry = mempool.get(txid);
      if (!entry) return null;
      const ancestors = ancestorsOf(entry);
      const descendants = descendantsOf(entry);
      return {
        txid,
        vsize: entry.tx.vsize,
        feeSats: entry.feeSats,
        ancestorCount: ancestors.size,
        ancestorVsize: vsizeOf(ancestors),
        ancestorFeesSats: feesOf(ancestors),
        descendantCount: descendants.size,
        descendantVsize: vsizeOf(descendants),
        descendantFeesSats: feesOf(descendants),
        descendants: Array.from(descendants, ({ tx }) => tx.txid).filter((other) => other !== txid),
      };
    },
    transaction(txid: Txid): TransactionLookup | null {
      const pooled = mempool.get(txid);
      if (pooled) return { raw: pooled.tx.raw, blockHash: null, confirmations: 0 };
      const found = chain.confirmed(txid);
      if (!found) return null;
      const { block, raw } = found;
      return { raw, blockHash: block.header.hash, confirmations: chain.tip().height - block.height + 1 };
    },
    utxo(outpoint: Outpoint) {
      if (mempool.spenderOf(outpoint)) return null;
      const pooled = mempool.get(outpoint.txid)?.tx.outputs[outpoint.vout];
      const coin = pooled ? { ...pooled, height: null, coinbase: false } : chain.coin(outpoint);
      if (!coin) return null;
      const { amountSats, scriptPubKey, height, coinbase } = coin;
      return { amountSats, scriptPubKey, height, coinbase };
    },
  };
}
