import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { AddressUtxo } from '../../../../services/addresses/address-service.ts';
import type { AddressLookups } from '../../../../services/addresses/look-up-address.ts';
import { amount, answer, pageExample } from '../../../answer.ts';
import { pageQuery } from '../../../fields.ts';
import { pageOf } from '../../../optional-values.ts';
import { reads } from '../../declarations.ts';
import { addressParams } from './address-answer.ts';
import { EXAMPLE_ADDRESS, LOOKUP_DESCRIPTION, LOOKUP_ERRORS, lookedUp, sourceExample } from './lookup-answer.ts';

const addressUtxo = answer(
  'AddressUtxo',
  {
    txid: z.string(),
    vout: z.int(),
    amount,
    block_height: z.int().nullable(),
    block_hash: z.string().nullable(),
    coinbase: z.boolean().nullable().meta({ description: 'null where the source does not say' }),
  },
  ({ height }: AddressUtxo) => ({ block_height: height }),
);

export const listAddressUtxo = ({ addressLookups }: { addressLookups: AddressLookups }) =>
  operation({
    ...reads('Bitcoin', 'addresses'),
    id: 'address-utxo.list',
    path: '/api/v1/bitcoin/addresses/{address}/utxos',
    summary: 'The unspent outputs of an address',
    description: LOOKUP_DESCRIPTION,
    params: addressParams,
    query: z.strictObject(pageQuery),
    success: {
      status: 200,
      answer: lookedUp(addressUtxo),
      description: 'A page, newest first',
    },
    errors: [...LOOKUP_ERRORS],
    example: {
      params: { address: EXAMPLE_ADDRESS },
      query: { limit: '20' },
      response: {
        ...pageExample({
          txid: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
          vout: 0,
          amount: '0.25000000',
          block_height: 110,
          block_hash: '3f5e1c0a5f3b4a9b8a0e6b5b6f1d2c3e4f5a6b7c8d9e0f1a2b3c4d5e6f708192',
          coinbase: false,
        }),
        ...sourceExample,
      },
    },
    run: ({ params, query }, context) => addressLookups.utxos(params.address, pageOf(query), context),
  });
