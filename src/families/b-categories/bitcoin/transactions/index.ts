import type { Network } from '../../../../core/network.ts';
import type { AnyOperation } from '../../../../hooks/operation.ts';
import type { ChainServices } from '../../../../services/blockchain/index.ts';
import { broadcastChainTransaction } from './broadcast-chain-transaction.ts';
import { decodeChainTransaction } from './decode-chain-transaction.ts';
import { getChainOutput } from './get-chain-output.ts';
import { getChainTransaction } from './get-chain-transaction.ts';
import { testChainTransaction } from './test-chain-transaction.ts';

export const chainTransactionOperations = ({
  chainData: { transactions, submission },
  network,
}: {
  chainData: Pick<ChainServices, 'transactions' | 'submission'>;
  network: Network;
}): AnyOperation[] => [
  getChainTransaction(transactions, network),
  getChainOutput(transactions, network),
  decodeChainTransaction(network),
  testChainTransaction(submission),
  broadcastChainTransaction(submission),
];
