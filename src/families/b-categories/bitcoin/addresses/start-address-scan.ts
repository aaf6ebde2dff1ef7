import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { AddressScans } from '../../../../services/addresses/manage-address-scans.ts';
import { writes } from '../../declarations.ts';
import { EXAMPLE_ADDRESS } from './lookup-answer.ts';
import { addressScan, scanExample, scansParams } from './scan-answer.ts';

const MAX_HEIGHT = 0x7fffffff;

export const startAddressScan = ({ addressScans }: { addressScans: AddressScans }) =>
  operation({
    ...writes('Bitcoin', 'addresses'),
    id: 'address-scan.start',
    path: '/api/v1/bitcoin/addresses/{address}/scans',
    summary: 'Look through the chain for an address',
    description:
      'In the background, one at a time, by block filters where the node has them, else block by block; a restart goes on from where it ' +
      'was. Results are as of a block, and are done anew when that leaves the chain. The mempool is not looked at. ' +
      'An address with more than 100,000 outputs fails: that takes a source with an index. The newest 1,000 finished scans are kept.',
    params: scansParams,
    body: z
      .strictObject({
        from_height: z
          .int()
          .min(0, `must be between 0 and ${MAX_HEIGHT}`)
          .max(MAX_HEIGHT, `must be between 0 and ${MAX_HEIGHT}`)
          .meta({ description: 'Where it begins; on mainnet segwit addresses begin where segwit did' })
          .optional(),
      })
      .optional(),
    success: { status: 202, answer: addressScan, description: 'The scan, queued' },
    errors: ['invalid_address', 'wrong_network', 'birthday_pruned', 'state_conflict', 'node_unavailable'],
    example: { params: { address: EXAMPLE_ADDRESS }, body: { from_height: 0 }, response: scanExample },
    run: ({ params, body }, context) => addressScans.start(params.address, body?.from_height ?? null, context),
  });
