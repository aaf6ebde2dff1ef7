import { z } from 'zod';
import { formatBtc } from '../../../../core/amount.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { AddressLookups } from '../../../../services/addresses/look-up-address.ts';
import { amountAnswer } from '../../../fields.ts';
import { reads } from '../../declarations.ts';
import { addressParams } from './address-answer.ts';
import {
  EXAMPLE_ADDRESS,
  LOOKUP_DESCRIPTION,
  LOOKUP_ERRORS,
  presentSource,
  sourceAnswer,
  sourceExample,
} from './lookup-answer.ts';

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
      schema: z.object({
        address: z.string(),
        confirmed: amountAnswer,
        pending: amountAnswer.nullable().meta({ description: 'Unconfirmed; null where blocks alone are looked at' }),
        immature: amountAnswer.meta({
          description: 'Coinbase outputs below 100 confirmations; an index counts them as confirmed',
        }),
        utxo_count: z.int(),
        ...sourceAnswer,
      }),
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
      found: await addressLookups.balance(address, context),
    }),
    present: ({ address, found }) => ({
      address,
      confirmed: formatBtc(found.confirmedSats),
      pending: found.pendingSats === null ? null : formatBtc(found.pendingSats),
      immature: formatBtc(found.immatureSats),
      utxo_count: found.unspentCount,
      ...presentSource(found),
    }),
  });
