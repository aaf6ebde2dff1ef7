import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { AddressBook } from '../../../../services/address-book/address-book.ts';
import { addressBookEntry, entryExample, entryParams, writing } from './entry-answer.ts';

export const deleteAddressBookEntry = (book: AddressBook) =>
  operation({
    ...writing,
    id: 'address-book-entry.delete',
    method: 'DELETE',
    path: '/api/v1/enterprise/address-book/{address_book_id}',
    summary: 'Remove an entry from the address book',
    description: 'At once, whatever the delay is.',
    params: entryParams,
    changesRules: addressBookEntry,
    success: { status: 204, schema: z.undefined(), description: 'Gone' },
    errors: ['not_found'],
    example: { params: { address_book_id: entryExample.address_book_id } },
    run: ({ params }, context) => book.delete(params.address_book_id, context),
    present: () => undefined,
  });
