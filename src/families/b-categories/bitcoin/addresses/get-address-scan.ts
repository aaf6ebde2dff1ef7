import { operation } from '../../../../hooks/operation.ts';
import type { AddressScans } from '../../../../services/addresses/manage-address-scans.ts';
import { reads } from '../../declarations.ts';
import { addressScan, scanExample, scanParams } from './scan-answer.ts';

export const getAddressScan = ({ addressScans }: { addressScans: AddressScans }) =>
  operation({
    ...reads('Bitcoin', 'addresses'),
    id: 'address-scan.get',
    path: '/api/v1/bitcoin/addresses/{address}/scans/{scan_id}',
    summary: 'How a scan stands, and what it found',
    params: scanParams,
    success: { status: 200, answer: addressScan, description: 'The scan' },
    errors: ['invalid_address', 'wrong_network', 'not_found'],
    example: { params: { address: scanExample.address, scan_id: scanExample.scan_id }, response: scanExample },
    run: ({ params }, context) => addressScans.get(params.address, params.scan_id, context),
  });
