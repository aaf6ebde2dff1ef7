import { z } from 'zod';
import { describeDescriptor } from '../../../../core/descriptors/describe-descriptor.ts';
import type { Network } from '../../../../core/network.ts';
import { operation } from '../../../../hooks/operation.ts';
import { isLargeBody } from '../../../large-body.ts';
import { computes } from '../../declarations.ts';
import { atField } from '../at-field.ts';
import { DESCRIPTOR_ERRORS, describedDescriptor, descriptorField, EXAMPLE_DESCRIPTOR } from './descriptor-answer.ts';

export const parseDescriptorOperation = ({ network }: { network: Network }) =>
  operation({
    ...computes('Bitcoin', 'descriptors'),
    id: 'descriptor.parse',
    path: '/api/v1/bitcoin/descriptors/parse',
    summary: 'What a descriptor says',
    description:
      'BIP380 to 387 and 389 with miniscript: pk, pkh, wpkh, sh, wsh, multi, sortedmulti, tr with trees, multi_a, sortedmulti_a, rawtr, ' +
      'combo, addr, raw; musig() (BIP390) as a key of tr and rawtr. Not sp(). A miniscript that types but is not sane is told with its issues.',
    secretBody: true,
    body: z.strictObject({ descriptor: descriptorField }),
    success: { status: 200, answer: describedDescriptor, description: 'What it says' },
    errors: [...DESCRIPTOR_ERRORS],
    example: {
      body: { descriptor: EXAMPLE_DESCRIPTOR },
      response: {
        descriptor:
          'wpkh([73c5da0a/84h/1h/0h]tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M/<0;1>/*)#lxek0ef2',
        checksum: 'lxek0ef2',
        type: 'wpkh',
        network: 'regtest',
        ranged: true,
        solvable: true,
        has_private_keys: false,
        paths: [
          'wpkh([73c5da0a/84h/1h/0h]tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M/0/*)#evh9fu0w',
          'wpkh([73c5da0a/84h/1h/0h]tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M/1/*)#gcjy5flk',
        ],
        keys: [
          {
            expression:
              '[73c5da0a/84h/1h/0h]tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M/0/*',
            fingerprint: '73c5da0a',
            path: 'm/84h/1h/0h',
            extended: true,
            ranged: true,
          },
          {
            expression:
              '[73c5da0a/84h/1h/0h]tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M/1/*',
            fingerprint: '73c5da0a',
            path: 'm/84h/1h/0h',
            extended: true,
            ranged: true,
          },
        ],
        miniscripts: [],
        input_weight: 272,
      },
    },
    inWorker: isLargeBody,
    run: async ({ body }) => ({
      ...atField('descriptor', () => describeDescriptor(body.descriptor, network)),
      network,
    }),
  });
