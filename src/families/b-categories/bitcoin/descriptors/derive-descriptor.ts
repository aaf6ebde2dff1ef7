import { z } from 'zod';
import { hex } from '../../../../core/bytes.ts';
import { openDescriptor } from '../../../../core/descriptors/describe-descriptor.ts';
import { pathText } from '../../../../core/descriptors/descriptor-key.ts';
import type { DescriptorNode } from '../../../../core/descriptors/descriptor-node.ts';
import { scriptsAt } from '../../../../core/descriptors/descriptor-scripts.ts';
import { keysOf } from '../../../../core/descriptors/write-descriptor.ts';
import { DomainError } from '../../../../core/errors.ts';
import type { Network } from '../../../../core/network.ts';
import { type DerivedScript, inputFactsOf } from '../../../../core/psbt/construction/derived-script.ts';
import { scriptAddress } from '../../../../core/relay-policy/script-address.ts';
import { operation } from '../../../../hooks/operation.ts';
import { answer, bytes, unnamedAnswer } from '../../../answer.ts';
import { formerName } from '../../../fields.ts';
import { computes } from '../../declarations.ts';
import { atField } from '../at-field.ts';
import { hexAnswer } from '../script-fields.ts';
import { DESCRIPTOR_ERRORS, descriptorField, EXAMPLE_DESCRIPTOR } from './descriptor-answer.ts';

const MAX_AT_ONCE = 1_000;
const LAST_INDEX = 0x7fffffff;
/** Bytes of requests, times the indexes that they ask for, of which the keys are derived within some milliseconds. */
const MAX_BYTES_TIMES_INDEXES = 4_096;

const countOf = (body: unknown): unknown => (body as { count?: unknown } | null)?.count ?? 1;

const derivedAddress = answer(
  'DerivedAddress',
  {
    index: z.int(),
    address: z.string().nullable().meta({ description: 'null for scripts that have none' }),
    script_pubkey: hexAnswer.meta({ description: 'The output script' }),
    script: formerName(hexAnswer, 'script_pubkey'),
    redeem_script: bytes.nullable(),
    witness_script: bytes.nullable(),
    taproot: z
      .object({
        internal_key: hexAnswer,
        output_key: hexAnswer,
        merkle_root: bytes.nullable(),
        leaves: z.array(
          z.object({ script: hexAnswer, leaf_version: z.int(), leaf_hash: hexAnswer, control_block: hexAnswer }),
        ),
      })
      .nullable(),
    derivations: z
      .array(
        z.object({
          pubkey: z.string().meta({ description: 'x-only in tr()' }),
          fingerprint: z.string(),
          path: z.string(),
          leaf_hashes: z
            .array(hexAnswer)
            .nullable()
            .meta({ description: 'Of the leaves that hold it; null but in tr()' }),
        }),
      )
      .meta({
        description:
          'As bip32_derivation of inputs and outputs of PSBTs, and in tr() as tap_bip32_derivation. A key without origin is its own master; ' +
          'rawtr() tells nothing of its output key but of musig(): of that the keys within it, and the steps behind it as of a master key (BIP328)',
      }),
  },
  (script: DerivedScript & { network: Network }) => ({
    address: scriptAddress(script.scriptPubKey, script.network),
    script: hex(script.scriptPubKey),
    derivations: derivationsAt(script),
  }),
);

const derivedAddresses = unnamedAnswer(
  { data: z.array(derivedAddress.schema) },
  (scripts: readonly Parameters<typeof derivedAddress.present>[0][]) => ({ data: scripts.map(derivedAddress.present) }),
);

