import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { ChainHeaders } from '../../../../services/blockchain/chain-headers.ts';
import { integerQuery } from '../../../fields.ts';
import { CHAIN_ERRORS } from '../chain-fields.ts';
import { headerAnswer, headerExample, presentHeader } from './header-answer.ts';

const MOST_AT_ONCE = 200;
const LAST_HEIGHT = 999_999_999;

export const listHeader = (headers: ChainHeaders) =>
  operation({
    id: 'header.list',
    family: 'b',
    method: 'GET',
    path: '/api/v1/bitcoin/headers',
    summary: 'Headers of the best chain from a height upwards',
    description:
      'Ascending, each on the one before. Fewer than asked for at the end of the chain; `next_from` is null there. To check them by ' +
      'oneself: POST /api/v1/bitcoin/headers/verify.',
    tag: 'Bitcoin',
    effect: 'read',
    access: { scope: 'headers:read', role: 'viewer' },
    limitClass: 'standard',
    idempotent: false,
    query: z.strictObject({
      from: integerQuery(0, LAST_HEIGHT).default(0).meta({ description: 'Height of the first' }),
      count: integerQuery(1, MOST_AT_ONCE).default(20).meta({ description: 'How many at most' }),
    }),
    success: {
      status: 200,
      description: 'Headers by ascending height',
      schema: z.object({
        data: z.array(headerAnswer),
        tip_height: z.int(),
        next_from: z.int().nullable().meta({ description: 'Where the next request goes on' }),
      }),
    },
    errors: ['invalid_value', 'not_found', ...CHAIN_ERRORS],
    example: {
      query: { from: '0', count: '1' },
      response: { data: [headerExample], tip_height: 925_000, next_from: 1 },
    },
    run: ({ query }) => headers.range(query.from, query.count),
    present: ({ headers: found, tipHeight }) => {
      const last = found.at(-1);
      return {
        data: found.map(presentHeader),
        tip_height: tipHeight,
        next_from: last === undefined || last.height >= tipHeight ? null : last.height + 1,
      };
    },
  });
