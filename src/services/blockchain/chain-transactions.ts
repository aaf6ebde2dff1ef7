/** Any transaction of the chain or mempool, what became of outputs, and proofs of inclusion: chain data, the same for every account. */
import type { ChainSource, TransactionDetails } from '../../chain/chain-source.ts';
import { transactionHashes, transactionsBetween } from '../../core/blocks/block.ts';
import { HEADER_SIZE } from '../../core/blocks/header.ts';
import { merkleBranch } from '../../core/blocks/merkle-branch.ts';
import { merkleBlock } from '../../core/blocks/partial-merkle-tree.ts';
import { type ParsedOutput, type ParsedTransaction, parseTransaction } from '../../core/blocks/transaction.ts';
import { DomainError } from '../../core/errors.ts';
import { type BlockHash, internalHash, type Outpoint, type Txid } from '../../core/outpoint.ts';
import type { RecentBlocks } from './recent-blocks.ts';

export interface ChainTransaction {
  readonly transaction: ParsedTransaction;
  /** In the order of its inputs; null where unknown. */
  readonly spent: readonly (ParsedOutput | null)[];
  /** `stale`: in the block that was named, which is not in the best chain. */
  readonly status: 'confirmed' | 'unconfirmed' | 'stale';
  readonly block: { hash: BlockHash; height: number; time: number } | null;
  readonly confirmations: number | null;
}

export function createChainTransactions(deps: {
  chain: Pick<ChainSource, 'transactionDetails' | 'outputStatus' | 'header'>;
  recent: RecentBlocks;
}) {
  const { chain, recent } = deps;

  async function find(txid: Txid, block: BlockHash | null): Promise<TransactionDetails> {
    const found = await chain.transactionDetails(txid, block ?? undefined).catch((error: unknown) => {
      if (error instanceof DomainError && error.code === 'no_index' && block === null) throw withoutIndex(error);
      throw error;
    });
    if (found !== null) return found;
    if (block !== null && (await chain.header(block)) === null)
      throw new DomainError('not_found', 'there is no such block', { field: 'query.block_hash' });
    throw new DomainError('not_found', `there is no such transaction${block === null ? '' : ' in this block'}`, {
      field: 'txid',
    });
  }

  async function headerOf(hash: BlockHash) {
    const header = await chain.header(hash);
    if (header === null) throw new DomainError('node_unavailable', 'the chain was reorganized meanwhile: ask again');
    return header;
  }

  return {
    /** `block`: look in this one, for sources without an index. Throws `not_found`; `no_index` where the source can't know. */
    async get(txid: Txid, block: BlockHash | null): Promise<ChainTransaction> {
      const found = await find(txid, block);
      const { blockHash, confirmations, spent } = found;
      const transaction = parseTransaction(found.raw);
      if (blockHash === null) return { transaction, spent, status: 'unconfirmed', block: null, confirmations: 0 };
      const { height, time, inBestChain } = await headerOf(blockHash);
      const at = { hash: blockHash, height, time };
      return inBestChain
        ? { transaction, spent, status: 'confirmed', block: at, confirmations }
        : { transaction, spent, status: 'stale', block: at, confirmations: 0 };
    },
    async output(outpoint: Outpoint) {
      const status = await chain.outputStatus(outpoint);
      if (status === null) throw new DomainError('not_found', 'there is no such output', { field: 'vout' });
      return { ...outpoint, ...status };
    },
    /** Throws `state_conflict` while it is in no block. */
    async prove(txid: Txid, block: BlockHash | null) {
      const { blockHash } = await find(txid, block);
      if (blockHash === null)
        throw new DomainError('state_conflict', 'the transaction is in no block yet: there is nothing to prove', {
          field: 'txid',
        });
      const [{ height, inBestChain }, bytes] = await Promise.all([headerOf(blockHash), recent.bytes(blockHash)]);
      if (bytes === null) throw new DomainError('unavailable', 'the chain source does not have the block any more');
      const hashes = transactionHashes(bytes);
      const wanted = internalHash(txid);
      const position = hashes.findIndex((hash) => hash.equals(wanted));
      const [first] = transactionsBetween(bytes, 0, 1).transactions;
      if (position < 0 || !first) throw new DomainError('unavailable', 'the transaction is not in the block said');
      const header = bytes.subarray(0, HEADER_SIZE);
      return {
        txid,
        block: { hash: blockHash, height, inBestChain },
        header,
        transactionCount: hashes.length,
        position,
        branch: merkleBranch(hashes, position),
        merkleBlock: merkleBlock(header, hashes, [position]),
        coinbase: { raw: first.raw, branch: merkleBranch(hashes, 0) },
      };
    },
  };
}

export type ChainTransactions = ReturnType<typeof createChainTransactions>;

const withoutIndex = (error: DomainError): DomainError =>
  new DomainError('no_index', `${error.message}; with block_hash it can look in that block`, error.details);
