import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { ChainBlocks } from '../../../../services/blockchain/chain-blocks.ts';
import { paginated } from '../../../answer.ts';
import { CHAIN_ERRORS } from '../../../chain/chain-fields.ts';
import { blockHeader, headerExample } from '../../../chain/header-answer.ts';
import { pageQuery } from '../../../fields.ts';
import { pageOf } from '../../../optional-values.ts';
import { reads } from '../../declarations.ts';

export const listBlocks = (blocks: ChainBlocks) =>
  operation({
    ...reads('Bitcoin', 'blocks'),
    id: 'blocks.list',
    path: '/api/v1/bitcoin/blocks',
    summary: 'Blocks of the best chain, newest first',
    description:
      'Headers and transaction counts; sizes and the coinbase are in a block itself. `next_cursor` goes on where a page ended, ' +
      'whatever blocks have come meanwhile.',
    query: z.strictObject(pageQuery),
    success: { status: 200, answer: paginated(blockHeader), description: 'A page of blocks' },
    errors: ['invalid_value', ...CHAIN_ERRORS],
    example: {
      query: { limit: '1', offset: '0' },
      response: {
        data: [headerExample],
        pagination: { total: 1, limit: 1, offset: 0, has_more: false, next_cursor: null },
      },
    },
    run: ({ query }) => blocks.list(pageOf(query)),
  });
