import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { AddressScans } from '../../../../services/addresses/manage-address-scans.ts';
import { writes } from '../../declarations.ts';
import { scanExample, scanParams } from './scan-answer.ts';

export const deleteAddressScan = ({ addressScans }: { addressScans: AddressScans }) =>
  operation({
    ...writes('Bitcoin', 'addresses'),
    id: 'address-scan.delete',
    method: 'DELETE',
    path: '/api/v1/bitcoin/addresses/{address}/scans/{scan_id}',
    summary: 'Cancel a scan, or forget what it found',
    params: scanParams,
    success: { status: 204, schema: z.undefined(), description: 'Gone' },
    errors: ['invalid_address', 'wrong_network', 'not_found'],
    example: { params: { address: scanExample.address, scan_id: scanExample.scan_id } },
    run: ({ params }, context) => addressScans.remove(params.address, params.scan_id, context),
    present: () => undefined,
  });
