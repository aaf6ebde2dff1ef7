import { z } from 'zod';
import { NETWORKS } from '../../../core/network.ts';
import { operation } from '../../../hooks/operation.ts';
import type { BlockchainStatus, BlockchainStatusService } from '../../../services/blockchain/blockchain-status.ts';
import { feeRate, unnamedAnswer } from '../../answer.ts';

const blockchainStatus = unnamedAnswer(
  {
    network: z.enum(NETWORKS),
    source: z.enum(['bitcoind', 'esplora', 'simulated']),
    height: z.int(),
    best_block_hash: z.string(),
    syncing: z.boolean(),
    mempool: z.object({ count: z.int(), vbytes: z.int(), min_fee_rate: feeRate }),
    peers: z
      .object({ inbound: z.int(), outbound: z.int() })
      .nullable()
      .meta({ description: 'How many nodes the node is connected to; null where the source does not say' }),
    verification_progress: z
      .number()
      .nullable()
      .meta({ description: "The node's estimate, 0 to 1; null where the source does not say" }),
    warnings: z.array(z.string()).meta({ description: "The node's" }),
    follower: z.object({
      height: z.int().nullable(),
      lag: z.int().nullable(),
      seconds_to_tip: z.int().nullable().meta({
        description:
          'Estimated from the blocks followed in the last five minutes, as the reads of this status saw it; null without two of them',
      }),
    }),
  },
  ({ info: { network, height, bestBlockHash, syncing }, node }: BlockchainStatus) => ({
    ...{ peers: node.peers, warnings: [...node.warnings], verification_progress: node.verificationProgress },
    ...{ network, height, syncing },
    best_block_hash: bestBlockHash,
  }),
);

export const getBlockchainStatus = (blockchain: Pick<BlockchainStatusService, 'status'>) =>
  operation({
    id: 'blockchain-status.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/blockchain/status',
    summary: 'The chain as its source and the follower see it',
    tag: 'Blockchain',
    effect: 'read',
    access: { scope: 'blockchain:read', role: 'viewer' },
    success: {
      status: 200,
      description: 'Height, mempool and how far the service has followed',
      answer: blockchainStatus,
    },
    errors: ['node_unavailable', 'node_syncing'],
    example: {
      response: {
        network: 'regtest',
        source: 'bitcoind',
        height: 110,
        best_block_hash: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
        syncing: false,
        mempool: { count: 2, vbytes: 282, min_fee_rate: '0.1' },
        peers: { inbound: 2, outbound: 8 },
        verification_progress: 1,
        warnings: [],
        follower: { height: 110, lag: 0, seconds_to_tip: 0 },
      },
    },
    run: () => blockchain.status(),
  });
