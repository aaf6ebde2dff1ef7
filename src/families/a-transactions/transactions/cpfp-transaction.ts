import { operation } from '../../../hooks/operation.ts';
import type { ChooseFeeRate } from '../../../services/fees/choose-fee-rate.ts';
import type { TransactionService } from '../../../services/transactions/transaction-service.ts';
import { createdSuccess, transactionExample } from './transaction-answer.ts';
import { cpfpBody, dryRunQuery, txidParams } from './transaction-requests.ts';

const RESPONSE: typeof transactionExample = {
  ...transactionExample,
  txid: 'ef'.repeat(32),
  direction: 'internal',
  fee_rate: '27.5',
};

export const cpfpTransaction = (transactions: TransactionService, chooseFeeRate: ChooseFeeRate) =>
  operation({
    id: 'transaction.cpfp',
    spends: ['cpfp', 'psbt'],
    family: 'a',
    method: 'POST',
    path: '/api/v1/transactions/{txid}/cpfp',
    summary: 'Help a transaction with a child that pays for both',
    description:
      'Spends outputs of ours, of a payment or of a deposit, back to the wallet, so that both together pay the feerate.',
    tag: 'Transactions',
    effect: 'write',
    access: { scope: 'transactions:write', role: 'operator' },
    dryRun: true,
    params: txidParams,
    query: dryRunQuery,
    body: cpfpBody,
    success: createdSuccess('The child', RESPONSE),
    errors: [
      'not_found',
      'state_conflict',
      'nothing_to_spend',
      'fee_too_low',
      'no_fee_estimate',
      'insufficient_funds',
      'truc_violation',
      'too_many_ancestors',
      'too_large',
      'signing_unavailable',
      'node_unavailable',
      'node_syncing',
      'unavailable',
    ],
    example: {
      params: { txid: transactionExample.txid },
      body: { fee_rate: '15' },
      response: RESPONSE,
    },
    run: async ({ params, query, body }, context) =>
      transactions.cpfp(params.txid, { feeRate: await chooseFeeRate(body.fee_rate), dryRun: query.dry_run }, context),
  });
