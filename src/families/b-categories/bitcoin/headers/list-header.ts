import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { ChainHeaders } from '../../../../services/blockchain/chain-headers.ts';
import { paginated } from '../../../answer.ts';
import { CHAIN_ERRORS } from '../../../chain/chain-fields.ts';
import { blockHeader, headerExample } from '../../../chain/header-answer.ts';
import { integerQuery } from '../../../fields.ts';
import { reads } from '../../declarations.ts';

const MAX_AT_ONCE = 200;
const LAST_HEIGHT = 999_999_999;

export const listHeader = (headers: ChainHeaders) =>
  operation({
    ...reads('Bitcoin', 'headers'),
    id: 'header.list',
    path: '/api/v1/bitcoin/headers',
    summary: 'Headers of the best chain from a height upwards',
    description:
      'Ascending, each on the one before. `next_cursor` is the height of the next page, as `from` takes it; null at the end of the chain. ' +
      'To check them by oneself: POST /api/v1/bitcoin/headers/verify.',
    query: z.strictObject({
      from: integerQuery(0, LAST_HEIGHT).default(0).meta({ description: 'Height of the first' }),
      limit: integerQuery(1, MAX_AT_ONCE).default(20).meta({ description: 'Most headers of a page' }),
      cursor: integerQuery(0, LAST_HEIGHT)
        .meta({ description: 'pagination.next_cursor of the previous page, in the place of from' })
        .optional(),
    }),
    success: {
      status: 200,
      description: 'Headers by ascending height',
      answer: paginated(blockHeader),
    },
    errors: ['invalid_value', 'not_found', ...CHAIN_ERRORS],
    example: {
      query: { from: '0', limit: '1' },
      response: {
        data: [headerExample],
        pagination: { total: 925_001, limit: 1, offset: 0, has_more: true, next_cursor: '1' },
      },
    },
    run: async ({ query: { from, limit, cursor } }) => {
      const offset = cursor ?? from;
      const { headers: data, tipHeight } = await headers.range(offset, limit);
      // Also where a reorganization in between broke it off: the next page begins behind the last that stands.
      const next = offset + data.length;
      const hasMore = next <= tipHeight;
      return { data, total: tipHeight + 1, limit, offset, hasMore, nextCursor: hasMore ? String(next) : null };
    },
  });
