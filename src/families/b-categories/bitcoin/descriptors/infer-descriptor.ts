import { z } from 'zod';
import { hex } from '../../../../core/bytes.ts';
import { reportScript, type ScriptReport } from '../../../../core/descriptors/report-script.ts';
import { DomainError } from '../../../../core/errors.ts';
import type { Network } from '../../../../core/network.ts';
import { decodeAddress } from '../../../../core/relay-policy/address.ts';
import { operation } from '../../../../hooks/operation.ts';
import { bytes, unnamedAnswer } from '../../../answer.ts';
import { formerName, ONE_OUTPUT, oneOutput } from '../../../fields.ts';
import { isLargeBody } from '../../../large-body.ts';
import { computes } from '../../declarations.ts';
import { atField } from '../at-field.ts';
import { hexField, knownKeys, outputScriptField, publicKeysField } from '../script-fields.ts';

const inferredDescriptor = unnamedAnswer(
  {
    descriptor: z.string().meta({ description: 'Canonical, with checksum' }),
    solvable: z.boolean(),
    type: z.string(),
    address: z.string().nullable(),
    script_pubkey: z.string(),
    script: formerName(bytes, 'script_pubkey'),
  },
  ({ descriptor, script }: ScriptReport) => ({
    type: /^[a-z]+/.exec(descriptor)?.[0] ?? '',
    script_pubkey: hex(script),
  }),
);

export const inferDescriptorOperation = ({ network }: { network: Network }) =>
  operation({
    ...computes('Bitcoin', 'descriptors'),
    id: 'descriptor.infer',
    path: '/api/v1/bitcoin/descriptors/infer',
    summary: 'The descriptor of a script or address',
    description:
      "As Bitcoin Core's InferDescriptor: the scripts behind a hash, keys behind a hash, and origins of keys are taken from what is given. " +
      'What that does not tell is addr(), or raw() where there is no address.',
    secretBody: true,
    body: z.strictObject({
      script_pubkey: outputScriptField.optional(),
      script: formerName(outputScriptField.optional(), 'script_pubkey'),
      address: z.string().min(1, 'must not be empty').max(200).optional(),
      redeem_script: hexField(520, 'The script behind a P2SH output').optional(),
      witness_script: hexField(10_000, 'The script behind a P2WSH output').optional(),
      public_keys: publicKeysField.optional(),
    }),
    success: {
      status: 200,
      answer: inferredDescriptor,
      description: 'What says most of it',
    },
    errors: ['invalid_script', 'invalid_key', 'invalid_address', 'wrong_network'],
    example: {
      body: { script_pubkey: '5120a60869f0dbcf1dc659c9cecbaf8050135ea9e8cdc487053f1dc6880949dc684c' },
      response: {
        descriptor: 'rawtr(a60869f0dbcf1dc659c9cecbaf8050135ea9e8cdc487053f1dc6880949dc684c)#h9nmpf4q',
        solvable: true,
        type: 'rawtr',
        address: 'bcrt1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqvg32hk',
        script_pubkey: '5120a60869f0dbcf1dc659c9cecbaf8050135ea9e8cdc487053f1dc6880949dc684c',
        script: '5120a60869f0dbcf1dc659c9cecbaf8050135ea9e8cdc487053f1dc6880949dc684c',
      },
    },
    inWorker: isLargeBody,
    run: async ({ body }) => {
      const { address } = body;
      if (!oneOutput(body)) throw new DomainError('invalid_value', ONE_OUTPUT, { field: 'script_pubkey' });
      const script =
        body.script_pubkey ??
        body.script ??
        Buffer.from(atField('address', () => decodeAddress(address as string, network)).scriptPubKey, 'hex');
      const known = {
        redeemScript: body.redeem_script ?? null,
        witnessScript: body.witness_script ?? null,
        keys: knownKeys(body.public_keys),
      };
      return reportScript(script, known, network);
    },
  });
