import type { ChainSource } from '../../chain/chain-source.ts';
import type { SubmissionJobs } from '../../core/policy/submitted-transaction.ts';
import type { Computing } from '../../engines/computing/computing.ts';
import type { Store } from '../../store/store.ts';
import { type ChainBlocks, createChainBlocks } from './chain-blocks.ts';
import { type ChainHeaders, createChainHeaders } from './chain-headers.ts';
import { type ChainTransactions, createChainTransactions } from './chain-transactions.ts';
import { createMempoolReads, type MempoolReads } from './mempool-reads.ts';
import { createRecentBlocks } from './recent-blocks.ts';
import { createTransactionSubmission, type TransactionSubmission } from './submit-transactions.ts';

/** The chain itself, as opposed to what is an account's in it. */
export interface ChainServices {
  readonly blocks: ChainBlocks;
  readonly headers: ChainHeaders;
  readonly transactions: ChainTransactions;
  readonly submission: TransactionSubmission;
  readonly mempool: MempoolReads;
}

export function createChainServices(deps: {
  chain: ChainSource;
  store: Pick<Store, 'write'>;
  computing: Computing<SubmissionJobs>;
  clock: () => number;
}): ChainServices {
  const { chain, store, computing, clock } = deps;
  const recent = createRecentBlocks(chain);
  return {
    blocks: createChainBlocks({ chain, recent }),
    headers: createChainHeaders({ chain }),
    transactions: createChainTransactions({ chain, recent }),
    submission: createTransactionSubmission({ chain, store, computing }),
    mempool: createMempoolReads({ chain, clock }),
  };
}
