import { operation } from '../../../hooks/operation.ts';
import type { NoteService } from '../../../services/notes/note-service.ts';
import { note, noteExample, noteParams } from './note-answer.ts';

export const getTransactionNote = (notes: NoteService) =>
  operation({
    id: 'transaction-note.get',
    family: 'd',
    method: 'GET',
    path: '/api/v1/transaction/{transaction_id}',
    summary: 'A note of a payment',
    tag: 'Resources',
    effect: 'read',
    access: { scope: 'transactions:read', role: 'viewer' },
    params: noteParams,
    success: { status: 200, answer: note, description: 'The note' },
    errors: ['not_found'],
    example: { params: { transaction_id: noteExample.transaction_id }, response: noteExample },
    run: ({ params }, context) => notes.get(params.transaction_id, context),
  });
