import { z } from 'zod';
import type { Network } from '../../../../core/network.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { ChainTransactions } from '../../../../services/blockchain/chain-transactions.ts';
import { answerWith } from '../../../answer.ts';
import { blockHashField, CHAIN_ERRORS } from '../../../chain/chain-fields.ts';
import { chainTransaction, chainTransactionExample } from '../../../chain/chain-transaction-answer.ts';
import { txidField } from '../../../fields.ts';
import { reads } from '../../declarations.ts';

export const getChainTransaction = (transactions: ChainTransactions, network: Network) =>
  operation({
    ...reads('Bitcoin', 'transactions'),
    id: 'chain-transaction.get',
    path: '/api/v1/bitcoin/transactions/{txid}',
    summary: 'Any transaction of the chain or the mempool, decoded',
    description:
      'A Bitcoin node without a transaction index knows only what is in its mempool, and this is answered 422 `no_index` then; ' +
      'with `block_hash` it looks in that block, which takes no index. `fee` and what the inputs spend are null where the source ' +
      "cannot say. An account's own payments, with their history: GET /api/v1/transactions/{txid}.",
    params: z.strictObject({ txid: txidField }),
    query: z.strictObject({ block_hash: blockHashField.optional() }),
    success: { status: 200, answer: answerWith(chainTransaction, { network }), description: 'The transaction' },
    errors: ['invalid_value', 'not_found', ...CHAIN_ERRORS],
    example: { params: { txid: chainTransactionExample.txid }, response: chainTransactionExample },
    run: ({ params, query }) => transactions.get(params.txid, query.block_hash ?? null),
  });
