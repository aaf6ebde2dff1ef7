import { type BlockHeader, medianTimePast } from '../../core/blocks/header.ts';
import type { ParsedOutput, ParsedTransaction } from '../../core/blocks/transaction.ts';
import { type BlockHash, type Outpoint, outpointKey, type Txid } from '../../core/outpoint.ts';
import { isUnspendable } from '../../core/policy/standard-scripts.ts';
import type { BuiltBlock } from './block-building.ts';

export interface StoredBlock extends BuiltBlock {
  readonly header: BlockHeader;
  readonly height: number;
  readonly medianTime: number;
}

export interface Coin extends ParsedOutput {
  readonly height: number;
  readonly coinbase: boolean;
}

/** Blocks, the best chain through them, and what is unspent at its end. In memory; knows nothing of rules. */
export interface ChainState {
  tip(): StoredBlock;
  at(height: number): StoredBlock | null;
  block(hash: BlockHash): StoredBlock | null;
  inBestChain(block: StoredBlock): boolean;
  /** Notes a block whose parent is known; it is connected separately. */
  add(block: BuiltBlock): StoredBlock;
  /** Makes a child of the tip the tip. */
  connect(block: StoredBlock): void;
  /** Takes the tip off. */
  disconnect(): StoredBlock;
  coin(outpoint: Outpoint): Coin | null;
  /** A transaction of the best chain and its block. */
  confirmed(txid: Txid): { tx: ParsedTransaction; block: StoredBlock } | null;
}

export function createChainState(genesis: BuiltBlock): ChainState {
  const first: StoredBlock = { ...genesis, height: 0, medianTime: genesis.header.time };
  const byHash = new Map<BlockHash, StoredBlock>([[first.header.hash, first]]);
  const best: StoredBlock[] = [first];
  const coins = new Map<string, Coin>();
  const confirmed = new Map<Txid, { tx: ParsedTransaction; block: StoredBlock }>();

  const tip = (): StoredBlock => best[best.length - 1] as StoredBlock;

  function medianTimeOf(header: BlockHeader, parent: StoredBlock): number {
    const times = [header.time];
    for (let block: StoredBlock | undefined = parent; block && times.length < 11; ) {
      times.push(block.header.time);
      block = byHash.get(block.header.prevHash);
    }
    return medianTimePast(times.reverse());
  }

  function coinOf(outpoint: Outpoint): Coin {
    const created = confirmed.get(outpoint.txid);
    const output = created?.tx.outputs[outpoint.vout];
    if (!created || !output) throw new Error(`the output ${outpointKey(outpoint)} is in no block of the best chain`);
    return { ...output, height: created.block.height, coinbase: created.tx.coinbase };
  }

  return {
    tip,
    at: (height) => best[height] ?? null,
    block: (hash) => byHash.get(hash) ?? null,
    inBestChain: (block) => best[block.height] === block,
    add(block) {
      const parent = byHash.get(block.header.prevHash);
      if (!parent) throw new Error(`the parent of block ${block.header.hash} is unknown`);
      const stored: StoredBlock = {
        ...block,
        height: parent.height + 1,
        medianTime: medianTimeOf(block.header, parent),
      };
      byHash.set(block.header.hash, stored);
      return stored;
    },
    connect(block) {
      if (block.header.prevHash !== tip().header.hash) throw new Error('only a child of the tip can be connected');
      for (const tx of block.transactions) {
        if (!tx.coinbase) for (const { prev } of tx.inputs) coins.delete(outpointKey(prev));
        confirmed.set(tx.txid, { tx, block });
        tx.outputs.forEach((output, vout) => {
          if (isUnspendable(Buffer.from(output.scriptPubKey.slice(0, 2), 'hex'))) return;
          coins.set(outpointKey({ txid: tx.txid, vout }), { ...output, height: block.height, coinbase: tx.coinbase });
        });
      }
      best.push(block);
    },
    disconnect() {
      const block = tip();
      if (block.height === 0) throw new Error('the first block stays');
      for (const tx of [...block.transactions].reverse()) {
        for (const vout of tx.outputs.keys()) coins.delete(outpointKey({ txid: tx.txid, vout }));
        if (!tx.coinbase) for (const { prev } of tx.inputs) coins.set(outpointKey(prev), coinOf(prev));
        confirmed.delete(tx.txid);
      }
      best.pop();
      return block;
    },
    coin: (outpoint) => coins.get(outpointKey(outpoint)) ?? null,
    confirmed: (txid) => confirmed.get(txid) ?? null,
  };
}
