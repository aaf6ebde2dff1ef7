import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { NoteService } from '../../../services/notes/note-service.ts';
import { noteExample, noteParams } from './note-answer.ts';

export const deleteTransactionNote = (notes: NoteService) =>
  operation({
    id: 'transaction-note.delete',
    family: 'd',
    method: 'DELETE',
    path: '/api/v1/transaction/{transaction_id}',
    summary: 'Delete a note of a payment',
    description: 'The transaction stays as it is.',
    tag: 'Resources',
    effect: 'write',
    access: { scope: 'transactions:write', role: 'operator' },
    changesRules: false,
    spends: [],
    params: noteParams,
    success: { status: 204, schema: z.undefined(), description: 'Deleted' },
    errors: ['not_found'],
    example: { params: { transaction_id: noteExample.transaction_id } },
    run: ({ params }, context) => notes.delete(params.transaction_id, context),
    present: () => undefined,
  });
