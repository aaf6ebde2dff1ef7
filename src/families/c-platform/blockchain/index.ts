import type { AnyOperation } from '../../../hooks/operation.ts';
import type { BlockchainStatusService } from '../../../services/blockchain/blockchain-status.ts';
import { getBlockchainStatus } from './get-blockchain-status.ts';

export const blockchainOperations = (services: { blockchain: BlockchainStatusService }): AnyOperation[] => [
  getBlockchainStatus(services.blockchain),
];
