import { operation } from '../../../../hooks/operation.ts';
import type { AddressBook } from '../../../../services/address-book/address-book.ts';
import { namedRequest, nameField } from '../../../fields.ts';
import {
  addressBookEntry,
  addressField,
  entryExample,
  externalIdOf,
  proofField,
  tagsField,
  writing,
} from './entry-answer.ts';

export const createAddressBookEntry = (book: AddressBook) =>
  operation({
    ...writing,
    id: 'address-book-entry.create',
    method: 'POST',
    path: '/api/v1/enterprise/address-book',
    summary: 'Put an address into the address book',
    description:
      'An address is in it once. The entry is effective when address_book_delay_hours of the config are over. A proof shows that whoever ' +
      'asks to be paid there controls the address; it has no effect of its own.',
    body: namedRequest('AddressBookEntryRequest', {
      name: nameField,
      address: addressField,
      tags: tagsField.default([]),
      external_id: externalIdOf.default(null),
      proof: proofField.nullable().default(null),
    }),
    changesRules: addressBookEntry,
    success: { status: 201, answer: addressBookEntry, description: 'The entry' },
    errors: ['invalid_address', 'wrong_network', 'invalid_signature', 'already_exists', 'too_large'],
    example: {
      body: { name: entryExample.name, address: entryExample.address, tags: entryExample.tags },
      response: entryExample,
    },
    run: ({ body: { external_id: externalId, ...body } }, context) => book.create({ ...body, externalId }, context),
  });
