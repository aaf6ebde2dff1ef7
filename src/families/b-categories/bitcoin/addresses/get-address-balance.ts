import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { AddressLookups } from '../../../../services/addresses/look-up-address.ts';
import { amount, unnamedAnswer } from '../../../answer.ts';
import { reads } from '../../declarations.ts';
import { addressParams } from './address-answer.ts';
import { EXAMPLE_ADDRESS, LOOKUP_DESCRIPTION, LOOKUP_ERRORS, sourceExample, sourceShape } from './lookup-answer.ts';

const addressBalance = unnamedAnswer(
  {
    address: z.string(),
    confirmed: amount,
    pending: amount.nullable().meta({ description: 'Unconfirmed; null where blocks alone are looked at' }),
    immature: amount.meta({
      description: 'Coinbase outputs below 100 confirmations; an index counts them as confirmed',
    }),
    utxo_count: z.int(),
    ...sourceShape,
  },
  ({ unspentCount }: { unspentCount: number }) => ({ utxo_count: unspentCount }),
);

export const getAddressBalance = ({ addressLookups }: { addressLookups: AddressLookups }) =>
  operation({
    ...reads('Bitcoin', 'addresses'),
    id: 'address-balance.get',
    path: '/api/v1/bitcoin/addresses/{address}/balance',
    summary: 'What an address holds',
    description: LOOKUP_DESCRIPTION,
    params: addressParams,
    success: {
      status: 200,
      answer: addressBalance,
      description: 'The balance and where it is from',
    },
    errors: [...LOOKUP_ERRORS],
    example: {
      params: { address: EXAMPLE_ADDRESS },
      response: {
        address: EXAMPLE_ADDRESS,
        confirmed: '0.25000000',
        pending: null,
        immature: '0.00000000',
        utxo_count: 1,
        ...sourceExample,
      },
    },
    run: async ({ params: { address } }, context) => ({
      address,
      ...(await addressLookups.balance(address, context)),
    }),
  });
