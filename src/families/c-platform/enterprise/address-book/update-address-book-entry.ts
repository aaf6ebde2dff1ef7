import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { AddressBook } from '../../../../services/address-book/address-book.ts';
import { nameField } from '../../../fields.ts';
import {
  addressBookEntry,
  addressField,
  entryExample,
  entryParams,
  externalIdOf,
  proofField,
  tagsField,
  writing,
} from './entry-answer.ts';

export const updateAddressBookEntry = (book: AddressBook) =>
  operation({
    ...writing,
    id: 'address-book-entry.update',
    method: 'PATCH',
    path: '/api/v1/enterprise/address-book/{address_book_id}',
    summary: 'Change an entry of the address book',
    description:
      'What is not given stays. With another address, or a tag that it had not, the entry is effective when the delay is over again; another ' +
      'address also loses the proof.',
    params: entryParams,
    body: z.strictObject({
      name: nameField.optional(),
      address: addressField.optional(),
      tags: tagsField.optional(),
      external_id: externalIdOf.optional(),
      proof: proofField.nullable().optional().meta({ description: 'null takes it away' }),
    }),
    changesRules: addressBookEntry,
    success: { status: 200, answer: addressBookEntry, description: 'The entry' },
    errors: ['not_found', 'invalid_address', 'wrong_network', 'invalid_signature', 'already_exists'],
    example: {
      params: { address_book_id: entryExample.address_book_id },
      body: { name: 'Exchange' },
      response: { ...entryExample, name: 'Exchange', updated_at: '2026-11-02T09:30:00.000Z' },
    },
    run: ({ params, body: { external_id: externalId, ...body } }, context) =>
      book.update(params.address_book_id, { ...body, externalId }, context),
  });
