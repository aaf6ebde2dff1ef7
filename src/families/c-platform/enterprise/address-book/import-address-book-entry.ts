import { z } from 'zod';
import { MAX_ROWS } from '../../../../core/address-book/csv.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { AddressBook } from '../../../../services/address-book/address-book.ts';
import { unnamedAnswer } from '../../../answer.ts';
import { entryExample, writing } from './entry-answer.ts';

export const importAddressBookEntry = (book: AddressBook) =>
  operation({
    ...writing,
    id: 'address-book-entry.import',
    method: 'POST',
    path: '/api/v1/enterprise/address-book/import',
    summary: 'Put many addresses into the address book (CSV)',
    description:
      `UTF-8 with a header: name and address, and where wanted tags (parted by semicolons) and external_id; up to ${MAX_ROWS} entries. All ` +
      'of them are taken in or none: details.errors names line and column of what is wrong, also of addresses that are there already. What ' +
      'an export has besides is passed over. An apostrophe before =, +, -, @, a tab or another apostrophe is taken away, as the export puts it.',
    body: z.string('must be CSV, sent as text/csv').min(1, 'must not be empty'),
    bodyContentType: 'text/csv',
    bodyLimit: 10 * 1024 * 1024,
    changesRules: { present: (imported: object) => imported },
    success: {
      status: 200,
      answer: unnamedAnswer({ imported: z.int() }),
      description: 'How many entries were made',
    },
    errors: ['invalid_address', 'wrong_network', 'already_exists', 'too_large'],
    example: {
      body: `name,address,tags\r\n"${entryExample.name}",${entryExample.address},exchange\r\n`,
      response: { imported: 1 },
    },
    run: ({ body }, context) => book.import(body, context),
  });
