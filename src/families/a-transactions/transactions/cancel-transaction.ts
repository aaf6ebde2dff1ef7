import { operation } from '../../../hooks/operation.ts';
import type { ChooseFeeRate } from '../../../services/fees/choose-fee-rate.ts';
import type { TransactionService } from '../../../services/transactions/transaction-service.ts';
import { createdSuccess, transactionExample } from './transaction-answer.ts';
import { cancelBody, dryRunQuery, replacementRate, txidParams } from './transaction-requests.ts';

const RESPONSE: typeof transactionExample = {
  ...transactionExample,
  txid: 'ba'.repeat(32),
  direction: 'internal',
  replaces: transactionExample.txid,
};

export const cancelTransaction = (transactions: TransactionService, chooseFeeRate: ChooseFeeRate) =>
  operation({
    id: 'transaction.cancel',
    spends: ['cancel', 'psbt'],
    family: 'a',
    method: 'POST',
    path: '/api/v1/transactions/{txid}/cancel',
    summary: 'Take an unconfirmed payment back',
    description:
      'Spends its coins back to the wallet in a transaction that replaces it. It holds once that one confirms. A payment that waits for ' +
      'signatures is given up instead, and answered as abandoned.',
    tag: 'Transactions',
    effect: 'write',
    access: { scope: 'transactions:write', role: 'operator' },
    dryRun: true,
    params: txidParams,
    query: dryRunQuery,
    body: cancelBody,
    success: createdSuccess('The transaction that takes it back', RESPONSE),
    errors: [
      'not_found',
      'state_conflict',
      'descendants_would_be_evicted',
      'fee_too_low',
      'no_fee_estimate',
      'insufficient_funds',
      'too_large',
      'truc_violation',
      'policy_refused',
      'signing_unavailable',
      'node_unavailable',
      'node_syncing',
      'unavailable',
    ],
    example: {
      params: { txid: transactionExample.txid },
      body: {},
      response: RESPONSE,
    },
    run: async ({ params, query, body }, context) =>
      transactions.cancel(
        params.txid,
        {
          ...(body?.fee_rate && (await replacementRate(body.fee_rate, chooseFeeRate))),
          dryRun: query.dry_run,
          replaceDescendants: body?.replace_descendants,
        },
        context,
      ),
  });
