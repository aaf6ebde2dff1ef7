/** A note of a payment on the wire. */
import { z } from 'zod';
import { TRANSACTION_STATUSES } from '../../../core/events/statuses.ts';
import type { Note } from '../../../services/notes/note-service.ts';
import { amount, answer, time } from '../../answer.ts';
import { amountField, idField, txidField } from '../../fields.ts';

const UNLINKED = 'unlinked' as const;
const partyField = z.string().trim().min(1, 'must not be empty').max(255, 'must have at most 255 characters');

export const noteParams = z.strictObject({ transaction_id: idField('txn') });

export const noteBody = z
  .strictObject({
    amount: amountField,
    sender: partyField,
    recipient: partyField.meta({ description: 'An address, where a transaction is to be found by it' }),
    txid: txidField.optional().meta({ description: 'Which transaction pays it, where several might' }),
  })
  .meta({ id: 'TransactionNoteRequest' });

export const noteOf = ({ amount: amountSats, ...given }: z.output<typeof noteBody>) => ({ amountSats, ...given });

export const note = answer(
  'TransactionNote',
  {
    transaction_id: z.string(),
    amount,
    sender: z.string(),
    recipient: z.string(),
    txid: z
      .string()
      .nullable()
      .meta({ description: 'Of the transaction of the account that pays it; null: none is known' }),
    status: z.enum([UNLINKED, ...TRANSACTION_STATUSES]).meta({ description: "The transaction's" }),
    block_height: z.int().nullable(),
    created_at: time,
    updated_at: time,
  },
  ({ noteId, state }: Note) => ({
    transaction_id: noteId,
    status: state?.status ?? UNLINKED,
    block_height: state?.blockHeight ?? null,
  }),
);

export const noteExample = {
  transaction_id: 'txn_3mVb1k7Q2xYt9LpRw0Zc5A',
  amount: '0.00150000',
  sender: 'Treasury',
  recipient: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
  txid: null,
  status: UNLINKED,
  block_height: null,
  created_at: '2026-11-28T09:00:00.000Z',
  updated_at: '2026-11-28T09:00:00.000Z',
} as const;

export const noteBodyExample = {
  amount: '0.0015',
  sender: noteExample.sender,
  recipient: noteExample.recipient,
};
