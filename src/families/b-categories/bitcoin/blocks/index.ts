import type { Network } from '../../../../core/network.ts';
import type { AnyOperation } from '../../../../hooks/operation.ts';
import type { ChainServices } from '../../../../services/blockchain/index.ts';
import type { MiningService } from '../../../../services/blockchain/mining.ts';
import { getBlocks } from './get-blocks.ts';
import { getRawBlock } from './get-raw-block.ts';
import { listBlockTransaction } from './list-block-transaction.ts';
import { listBlocks } from './list-blocks.ts';
import { mineBlocks } from './mine-blocks.ts';

export const blockOperations = ({
  chainData: { blocks },
  mining,
  network,
}: {
  chainData: Pick<ChainServices, 'blocks'>;
  mining: MiningService;
  network: Network;
}): AnyOperation[] => [
  listBlocks(blocks),
  mineBlocks(mining),
  getBlocks(blocks),
  listBlockTransaction(blocks, network),
  getRawBlock(blocks),
];
