import type { AnyOperation } from '../../../../hooks/operation.ts';
import type { MiningService } from '../../../../services/blockchain/mining.ts';
import { mineBlocks } from './mine-blocks.ts';

export const blockOperations = (services: { mining: MiningService }): AnyOperation[] => [mineBlocks(services.mining)];
