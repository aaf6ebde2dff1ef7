import { operation } from '../../../hooks/operation.ts';
import type { PayeeAddresses } from '../../../services/address-book/payees.ts';
import type { ChooseFeeRate } from '../../../services/fees/choose-fee-rate.ts';
import type { TransactionService } from '../../../services/transactions/transaction-service.ts';
import { createdSuccess, transactionExample } from './transaction-answer.ts';
import { dryRunQuery, paymentBody, toPaymentRequest } from './transaction-requests.ts';

export const createTransaction = (
  transactions: TransactionService,
  chooseFeeRate: ChooseFeeRate,
  payeeAddresses: PayeeAddresses,
) =>
  operation({
    id: 'transaction.create',
    spends: ['payment', 'psbt'],
    family: 'a',
    method: 'POST',
    path: '/api/v1/transactions',
    summary: 'Pay one or many recipients',
    description:
      'Selects coins, builds, signs, commits and broadcasts. `status` is broadcast; signed while no node has accepted it yet (it is ' +
      'broadcast again until one does); or failed, with the reason. A wallet whose keys are not all in the service (multisig, ' +
      'watch-only) answers awaiting_signature with a PSBT for the other signers; its coins stay reserved. Where the node is unavailable ' +
      'before the commit, nothing is stored (503).',
    tag: 'Transactions',
    effect: 'write',
    access: { scope: 'transactions:write', role: 'operator' },
    dryRun: true,
    query: dryRunQuery,
    body: paymentBody,
    success: createdSuccess('The transaction', transactionExample),
    errors: [
      'invalid_address',
      'wrong_network',
      'invalid_amount',
      'policy_refused',
      'insufficient_funds',
      'nothing_to_spend',
      'dust',
      'fee_too_high',
      'fee_too_low',
      'no_fee_estimate',
      'amount_too_small_for_fee',
      'too_large',
      'too_many_ancestors',
      'truc_violation',
      'coin_unavailable',
      'signing_unavailable',
      'already_exists',
      'state_conflict',
      'not_found',
      'node_unavailable',
      'node_syncing',
      'unavailable',
    ],
    example: {
      body: {
        recipients: [{ address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', amount: '0.00150000' }],
        fee_rate: '2.5',
        rbf: true,
      },
      response: transactionExample,
    },
    run: async ({ query, body }, context) => {
      const addresses = await payeeAddresses(body.recipients, context);
      const request = toPaymentRequest(body, addresses, await chooseFeeRate(body.fee_rate));
      return transactions.create(request, { dryRun: query.dry_run }, context);
    },
  });
