import type { AnyOperation } from '../../../../hooks/operation.ts';
import type { ChainServices } from '../../../../services/blockchain/index.ts';
import { getFees } from './get-fees.ts';

export const chainFeeOperations = ({
  chainData: { mempool },
}: {
  chainData: Pick<ChainServices, 'mempool'>;
}): AnyOperation[] => [getFees(mempool)];
