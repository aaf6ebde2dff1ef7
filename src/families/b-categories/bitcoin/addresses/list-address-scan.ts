import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import { ADDRESS_SCAN_STATES } from '../../../../services/addresses/address-service.ts';
import type { AddressScans } from '../../../../services/addresses/manage-address-scans.ts';
import { pageExample, paginated } from '../../../answer.ts';
import { pageQuery } from '../../../fields.ts';
import { omitUndefined, pageOf } from '../../../optional-values.ts';
import { reads } from '../../declarations.ts';
import { EXAMPLE_ADDRESS } from './lookup-answer.ts';
import { addressScan, scanExample, scansParams } from './scan-answer.ts';

export const listAddressScan = ({ addressScans }: { addressScans: AddressScans }) =>
  operation({
    ...reads('Bitcoin', 'addresses'),
    id: 'address-scan.list',
    path: '/api/v1/bitcoin/addresses/{address}/scans',
    summary: 'The scans of an address',
    params: scansParams,
    query: z.strictObject({ ...pageQuery, state: z.enum(ADDRESS_SCAN_STATES).optional() }),
    success: { status: 200, answer: paginated(addressScan), description: 'A page of scans, newest first' },
    errors: ['invalid_address', 'wrong_network'],
    example: {
      params: { address: EXAMPLE_ADDRESS },
      query: { limit: '20' },
      response: pageExample(scanExample),
    },
    run: ({ params, query: { state, ...page } }, context) =>
      addressScans.page(params.address, omitUndefined({ state }), pageOf(page), context),
  });
