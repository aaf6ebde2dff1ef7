import { Readable } from 'node:stream';
import { z } from 'zod';
import { CSV_HEADER } from '../../../../core/address-book/csv.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { AddressBook } from '../../../../services/address-book/address-book.ts';
import { entryExample, reading } from './entry-answer.ts';

export const exportAddressBookEntry = (book: AddressBook) =>
  operation({
    ...reading,
    id: 'address-book-entry.export',
    method: 'GET',
    path: '/api/v1/enterprise/address-book/export',
    summary: 'The address book as CSV',
    description:
      'Oldest first, streamed. An apostrophe stands before cells that a spreadsheet would take for a formula, and before those that begin with ' +
      'one; the import takes it away again.',
    success: { status: 200, schema: z.string(), contentType: 'text/csv', streamed: true, description: 'The entries' },
    example: {
      response: `${CSV_HEADER}${entryExample.address_book_id},"${entryExample.name}",${entryExample.address},exchange,,false,${entryExample.effective_at}\r\n`,
    },
    run: (_, context) => book.export(context),
    present: (pieces) => Readable.from(pieces, { objectMode: false, encoding: 'utf8' }),
  });
