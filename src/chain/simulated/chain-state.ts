import { parseBlockTransactions } from '../../core/blocks/block.ts';
import { type BlockHeader, medianTimePast } from '../../core/blocks/header.ts';
import { type ParsedOutput, type ParsedTransaction, parseTransaction } from '../../core/blocks/transaction.ts';
import { type BlockHash, type Outpoint, outpointKey, type Txid } from '../../core/outpoint.ts';
import { isUnspendable } from '../../core/relay-policy/standard-scripts.ts';
import type { BuiltBlock } from './block-building.ts';

/** Where a transaction lies in its block: parsed again when asked for, since most never are. */
interface Place {
  readonly block: StoredBlock;
  readonly start: number;
  readonly end: number;
}

export interface StoredBlock {
  readonly header: BlockHeader;
  readonly bytes: Buffer;
  readonly height: number;
  readonly medianTime: number;
}

interface Coin extends ParsedOutput {
  readonly height: number;
  readonly coinbase: boolean;
}

/** Blocks, the best chain through them, and what is unspent at its end. In memory; knows nothing of rules. */
export function createChainState(genesis: BuiltBlock) {
  const { header, bytes } = genesis;
  const first: StoredBlock = { header, bytes, height: 0, medianTime: header.time };
  const byHash = new Map<BlockHash, StoredBlock>([[first.header.hash, first]]);
  const best: StoredBlock[] = [first];
  const coins = new Map<string, Coin>();
  const confirmed = new Map<Txid, Place>();
  const spenders = new Map<string, Txid>();

  const tip = (): StoredBlock => best[best.length - 1] as StoredBlock;

  function medianTimeOf(header: BlockHeader, parent: StoredBlock): number {
    const times = [header.time];
    for (let block: StoredBlock | undefined = parent; block && times.length < 11; ) {
      times.push(block.header.time);
      block = byHash.get(block.header.prevHash);
    }
    return medianTimePast(times.reverse());
  }

  const rawAt = ({ block, start, end }: Place): Buffer => block.bytes.subarray(start, end);

  function outputAt(outpoint: Outpoint): Coin | null {
    const place = confirmed.get(outpoint.txid);
    const tx = place && parseTransaction(rawAt(place));
    const output = tx?.outputs[outpoint.vout];
    return place && tx && output ? { ...output, height: place.block.height, coinbase: tx.coinbase } : null;
  }

  function coinOf(outpoint: Outpoint): Coin {
    const coin = outputAt(outpoint);
    if (!coin) throw new Error(`the transaction of ${outpointKey(outpoint)} is in no block of the best chain`);
    return coin;
  }

  return {
    tip,
    at: (height: number) => best[height] ?? null,
    block: (hash: BlockHash) => byHash.get(hash) ?? null,
    inBestChain: (block: StoredBlock) => best[block.height] === block,
    /** Notes a block whose parent is known; it is connected separately. */
    add(block: Pick<StoredBlock, 'header' | 'bytes'>) {
      const parent = byHash.get(block.header.prevHash);
      if (!parent) throw new Error(`the parent of block ${block.header.hash} is unknown`);
      const stored: StoredBlock = {
        header: block.header,
        bytes: block.bytes,
        height: parent.height + 1,
        medianTime: medianTimeOf(block.header, parent),
      };
      byHash.set(block.header.hash, stored);
      return stored;
    },
    /** Makes a child of the tip the tip; `transactions` are the block's own, for whom has them parsed. */
    connect(block: StoredBlock, transactions: readonly ParsedTransaction[] = parseBlockTransactions(block.bytes)) {
      if (block.header.prevHash !== tip().header.hash) throw new Error('only a child of the tip can be connected');
      // A block ends with its transactions.
      let start = block.bytes.length - transactions.reduce((sum, { raw }) => sum + raw.length, 0);
      for (const tx of transactions) {
        if (!tx.coinbase)
          for (const { prev } of tx.inputs) {
            coins.delete(outpointKey(prev));
            spenders.set(outpointKey(prev), tx.txid);
          }
        confirmed.set(tx.txid, { block, start, end: start + tx.raw.length });
        start += tx.raw.length;
        tx.outputs.forEach((output, vout) => {
          if (isUnspendable(Buffer.from(output.scriptPubKey.slice(0, 2), 'hex'))) return;
          coins.set(outpointKey({ txid: tx.txid, vout }), { ...output, height: block.height, coinbase: tx.coinbase });
        });
      }
      best.push(block);
    },
    /** Takes the tip off; answers its transactions. */
    disconnect() {
      const block = tip();
      if (block.height === 0) throw new Error('the first block stays');
      const transactions = parseBlockTransactions(block.bytes);
      for (const tx of transactions.toReversed()) {
        for (const vout of tx.outputs.keys()) coins.delete(outpointKey({ txid: tx.txid, vout }));
        if (!tx.coinbase)
          for (const { prev } of tx.inputs) {
            coins.set(outpointKey(prev), coinOf(prev));
            spenders.delete(outpointKey(prev));
          }
        confirmed.delete(tx.txid);
      }
      best.pop();
      return transactions;
    },
    coin: (outpoint: Outpoint) => coins.get(outpointKey(outpoint)) ?? null,
    /** What a transaction of the best chain paid, spent meanwhile or not; null where there is no such output. */
    output: outputAt,
    /** The transaction of the best chain that spends an output. */
    spenderOf: (outpoint: Outpoint) => spenders.get(outpointKey(outpoint)) ?? null,
    /** A transaction of the best chain and its block. */
    confirmed(txid: Txid) {
      const place = confirmed.get(txid);
      return place ? { raw: rawAt(place), block: place.block } : null;
    },
  };
}

export type ChainState = ReturnType<typeof createChainState>;
