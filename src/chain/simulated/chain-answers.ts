import { transactionsBetween } from '../../core/blocks/block.ts';
import { HEADER_SIZE } from '../../core/blocks/header.ts';
import { type ParsedTransaction, parseTransaction } from '../../core/blocks/transaction.ts';
import { feeRateOf } from '../../core/fee-rate.ts';
import type { BlockHash, Outpoint, Txid } from '../../core/outpoint.ts';
import type {
  ChainInfo,
  FeeRateDistribution,
  HeaderInfo,
  HeaderRecord,
  MempoolEntry,
  MempoolInfo,
  OutputStatus,
  RawBlock,
  TransactionDetails,
  TransactionLookup,
} from '../chain-source.ts';
import { chunksByFeeRate } from './block-template.ts';
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

  function transaction(txid: Txid): TransactionLookup | null {
    const pooled = mempool.get(txid);
    if (pooled) return { raw: pooled.tx.raw, blockHash: null, confirmations: 0 };
    const found = chain.confirmed(txid);
    if (!found) return null;
    const { block, raw } = found;
    return { raw, blockHash: block.header.hash, confirmations: chain.tip().height - block.height + 1 };
  }

  /** As found in this block, in the best chain or not. */
  function transactionIn(hash: BlockHash, txid: Txid): TransactionLookup | null {
    const block = chain.block(hash);
    const found = block && transactionsBetween(block.bytes, 0, Number.POSITIVE_INFINITY).transactions;
    const tx = found?.find((one) => one.txid === txid);
    if (!block || !tx) return null;
    const confirmations = chain.inBestChain(block) ? chain.tip().height - block.height + 1 : 0;
    return { raw: tx.raw, blockHash: hash, confirmations };
  }

  function spentOutputs(tx: ParsedTransaction) {
    if (tx.coinbase) return [null];
    return tx.inputs.map(({ prev }) => {
      const output = mempool.get(prev.txid)?.tx.outputs[prev.vout] ?? chain.output(prev);
      return output && { amountSats: output.amountSats, scriptPubKey: output.scriptPubKey };
    });
  }

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
    headerRecord(hash: BlockHash): HeaderRecord | null {
      const block = chain.block(hash);
      if (!block) return null;
      const transactionCount = transactionsBetween(block.bytes, 0, 0).count;
      return { ...headerOf(block), header: block.bytes.subarray(0, HEADER_SIZE), transactionCount };
    },
    block(hash: BlockHash): RawBlock | null {
      const block = chain.block(hash);
      return block && { ...headerOf(block), bytes: block.bytes };
    },
    /** Of another branch it is null, as a node keeps what they spent for its best chain alone. */
    blockFees(hash: BlockHash): bigint | null {
      const block = chain.block(hash);
      if (!block || !chain.inBestChain(block)) return null;
      const sum = (outputs: readonly ({ amountSats: bigint } | null)[]) =>
        outputs.reduce((total, output) => total + (output?.amountSats ?? 0n), 0n);
      return transactionsBetween(block.bytes, 1, Number.POSITIVE_INFINITY).transactions.reduce(
        (fees, tx) => fees + sum(spentOutputs(tx)) - sum(tx.outputs),
        0n,
      );
    },
    mempoolTxids: (): Txid[] => Array.from(mempool.entries(), ({ tx }) => tx.txid),
    mempoolInfo: (): MempoolInfo => ({
      count: mempool.size,
      vbytes: mempool.vbytes,
      totalFeesSats: feesOf(mempool.entries()),
      ...limits.floors(),
    }),
    feeRateDistribution: (): FeeRateDistribution => ({
      bands: chunksByFeeRate(mempool).map(({ feeSats, vsize }) => ({ feeRate: feeRateOf(feeSats, vsize), vsize })),
      complete: true,
    }),
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
        ancestors: Array.from(ancestors, ({ tx }) => tx.txid).filter((other) => other !== txid),
        descendants: Array.from(descendants, ({ tx }) => tx.txid).filter((other) => other !== txid),
        time: Math.floor(entry.addedAt / 1000),
      };
    },
    transaction,
    transactionDetails(txid: Txid, block?: BlockHash): TransactionDetails | null {
      const found = block === undefined ? transaction(txid) : transactionIn(block, txid);
      return found && { ...found, spent: spentOutputs(parseTransaction(found.raw)) };
    },
    outputStatus(outpoint: Outpoint): OutputStatus | null {
      const pooled = mempool.get(outpoint.txid)?.tx.outputs[outpoint.vout];
      const found = pooled ? { ...pooled, height: null, coinbase: false } : chain.output(outpoint);
      if (!found) return null;
      const { amountSats, scriptPubKey, height, coinbase } = found;
      const waiting = mempool.spenderOf(outpoint);
      const txid = waiting ? waiting.tx.txid : chain.spenderOf(outpoint);
      const blockHash = txid === null ? null : (chain.confirmed(txid)?.block.header.hash ?? null);
      const spent = txid === null ? null : { by: { txid, blockHash } };
      return { amountSats, scriptPubKey, height, coinbase, spent };
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
