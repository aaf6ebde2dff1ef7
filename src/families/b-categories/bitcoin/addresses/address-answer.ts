import { z } from 'zod';
import { NETWORKS } from '../../../../core/network.ts';
import type { InspectedAddress } from '../../../../core/relay-policy/inspect-address.ts';
import { answer, bytes } from '../../../answer.ts';
import { formerName } from '../../../fields.ts';
import { OUTPUT_KINDS } from '../script-fields.ts';

/** Any text may be asked about; what is longer than this is none in any network. */
export const addressText = z.string().min(1, 'must not be empty').max(200, 'must have at most 200 characters');

export const addressParams = z.strictObject({ address: addressText });

export const addressInfo = answer(
  'AddressInfo',
  {
    address: z.string().meta({ description: 'As it is written: bech32 in lower case' }),
    valid: z.boolean().meta({ description: "On this service's network" }),
    networks: z.array(z.enum(NETWORKS)).meta({ description: 'Where it is one; networks share forms' }),
    encoding: z.enum(['base58', 'bech32', 'bech32m']).nullable(),
    script_type: z.enum(OUTPUT_KINDS).nullable(),
    type: formerName(z.enum(OUTPUT_KINDS).nullable(), 'script_type'),
    script_pubkey: z.string().nullable().meta({ description: 'The output script, hex' }),
    script: formerName(z.string().nullable(), 'script_pubkey'),
    witness_version: z.int().nullable(),
    witness_program: bytes.nullable(),
    problem: z
      .object({
        code: z.enum([
          'wrong_network',
          'mixed_case',
          'character',
          'length',
          'checksum',
          'encoding',
          'witness_version',
          'witness_program',
          'version_byte',
          'key_not_on_curve',
          'unknown',
        ]),
        reason: z.string(),
        positions: z
          .array(z.int())
          .meta({ description: 'Of the wrong characters, from 0, where they can be told (BIP173)' }),
      })
      .nullable(),
  },
  ({ type, scriptPubKey, problem, reason, positions }: InspectedAddress) => ({
    script_type: type,
    script: scriptPubKey,
    problem: problem && { code: problem, reason: reason ?? '', positions: [...positions] },
  }),
);

export const inspectedExample = {
  address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
  valid: true,
  networks: ['regtest'],
  encoding: 'bech32',
  script_type: 'p2wpkh',
  type: 'p2wpkh',
  script_pubkey: '0014751e76e8199196d454941c45d1b3a323f1433bd6',
  script: '0014751e76e8199196d454941c45d1b3a323f1433bd6',
  witness_version: 0,
  witness_program: '751e76e8199196d454941c45d1b3a323f1433bd6',
  problem: null,
};