export const deriveDescriptorOperation = ({ network }: { network: Network }) =>
  operation({
    ...computes('Bitcoin', 'descriptors'),
    id: 'descriptor.derive',
    path: '/api/v1/bitcoin/descriptors/derive',
    summary: 'Addresses and scripts of a descriptor',
    description:
      "As Bitcoin Core's deriveaddresses, with what spending needs. combo() gives up to four scripts for each index. Of a multipath " +
      'descriptor (BIP389) `path` chooses: 0, unless given, is the first.',
    secretBody: true,
    body: z.strictObject({
      descriptor: descriptorField,
      from: z
        .int()
        .min(0, `must be between 0 and ${LAST_INDEX}`)
        .max(LAST_INDEX, `must be between 0 and ${LAST_INDEX}`)
        .default(0)
        .meta({ description: 'The first index' }),
      count: z
        .int()
        .min(1, `must be between 1 and ${MAX_AT_ONCE}`)
        .max(MAX_AT_ONCE, `must be between 1 and ${MAX_AT_ONCE}`)
        .default(1),
      path: z
        .int()
        .min(0, 'must be 0 or more')
        .max(7, 'must be at most 7')
        .default(0)
        .meta({ description: 'Which of its multipath steps' }),
    }),
    success: {
      status: 200,
      answer: derivedAddresses,
      description: 'In the order of the indexes',
    },
    errors: [...DESCRIPTOR_ERRORS, 'invalid_key'],
    example: {
      body: { descriptor: EXAMPLE_DESCRIPTOR, from: 0, count: 2 },
      response: {
        data: [
          {
            index: 0,
            address: 'bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk',
            script_pubkey: '0014d0c4a3ef09e997b6e99e397e518fe3e41a118ca1',
            script: '0014d0c4a3ef09e997b6e99e397e518fe3e41a118ca1',
            redeem_script: null,
            witness_script: null,
            taproot: null,
            derivations: [
              {
                pubkey: '02e7ab2537b5d49e970309aae06e9e49f36ce1c9febbd44ec8e0d1cca0b4f9c319',
                fingerprint: '73c5da0a',
                path: 'm/84h/1h/0h/0/0',
                leaf_hashes: null,
              },
            ],
          },
          {
            index: 1,
            address: 'bcrt1qd7spv5q28348xl4myc8zmh983w5jx32cs707jh',
            script_pubkey: '00146fa016500a3c6a737ebb260e2ddca78ba9234558',
            script: '00146fa016500a3c6a737ebb260e2ddca78ba9234558',
            redeem_script: null,
            witness_script: null,
            taproot: null,
            derivations: [
              {
                pubkey: '03eeed205a69022fed4a62a02457f3699b19c06bf74bf801acc6d9ae84bc16a9e1',
                fingerprint: '73c5da0a',
                path: 'm/84h/1h/0h/0/1',
                leaf_hashes: null,
              },
            ],
          },
        ],
      },
    },
    inWorker: (bytes, body) => !(bytes * (countOf(body) as number) <= MAX_BYTES_TIMES_INDEXES),
    run: async ({ body }) => {
      const nodes = atField('descriptor', () => openDescriptor(body.descriptor, network));
      const node = nodes[body.path];
      if (node === undefined) {
        throw new DomainError(
          'invalid_value',
          `the descriptors that this one stands for are numbered 0 to ${nodes.length - 1}`,
          {
            field: 'path',
          },
        );
      }
      return derive(node, body.from, body.count, network);
    },
  });

function derive(node: DescriptorNode, from: number, count: number, network: Network) {
  const keys = keysOf(node);
  if (!keys.some((key) => key.ranged) && (from !== 0 || count !== 1)) {
    throw new DomainError('invalid_value', 'the descriptor has no wildcard (/*): there is index 0 and nothing else', {
      field: from === 0 ? 'count' : 'from',
    });
  }
  if (from + count - 1 > LAST_INDEX) {
    throw new DomainError('invalid_value', `indexes go to ${LAST_INDEX}`, { field: 'count' });
  }
  return Array.from({ length: count }, (_, at) => from + at).flatMap((index) =>
    scriptsAt(node, index).map((script) => ({ ...script, node, index, network })),
  );
}

/** As an updater that knows the descriptor would put them into a PSBT. */
function derivationsAt(script: DerivedScript) {
  const { bip32Derivations, tapBip32Derivations } = inputFactsOf(script);
  const plain = (bip32Derivations ?? []).map(({ publicKey, ...from }) => ({ key: publicKey, leaves: null, ...from }));
  const tap = (tapBip32Derivations ?? []).map(({ xOnlyKey, leafHashes, ...from }) => ({
    key: xOnlyKey,
    leaves: leafHashes.map(hex),
    ...from,
  }));
  return [...plain, ...tap].map(({ key, fingerprint, path, leaves }) => ({
    pubkey: hex(key),
    fingerprint,
    path: `m${pathText(path)}`,
    leaf_hashes: leaves,
  }));
}
