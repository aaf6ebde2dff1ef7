import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { ChainBlocks } from '../../../services/blockchain/chain-blocks.ts';
import { amount, answer, pagination } from '../../answer.ts';
import { block, blockExample } from '../../chain/block-answer.ts';
import { blockIdField, CHAIN_ERRORS, hashAnswer } from '../../chain/chain-fields.ts';
import { pageQuery } from '../../fields.ts';

type BlockWithTxids = Awaited<ReturnType<ChainBlocks['getWithTxids']>>;

const blockWithTxids = answer(
  'BlockWithTxids',
  {
    ...block.shape,
    total_fees: amount.nullable().meta({
      description: 'What its transactions pay together; null where the source cannot say (undo data pruned, Esplora)',
    }),
    txids: z.array(hashAnswer).meta({ description: 'A page, in the order of the block' }),
    pagination: pagination.schema,
  },
  ({ pagination: page, ...view }: BlockWithTxids) => ({
    ...block.present(view),
    pagination: pagination.present(page),
  }),
);

export const getBlockchainBlock = (blocks: Pick<ChainBlocks, 'getWithTxids'>) =>
  operation({
    id: 'blockchain-block.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/blockchain/block/{hash}',
    summary: 'A block with its fees and the ids of its transactions',
    description:
      'By hash also one that has left the best chain. GET /api/v1/bitcoin/blocks has its transactions, decoded, and its bytes.',
    tag: 'Blockchain',
    effect: 'read',
    access: { scope: 'blockchain:read', role: 'viewer' },
    params: z.strictObject({ hash: blockIdField }),
    query: z.strictObject({ limit: pageQuery.limit, offset: pageQuery.offset }),
    success: { status: 200, answer: blockWithTxids, description: 'The block' },
    errors: ['invalid_value', 'not_found', ...CHAIN_ERRORS],
    example: {
      params: { hash: blockExample.hash },
      response: {
        ...blockExample,
        total_fees: '0.00000000',
        txids: [blockExample.coinbase.txid],
        pagination: { total: 1, limit: 20, offset: 0, has_more: false, next_cursor: null },
      },
    },
    run: ({ params, query }) => blocks.getWithTxids(params.hash, query),
  });
