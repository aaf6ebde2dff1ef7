import { operation } from '../../../hooks/operation.ts';
import type { NoteService } from '../../../services/notes/note-service.ts';
import { note, noteBody, noteBodyExample, noteExample, noteOf, noteParams } from './note-answer.ts';

export const updateTransactionNote = (notes: NoteService) =>
  operation({
    id: 'transaction-note.update',
    family: 'd',
    method: 'PUT',
    path: '/api/v1/transaction/{transaction_id}',
    summary: 'Replace a note of a payment',
    description:
      'It moves no coins, and changes no payment. The transaction is looked for anew; what it was linked to is free for another note.',
    tag: 'Resources',
    effect: 'write',
    access: { scope: 'transactions:write', role: 'operator' },
    changesRules: false,
    spends: [],
    params: noteParams,
    body: noteBody,
    success: { status: 200, answer: note, description: 'The note as it is now' },
    errors: ['not_found', 'state_conflict'],
    example: { params: { transaction_id: noteExample.transaction_id }, body: noteBodyExample, response: noteExample },
    run: ({ params, body }, context) => notes.replace(params.transaction_id, noteOf(body), context),
  });
