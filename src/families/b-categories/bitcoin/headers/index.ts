import type { Network } from '../../../../core/network.ts';
import type { AnyOperation } from '../../../../hooks/operation.ts';
import type { ChainServices } from '../../../../services/blockchain/index.ts';
import { getHeader } from './get-header.ts';
import { listHeader } from './list-header.ts';
import { verifyHeader } from './verify-header.ts';

export const headerOperations = ({
  chainData: { headers },
  network,
}: {
  chainData: Pick<ChainServices, 'headers'>;
  network: Network;
}): AnyOperation[] => [listHeader(headers), getHeader(headers), verifyHeader(network)];
