import { operation } from '../../../hooks/operation.ts';
import type { NoteService } from '../../../services/notes/note-service.ts';
import { note, noteBody, noteBodyExample, noteExample, noteOf } from './note-answer.ts';

export const createTransactionNote = (notes: NoteService) =>
  operation({
    id: 'transaction-note.create',
    family: 'd',
    method: 'POST',
    path: '/api/v1/transaction',
    summary: 'Note a payment',
    description:
      'A note in the ledger: who pays whom how much. It moves no coins: POST /api/v1/transactions pays. The transaction of the account that pays ' +
      'the recipient this amount is linked (`txid`), now or as soon as there is one, and the status follows it.',
    tag: 'Resources',
    effect: 'write',
    access: { scope: 'transactions:write', role: 'operator' },
    changesRules: false,
    spends: [],
    body: noteBody,
    success: { status: 201, answer: note, description: 'The note' },
    errors: ['not_found', 'state_conflict'],
    example: { body: noteBodyExample, response: noteExample },
    run: ({ body }, context) => notes.create(noteOf(body), context),
  });
