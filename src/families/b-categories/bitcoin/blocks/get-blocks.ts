import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { ChainBlocks } from '../../../../services/blockchain/chain-blocks.ts';
import { block, blockExample } from '../../../chain/block-answer.ts';
import { blockIdField, CHAIN_ERRORS } from '../../../chain/chain-fields.ts';
import { reads } from '../../declarations.ts';

export const getBlocks = (blocks: ChainBlocks) =>
  operation({
    ...reads('Bitcoin', 'blocks'),
    id: 'blocks.get',
    path: '/api/v1/bitcoin/blocks/{hash_or_height}',
    summary: 'A block by hash, by height, or the latest',
    description: 'By hash also one that has left the best chain. Its transactions are listed below it.',
    params: z.strictObject({ hash_or_height: blockIdField }),
    success: { status: 200, answer: block, description: 'The block' },
    errors: ['not_found', ...CHAIN_ERRORS],
    example: { params: { hash_or_height: 'latest' }, response: blockExample },
    run: ({ params }) => blocks.get(params.hash_or_height),
  });
