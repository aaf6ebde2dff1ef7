import { z } from 'zod';
import { formatBtc } from '../../../../core/amount.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { AddressLookups } from '../../../../services/addresses/address-service.ts';
import { amountAnswer, pageQuery, paginationAnswer, presentPage } from '../../../fields.ts';
import { pageOf } from '../../../given.ts';
import { addressParams } from './address-answer.ts';
import { EXAMPLE_ADDRESS, LOOKUP_DESCRIPTION, LOOKUP_ERRORS, presentSource, sourceAnswer } from './lookup-answer.ts';

const entryAnswer = z.object({
  txid: z.string(),
  block_height: z.int().nullable(),
  block_hash: z.string().nullable(),
  received: amountAnswer.meta({ description: 'Paid to the address' }),
  spent: amountAnswer.meta({ description: 'Spent from it' }),
});

export const listAddressTransaction = ({ addressLookups }: { addressLookups: AddressLookups }) =>
  operation({
    id: 'address-transaction.list',
    family: 'b',
    method: 'GET',
    path: '/api/v1/bitcoin/addresses/{address}/transactions',
    summary: 'The history of an address',
    description: LOOKUP_DESCRIPTION,
    tag: 'Bitcoin',
    effect: 'read',
    access: { scope: 'addresses:read', role: 'viewer' },
    limitClass: 'standard',
    idempotent: false,
    params: addressParams,
    query: z.strictObject(pageQuery),
    success: {
      status: 200,
      schema: paginationAnswer(entryAnswer).extend(sourceAnswer),
      description: 'A page, unconfirmed ones first, then newest first',
    },
    errors: [...LOOKUP_ERRORS],
    example: { params: { address: EXAMPLE_ADDRESS }, query: { limit: '20' } },
    run: ({ params, query }, context) => addressLookups.transactions(params.address, pageOf(query), context),
    present: ({ source, page }) => ({
      ...presentPage(page, (entry) => ({
        txid: entry.txid,
        block_height: entry.blockHeight,
        block_hash: entry.blockHash,
        received: formatBtc(entry.receivedSats),
        spent: formatBtc(entry.spentSats),
      })),
      ...presentSource(source),
    }),
  });
