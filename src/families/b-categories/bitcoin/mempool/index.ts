import type { AnyOperation } from '../../../../hooks/operation.ts';
import type { ChainServices } from '../../../../services/blockchain/index.ts';
import { getMempool } from './get-mempool.ts';
import { getMempoolTransaction } from './get-mempool-transaction.ts';
import { listMempoolTransaction } from './list-mempool-transaction.ts';

export const mempoolOperations = ({
  chainData: { mempool },
}: {
  chainData: Pick<ChainServices, 'mempool'>;
}): AnyOperation[] => [getMempool(mempool), listMempoolTransaction(mempool), getMempoolTransaction(mempool)];
