import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { MempoolReads } from '../../../../services/blockchain/mempool-reads.ts';
import { pageExample, paginated, unnamedAnswer } from '../../../answer.ts';
import { CHAIN_ERRORS, hashAnswer } from '../../../chain/chain-fields.ts';
import { pageQuery } from '../../../fields.ts';
import { reads } from '../../declarations.ts';

export const listMempoolTransaction = (mempool: MempoolReads) =>
  operation({
    ...reads('Bitcoin', 'mempool'),
    id: 'mempool-transaction.list',
    path: '/api/v1/bitcoin/mempool/transactions',
    summary: 'Txids of what waits in the mempool',
    description:
      "In the source's order. The mempool changes between two pages: what came or went meanwhile shifts them.",
    query: z.strictObject({ limit: pageQuery.limit, offset: pageQuery.offset }),
    success: { status: 200, answer: paginated(unnamedAnswer({ txid: hashAnswer })), description: 'A page of txids' },
    errors: ['invalid_value', ...CHAIN_ERRORS],
    example: {
      query: { limit: '20' },
      response: pageExample({ txid: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b' }),
    },
    run: async ({ query: { limit, offset } }) => {
      const txids = await mempool.txids();
      const hasMore = offset + limit < txids.length;
      const data = txids.slice(offset, offset + limit).map((txid) => ({ txid }));
      return { data, total: txids.length, limit, offset, hasMore, nextCursor: null };
    },
  });
