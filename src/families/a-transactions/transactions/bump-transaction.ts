import { operation } from '../../../hooks/operation.ts';
import type { ChooseFeeRate } from '../../../services/fees/choose-fee-rate.ts';
import type { TransactionService } from '../../../services/transactions/transaction-service.ts';
import { createdSuccess, transactionExample } from './transaction-answer.ts';
import { bumpBody, dryRunQuery, replacementRate, txidParams } from './transaction-requests.ts';

const RESPONSE: typeof transactionExample = {
  ...transactionExample,
  txid: 'cd'.repeat(32),
  replaces: transactionExample.txid,
  fee_rate: '12',
};

export const bumpTransaction = (transactions: TransactionService, chooseFeeRate: ChooseFeeRate) =>
  operation({
    id: 'transaction.bump',
    spends: ['bump', 'psbt'],
    family: 'a',
    method: 'POST',
    path: '/api/v1/transactions/{txid}/bump',
    summary: 'Raise the fee by replacing the transaction',
    description:
      'The same recipients at a higher feerate; the fee comes out of the change, then out of further confirmed coins. It works ' +
      'without the BIP125 signal too (full RBF). A refusal names the rule and the fee that would do.',
    tag: 'Transactions',
    effect: 'write',
    access: { scope: 'transactions:write', role: 'operator' },
    dryRun: true,
    params: txidParams,
    query: dryRunQuery,
    body: bumpBody,
    success: createdSuccess('The replacement', RESPONSE),
    errors: [
      'not_found',
      'state_conflict',
      'descendants_would_be_evicted',
      'fee_too_low',
      'no_fee_estimate',
      'insufficient_funds',
      'amount_too_small_for_fee',
      'dust',
      'too_large',
      'too_many_ancestors',
      'truc_violation',
      'policy_refused',
      'signing_unavailable',
      'node_unavailable',
      'node_syncing',
      'unavailable',
    ],
    example: {
      params: { txid: transactionExample.txid },
      body: { fee_rate: '12' },
      response: RESPONSE,
    },
    run: async ({ params, query, body }, context) =>
      transactions.bump(
        params.txid,
        {
          ...(await replacementRate(body.fee_rate, chooseFeeRate)),
          dryRun: query.dry_run,
          replaceDescendants: body.replace_descendants,
          subtractFeeFrom: body.subtract_fee_from,
        },
        context,
      ),
  });
