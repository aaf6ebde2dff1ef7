import type { ChainSource } from '../../../chain/chain-source.ts';
import { parseBlockTransactions } from '../../../core/blocks/block.ts';
import { isWithoutAnswer } from '../../../core/errors.ts';
import type { AccountId } from '../../../core/ids.ts';
import type { BlockHash, Txid } from '../../../core/outpoint.ts';
import type { Repositories } from '../../../store/store.ts';

/** Whole transactions by txid, as far as anybody still has them; a signer checks the amounts of coins by them (BIP174). */
export type PreviousTransactions = (accountId: AccountId, txids: readonly Txid[]) => Promise<Map<Txid, Uint8Array>>;

/**
 * Own payments are in the database. The rest is the chain's to give: by txid from the mempool or an index, else out of the block that
 * the record names. What a pruned node no longer has is left out.
 */
export function createPreviousTransactions(deps: {
  read: Pick<Repositories, 'transactions'>;
  chain: Pick<ChainSource, 'transaction' | 'block'>;
}): PreviousTransactions {
  const { read, chain } = deps;

  return async (accountId, txids) => {
    const found = new Map<Txid, Uint8Array>();
    const inBlocks = new Map<BlockHash, Txid[]>();
    for (const txid of new Set(txids)) {
      const record = await read.transactions.find(accountId, txid);
      const raw = record?.raw ?? (await orUnavailable(() => chain.transaction(txid)))?.raw;
      if (raw) found.set(txid, raw);
      else if (record?.blockHash) inBlocks.set(record.blockHash, [...(inBlocks.get(record.blockHash) ?? []), txid]);
    }
    for (const [hash, wanted] of inBlocks) {
      const block = await orUnavailable(() => chain.block(hash));
      if (!block) continue;
      for (const { txid, raw } of parseBlockTransactions(block.bytes)) if (wanted.includes(txid)) found.set(txid, raw);
    }
    return found;
  };
}

/** null where the source cannot know in principle (no index, pruned). */
async function orUnavailable<T>(question: () => Promise<T | null>): Promise<T | null> {
  try {
    return await question();
  } catch (error) {
    if (isWithoutAnswer(error)) return null;
    throw error;
  }
}
