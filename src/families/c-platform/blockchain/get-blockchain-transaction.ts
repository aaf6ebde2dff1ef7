import { z } from 'zod';
import type { Network } from '../../../core/network.ts';
import { operation } from '../../../hooks/operation.ts';
import type { ChainTransactions } from '../../../services/blockchain/chain-transactions.ts';
import { answerWith } from '../../answer.ts';
import { blockHashField, CHAIN_ERRORS } from '../../chain/chain-fields.ts';
import { chainTransaction, chainTransactionExample } from '../../chain/chain-transaction-answer.ts';
import { txidField } from '../../fields.ts';

export const getBlockchainTransaction = (transactions: Pick<ChainTransactions, 'get'>, network: Network) =>
  operation({
    id: 'blockchain-transaction.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/blockchain/transaction/{txid}',
    summary: 'Any transaction of the chain or the mempool',
    description: 'As GET /api/v1/bitcoin/transactions/{txid}, which says what `block_hash` is for.',
    tag: 'Blockchain',
    effect: 'read',
    access: { scope: 'blockchain:read', role: 'viewer' },
    params: z.strictObject({ txid: txidField }),
    query: z.strictObject({ block_hash: blockHashField.optional() }),
    success: { status: 200, answer: answerWith(chainTransaction, { network }), description: 'The transaction' },
    errors: ['invalid_value', 'not_found', ...CHAIN_ERRORS],
    example: { params: { txid: chainTransactionExample.txid }, response: chainTransactionExample },
    run: ({ params, query }) => transactions.get(params.txid, query.block_hash ?? null),
  });
