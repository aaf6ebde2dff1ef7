import { z } from 'zod';
import { transactionFromHex } from '../../../../core/blocks/transaction-hex.ts';
import type { Network } from '../../../../core/network.ts';
import { operation } from '../../../../hooks/operation.ts';
import { rawTransactionField } from '../../../chain/raw-transaction-field.ts';
import { decodedAlone, transactionFormExample, transactionHex } from '../../../chain/transaction-form.ts';
import { isLargeBody } from '../../../large-body.ts';
import { computes } from '../../declarations.ts';

export const decodeChainTransaction = (network: Network) =>
  operation({
    ...computes('Bitcoin', 'transactions'),
    id: 'chain-transaction.decode',
    path: '/api/v1/bitcoin/transactions/decode',
    summary: 'Take a serialized transaction apart',
    description: 'Nobody is asked: what its inputs spend, and so its fee, is null.',
    body: z.strictObject({ transaction: rawTransactionField }),
    success: { status: 200, answer: decodedAlone(network), description: 'The transaction' },
    errors: ['invalid_transaction'],
    example: { body: { transaction: transactionHex }, response: transactionFormExample },
    inWorker: isLargeBody,
    run: async ({ body }) => transactionFromHex(body.transaction, 'transaction'),
  });
