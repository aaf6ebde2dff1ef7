import { z } from 'zod';
import { descriptorChecksum } from '../../../../core/wallets/descriptor-checksum.ts';
import { operation } from '../../../../hooks/operation.ts';
import { isLargeBody } from '../../../large-body.ts';
import { computes } from '../../declarations.ts';
import { atField } from '../at-field.ts';
import { descriptorField, EXAMPLE_DESCRIPTOR } from './descriptor-answer.ts';

export const checksumDescriptorOperation = () =>
  operation({
    ...computes('Bitcoin', 'descriptors'),
    id: 'descriptor.checksum',
    path: '/api/v1/bitcoin/descriptors/checksum',
    summary: "A descriptor's checksum",
    description:
      'Of the text as it stands (BIP380), which is not parsed. A checksum that is there already is compared. The text is not repeated, in ' +
      'case it holds a private key.',
    secretBody: true,
    body: z.strictObject({ descriptor: descriptorField }),
    success: {
      status: 200,
      schema: z.object({
        checksum: z.string(),
        matches: z
          .boolean()
          .nullable()
          .meta({ description: 'Whether the one that was there is right; null where there was none' }),
      }),
      description: 'Eight characters',
    },
    errors: ['invalid_descriptor'],
    example: { body: { descriptor: EXAMPLE_DESCRIPTOR }, response: { checksum: 'lxek0ef2', matches: null } },
    inWorker: isLargeBody,
    run: async ({ body }) => {
      const [text, given = null] = body.descriptor.trim().split('#', 2) as [string, string?];
      return { checksum: atField('descriptor', () => descriptorChecksum(text)), given };
    },
    present: ({ checksum, given }) => ({ checksum, matches: given === null ? null : given === checksum }),
  });
