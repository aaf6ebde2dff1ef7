import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { TransactionService } from '../../../services/transactions/transaction-service.ts';
import { orHeld } from '../../approvals/or-held.ts';
import { SIGNED_EXAMPLE } from '../../psbt-examples.ts';
import { transaction, transactionExample } from './transaction-answer.ts';
import { txidParams } from './transaction-requests.ts';

/** A PSBT of 10 MiB in base64 is no longer than this with the rest of its request. */
const MAX_PSBT = 10 * 1024 * 1024 - 1024;

export const createTransactionSignature = (transactions: TransactionService) =>
  operation({
    id: 'transaction-signature.create',
    spends: ['signature', 'musig'],
    family: 'a',
    method: 'POST',
    path: '/api/v1/transactions/{txid}/signatures',
    summary: 'Send signatures for a payment that waits for them',
    description:
      'Takes the signatures of a PSBT of the same transaction (version 2, or 0 as Bitcoin Core and older devices answer; partial or final), ' +
      'each verified first. Signers send in any order, at the same moment, too. With the last signature the payment is finalized and ' +
      'broadcast; its txid is final then, and unsigned_txid goes on resolving. Of a MuSig2 wallet nonces are sent first (BIP373): with ' +
      "the last of the others' the service adds its nonce and partial signature, and the answer's psbt is what they sign next.",
    tag: 'Transactions',
    effect: 'write',
    access: { scope: 'transactions:write', role: 'operator' },
    params: txidParams,
    body: z.strictObject({
      psbt: z
        .string()
        .min(1, 'must not be empty')
        .max(MAX_PSBT, 'is too long')
        .meta({
          description: 'base64 or hex',
          examples: [SIGNED_EXAMPLE],
        }),
    }),
    bodyLimit: 10 * 1024 * 1024,
    ...orHeld(transaction, 'The transaction as it stands now'),
    errors: [
      'not_found',
      'invalid_psbt',
      'psbt_mismatch',
      'psbt_incomplete',
      'nothing_signed',
      'unsafe_to_sign',
      'not_representable',
      'too_large',
      'state_conflict',
      'already_exists',
      'unavailable',
      'policy_refused',
    ],
    example: {
      params: { txid: transactionExample.txid },
      body: { psbt: SIGNED_EXAMPLE },
      response: transactionExample,
    },
    run: ({ params, body }, context) => transactions.addSignatures(params.txid, body.psbt, context),
  });
