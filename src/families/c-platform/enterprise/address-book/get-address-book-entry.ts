import { operation } from '../../../../hooks/operation.ts';
import type { AddressBook } from '../../../../services/address-book/address-book.ts';
import { addressBookEntry, entryExample, entryParams, reading } from './entry-answer.ts';

export const getAddressBookEntry = (book: AddressBook) =>
  operation({
    ...reading,
    id: 'address-book-entry.get',
    method: 'GET',
    path: '/api/v1/enterprise/address-book/{address_book_id}',
    summary: 'An entry of the address book',
    params: entryParams,
    success: { status: 200, answer: addressBookEntry, description: 'The entry' },
    errors: ['not_found'],
    example: { params: { address_book_id: entryExample.address_book_id }, response: entryExample },
    run: ({ params }, context) => book.get(params.address_book_id, context),
  });
