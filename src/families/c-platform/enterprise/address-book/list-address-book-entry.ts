import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { AddressBook } from '../../../../services/address-book/address-book.ts';
import { pageExample, paginated } from '../../../answer.ts';
import { externalIdField, nameField, pageQuery } from '../../../fields.ts';
import { omitUndefined, pageOf } from '../../../optional-values.ts';
import { addressBookEntry, addressField, entryExample, reading, tagField } from './entry-answer.ts';

export const listAddressBookEntry = (book: AddressBook) =>
  operation({
    ...reading,
    id: 'address-book-entry.list',
    method: 'GET',
    path: '/api/v1/enterprise/address-book',
    summary: 'The address book',
    description: 'Entries that all of the filters fit.',
    query: z.strictObject({
      ...pageQuery,
      name: nameField
        .optional()
        .meta({ description: 'A part of the name; upper and lower case of A to Z are the same' }),
      tag: tagField.optional(),
      address: addressField.optional(),
      external_id: externalIdField.optional(),
    }),
    success: { status: 200, answer: paginated(addressBookEntry), description: 'A page of entries, newest first' },
    errors: ['invalid_address', 'wrong_network'],
    example: { query: { tag: 'exchange' }, response: pageExample(entryExample) },
    run: ({ query: { name, tag, address, external_id: externalId, ...page } }, context) =>
      book.list(omitUndefined({ name, tag, address, externalId }), pageOf(page), context),
  });
