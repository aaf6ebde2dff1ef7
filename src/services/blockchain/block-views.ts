/**
 * What a block is, made once for as long as the best chain ends where it did. All that is told of a block but its confirmations follows
 * from the hash of the chain's last block: which block a height names, whether one is in the chain, what comes after it. So the source is
 * asked for that hash alone, for each answer, and nothing is kept when it is another one.
 */
import type { ChainSource, HeaderRecord } from '../../chain/chain-source.ts';
import { blockSizes, coinbaseHeight, transactionsBetween } from '../../core/blocks/block.ts';
import type { ParsedTransaction } from '../../core/blocks/transaction.ts';
import { createLru } from '../../core/lru.ts';
import type { BlockHash, Txid } from '../../core/outpoint.ts';
import { type BlockId, type HeaderView, headerView, noBlock } from './find-block.ts';
import { joinedAnswer } from './joined-answer.ts';
import type { RecentBlocks } from './recent-blocks.ts';

/** Of at most about 1 KiB each: a header, and of a coinbase the 100 bytes of its script (a rule of consensus) and its sum. */
const KEPT = 4_000;

interface PlacedBlock {
  readonly header: HeaderRecord;
  /** null at the tip, and outside the best chain. */
  readonly nextHash: BlockHash | null;
  readonly size: number;
  readonly strippedSize: number;
  readonly weight: number;
  readonly transactionCount: number;
  readonly coinbase: { readonly txid: Txid; readonly scriptSig: Uint8Array; readonly amountSats: bigint };
  /** As the coinbase says (BIP34); null where it says none. */
  readonly coinbaseHeight: number | null;
}

/** Views of one block that share its `coinbase`, the object, are the same but for the confirmations. */
export interface BlockView extends PlacedBlock {
  readonly header: HeaderView;
}

export function createBlockViews(deps: {
  chain: Pick<ChainSource, 'info' | 'bestBlockHash' | 'blockHashAt' | 'headerRecords'>;
  recent: RecentBlocks;
}) {
  const { chain, recent } = deps;
  const bestBlockHash = joinedAnswer(chain.bestBlockHash);
  const kept = createLru<BlockHash | number, PlacedBlock>(KEPT);
  let tip: { hash: BlockHash; height: number } | null = null;

  async function currentTip(): Promise<{ hash: BlockHash; height: number }> {
    const hash = await bestBlockHash();
    if (tip?.hash === hash) return tip;
    const info = await chain.info();
    kept.clear();
    tip = { hash: info.bestBlockHash, height: info.height };
    return tip;
  }

  async function read(id: Exclude<BlockId, 'latest'>): Promise<PlacedBlock> {
    const hash = 'hash' in id ? id.hash : await chain.blockHashAt(id.height);
    const [header] = hash === null ? [] : await chain.headerRecords([hash]);
    if (!header) throw noBlock();
    const [bytes, nextHash] = await Promise.all([
      recent.bytes(header.hash),
      header.inBestChain ? chain.blockHashAt(header.height + 1) : null,
    ]);
    if (bytes === null) throw noBlock();
    const { count, transactions } = transactionsBetween(bytes, 0, 1);
    const { txid, inputs, outputs } = transactions[0] as ParsedTransaction;
    // Of its own bytes: a view into the block would keep all of it.
    const scriptSig = Uint8Array.from(inputs[0]?.scriptSig ?? []);
    return {
      header: { ...header, header: Uint8Array.from(header.header) },
      nextHash,
      ...blockSizes(bytes),
      transactionCount: count,
      coinbase: { txid, scriptSig, amountSats: outputs.reduce((sum, { amountSats }) => sum + amountSats, 0n) },
      coinbaseHeight: coinbaseHeight(scriptSig),
    };
  }

  /** Throws `not_found`; `source_incapable` where the block is pruned. */
  return async (asked: BlockId): Promise<BlockView> => {
    const at = await currentTip();
    const id = asked === 'latest' ? { hash: at.hash } : asked;
    const key = 'hash' in id ? id.hash : id.height;
    const known = kept.get(key);
    if (known !== undefined) return { ...known, header: headerView(known.header, at.height) };
    const found = await read(id);
    // Where the chain has moved while it was read, some of it may be of before and some of after.
    if ((await chain.bestBlockHash()) === at.hash && tip?.hash === at.hash) kept.set(key, found);
    return { ...found, header: headerView(found.header, at.height) };
  };
}
