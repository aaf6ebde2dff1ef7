import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { NoteService } from '../../../services/notes/note-service.ts';
import { pageExample, paginated } from '../../answer.ts';
import { pageQuery, txidField } from '../../fields.ts';
import { omitUndefined, pageOf } from '../../optional-values.ts';
import { note, noteExample } from './note-answer.ts';

export const listTransactionNote = (notes: NoteService) =>
  operation({
    id: 'transaction-note.list',
    family: 'd',
    method: 'GET',
    path: '/api/v1/transaction',
    summary: 'Notes of payments',
    tag: 'Resources',
    effect: 'read',
    access: { scope: 'transactions:read', role: 'viewer' },
    query: z.strictObject({
      ...pageQuery,
      txid: txidField.optional(),
      recipient: z.string().min(1).max(255).optional(),
    }),
    success: { status: 200, answer: paginated(note), description: 'A page of notes, newest first' },
    example: { query: { limit: '20', offset: '0' }, response: pageExample(noteExample) },
    run: ({ query: { txid, recipient, ...page } }, context) =>
      notes.list(omitUndefined({ txid, recipient }), pageOf(page), context),
  });
