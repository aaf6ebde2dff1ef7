import type { ChainSource } from '../../chain/chain-source.ts';
import type { SubmissionJobs } from '../../core/relay-policy/submitted-transaction.ts';
import type { Computing } from '../../engines/computing/computing.ts';
import type { Store } from '../../store/store.ts';
import { createChainBlocks } from './chain-blocks.ts';
import { createChainHeaders } from './chain-headers.ts';
import { createChainTransactions } from './chain-transactions.ts';
import { createMempoolReads } from './mempool-reads.ts';
import { createRecentBlocks } from './recent-blocks.ts';
import { createTransactionSubmission } from './submit-transactions.ts';

export function createChainServices(deps: {
  chain: ChainSource;
  store: Pick<Store, 'write'>;
  computing: Computing<SubmissionJobs>;
  clock: () => number;
}) {
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

/** The chain itself, as opposed to what is an account's in it. */
export type ChainServices = ReturnType<typeof createChainServices>;
