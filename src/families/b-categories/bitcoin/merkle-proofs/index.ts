import type { Network } from '../../../../core/network.ts';
import type { AnyOperation } from '../../../../hooks/operation.ts';
import type { ChainServices } from '../../../../services/blockchain/index.ts';
import { getMerkleProof } from './get-merkle-proof.ts';
import { verifyMerkleProof } from './verify-merkle-proof.ts';

export const merkleProofOperations = ({
  chainData: { transactions },
  network,
}: {
  chainData: Pick<ChainServices, 'transactions'>;
  network: Network;
}): AnyOperation[] => [getMerkleProof(transactions), verifyMerkleProof(network)];
