import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { AnchoredHeadView, AnchorHead } from '../../../services/audit/anchor-head.ts';
import type { ChooseFeeRate } from '../../../services/fees/choose-fee-rate.ts';
import { amount, unnamedAnswer } from '../../answer.ts';
import { feeChoiceField, idField } from '../../fields.ts';
import { headExample, logQuery, treeHead } from './audit-answer.ts';

const payment = unnamedAnswer({ txid: z.string(), status: z.string(), wallet_id: z.string(), fee: amount.nullable() });
const anchored = unnamedAnswer(
  { anchor_id: z.string(), ...payment.shape, head: treeHead.schema },
  ({ transaction }: AnchoredHeadView) => payment.present(transaction),
);

export const anchorAudit = (anchorHead: AnchorHead, chooseFeeRate: ChooseFeeRate) =>
  operation({
    id: 'audit.anchor',
    family: 'c',
    method: 'POST',
    path: '/api/v1/compliance/audit/anchor',
    summary: 'Put a signed head of the log into a Bitcoin transaction',
    description:
      "A transaction of the account's wallet with an OP_RETURN output of 47 bytes (ASHLAR, version 1, size, root) and change: it costs its " +
      'fee. Raise that with POST /api/v1/transactions/{txid}/bump; the replacement carries the same head.',
    tag: 'Compliance',
    effect: 'write',
    changesRules: false,
    access: { scope: 'compliance:write', role: 'operator' },
    spends: ['payment', 'psbt'],
    body: z.strictObject({ wallet_id: idField('wal').optional(), fee_rate: feeChoiceField, log: logQuery.log }),
    success: {
      status: 201,
      description: 'The head and its transaction',
      answer: anchored,
    },
    errors: [
      'not_found',
      'state_conflict',
      'insufficient_funds',
      'coin_unavailable',
      'fee_too_low',
      'no_fee_estimate',
      'fee_too_high',
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
      body: { fee_rate: '2.5' },
      response: {
        anchor_id: 'anc_9sVb1k7Q2xYt9LpRw0Zc5A',
        txid: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
        status: 'broadcast',
        wallet_id: 'wal_7kPq3vXyTz0aBcDeFgHiJk',
        fee: '0.00000420',
        head: headExample,
      },
    },
    run: async ({ body }, context) => {
      const feeRate = await chooseFeeRate(body.fee_rate);
      return anchorHead({ log: body.log, feeRate, walletId: body.wallet_id }, context);
    },
  });
