import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { MiningService } from '../../../../services/blockchain/mining.ts';
import { writes } from '../../declarations.ts';

const MAX_AT_ONCE = 1_000;

export const mineBlocks = (mining: MiningService) =>
  operation({
    ...writes('Bitcoin', 'blocks'),
    id: 'blocks.mine',
    path: '/api/v1/bitcoin/blocks',
    summary: 'Mine blocks, on regtest and the simulated chain only',
    description: 'Without an address the rewards go to an output that nobody can spend.',
    body: z.strictObject({
      count: z
        .int()
        .min(1, `must be between 1 and ${MAX_AT_ONCE}`)
        .max(MAX_AT_ONCE, `must be between 1 and ${MAX_AT_ONCE}`)
        .meta({ description: 'How many blocks', examples: [1] }),
      address: z.string().max(100).meta({ description: 'Where the rewards go' }).optional(),
    }),
    success: {
      status: 201,
      description: 'The new blocks, oldest first',
      schema: z.object({ data: z.array(z.object({ height: z.int(), hash: z.string() })) }),
    },
    errors: ['invalid_address', 'wrong_network', 'forbidden', 'node_unavailable'],
    example: {
      body: { count: 1 },
      response: {
        data: [{ height: 111, hash: '3f5e1c0a5f3b4a9b8a0e6b5b6f1d2c3e4f5a6b7c8d9e0f1a2b3c4d5e6f708192' }],
      },
    },
    run: ({ body }, context) => mining.mine(context, { count: body.count, address: body.address ?? null }),
    present: (blocks) => ({ data: blocks }),
  });
