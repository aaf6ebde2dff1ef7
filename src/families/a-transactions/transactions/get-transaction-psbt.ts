import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { TransactionService } from '../../../services/transactions/transaction-service.ts';
import { transactionExample } from './transaction-answer.ts';
import { txidParams } from './transaction-requests.ts';

export const getTransactionPsbt = (transactions: TransactionService) =>
  operation({
    id: 'transaction-psbt.get',
    family: 'a',
    method: 'GET',
    path: '/api/v1/transactions/{txid}/psbt',
    summary: 'The PSBT of a payment that waits for signatures',
    description: 'With the signatures so far; as version 0 (BIP174) for signers that do not know version 2 (BIP370).',
    tag: 'Transactions',
    effect: 'read',
    access: { scope: 'transactions:read', role: 'viewer' },
    params: txidParams,
    query: z.strictObject({
      version: z
        .enum(['0', '2'], 'must be 0 or 2')
        .default('2')
        .transform((version): 0 | 2 => (version === '0' ? 0 : 2))
        .meta({ examples: ['2'] }),
    }),
    success: {
      status: 200,
      schema: z.object({ psbt: z.string().meta({ description: 'base64' }), version: z.int() }),
      description: 'The PSBT',
    },
    errors: ['not_found', 'state_conflict', 'not_representable'],
    example: {
      params: { txid: transactionExample.txid },
      response: { psbt: 'cHNidP8BAgQCAAAAAQQBAQEFAQIB+wQCAAAAAA==', version: 2 },
    },
    run: ({ params, query }, context) => transactions.psbt(params.txid, query.version, context),
    present: (answer) => answer,
  });
