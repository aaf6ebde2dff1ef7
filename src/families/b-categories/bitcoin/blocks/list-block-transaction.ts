import { z } from 'zod';
import type { Network } from '../../../../core/network.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { ChainBlocks } from '../../../../services/blockchain/chain-blocks.ts';
import { pageExample, paginated } from '../../../answer.ts';
import { blockIdField, CHAIN_ERRORS } from '../../../chain/chain-fields.ts';
import { decodedAlone, transactionFormExample } from '../../../chain/transaction-form.ts';
import { pageQuery } from '../../../fields.ts';
import { reads } from '../../declarations.ts';

export const listBlockTransaction = (blocks: ChainBlocks, network: Network) =>
  operation({
    ...reads('Bitcoin', 'blocks'),
    id: 'block-transaction.list',
    path: '/api/v1/bitcoin/blocks/{hash_or_height}/transactions',
    summary: 'The transactions of a block, decoded, in its order',
    description:
      'A block does not hold what its transactions spend: `prevout` and `fee` are null here, and known of a single transaction ' +
      '(GET /api/v1/bitcoin/transactions/{txid}).',
    params: z.strictObject({ hash_or_height: blockIdField }),
    query: z.strictObject({ limit: pageQuery.limit, offset: pageQuery.offset }),
    success: { status: 200, answer: paginated(decodedAlone(network)), description: 'A page of transactions' },
    errors: ['invalid_value', 'not_found', ...CHAIN_ERRORS],
    example: {
      params: { hash_or_height: '0' },
      query: { limit: '20' },
      response: pageExample(transactionFormExample),
    },
    run: ({ params, query }) => blocks.transactions(params.hash_or_height, query),
  });
