import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import { ADDRESS_SCAN_STATES } from '../../../../services/addresses/address-service.ts';
import type { AddressScans } from '../../../../services/addresses/manage-address-scans.ts';
import { pageQuery, paginationAnswer, presentPage } from '../../../fields.ts';
import { omitUndefined, pageOf } from '../../../optional-values.ts';
import { EXAMPLE_ADDRESS } from './lookup-answer.ts';
import { presentScan, scanAnswer, scanExample, scansParams } from './scan-answer.ts';

export const listAddressScan = ({ addressScans }: { addressScans: AddressScans }) =>
  operation({
    id: 'address-scan.list',
    family: 'b',
    method: 'GET',
    path: '/api/v1/bitcoin/addresses/{address}/scans',
    summary: 'The scans of an address',
    tag: 'Bitcoin',
    effect: 'read',
    access: { scope: 'addresses:read', role: 'viewer' },
    params: scansParams,
    query: z.strictObject({ ...pageQuery, state: z.enum(ADDRESS_SCAN_STATES).optional() }),
    success: { status: 200, schema: paginationAnswer(scanAnswer), description: 'A page of scans, newest first' },
    errors: ['invalid_address', 'wrong_network'],
    example: {
      params: { address: EXAMPLE_ADDRESS },
      query: { limit: '20' },
      response: {
        data: [scanExample],
        pagination: { total: 1, limit: 20, offset: 0, has_more: false, next_cursor: null },
      },
    },
    run: ({ params, query: { state, ...page } }, context) =>
      addressScans.page(params.address, omitUndefined({ state }), pageOf(page), context),
    present: (page) => presentPage(page, presentScan),
  });
