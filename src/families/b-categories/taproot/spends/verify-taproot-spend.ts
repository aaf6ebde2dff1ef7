import { z } from 'zod';
import { hex } from '../../../../core/bytes.ts';
import { DomainError } from '../../../../core/errors.ts';
import { explainSpend, type SpendExplanation } from '../../../../core/taproot/explain-spend.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { TaprootService } from '../../../../services/taproot/index.ts';
import { unnamedAnswer } from '../../../answer.ts';
import { isLargeBody } from '../../../large-body.ts';
import { computes } from '../../declarations.ts';
import { outputExample } from '../outputs/output-answer.ts';
import { bytesAnswer, hexAnswer } from '../taproot-fields.ts';
import { spendOf, transactionFields } from '../transaction-fields.ts';
import { leafExample, signedExample, spendExample } from './spend-example.ts';

const leafSpend = unnamedAnswer(
  {
    script: bytesAnswer('Script'),
    leaf_hash: bytesAnswer('null where the control block has no valid size').nullable(),
    leaf_version: z.int().nullable(),
    control_block: z.object({
      valid: z.boolean().meta({ description: 'It proves that the output commits to the script' }),
      problem: z
        .enum(['control_block_size', 'internal_key_not_on_curve', 'output_key_mismatch', 'parity_mismatch'])
        .nullable(),
      internal_key: hexAnswer('x-only').nullable(),
      parity: z.int().nullable(),
      path: z.array(z.string()).nullable().meta({ description: 'Hashes of the siblings from the leaf up, hex' }),
      merkle_root: hexAnswer('Where script and path lead').nullable(),
    }),
  },
  ({ block, problem, merkleRoot }: NonNullable<SpendExplanation['leaf']>) => ({
    leaf_version: block?.leafVersion ?? null,
    control_block: {
      valid: problem === null,
      problem,
      internal_key: block && hex(block.internalKey),
      parity: block?.parity ?? null,
      path: block?.path.map(hex) ?? null,
      merkle_root: merkleRoot && hex(merkleRoot),
    },
  }),
);

const spendVerdict = unnamedAnswer(
  {
    valid: z.boolean(),
    script_error: z
      .string()
      .nullable()
      .meta({ description: "Bitcoin Core's name of the error; null where it is valid" }),
    reason: z.string().nullable(),
    standard: z.boolean().meta({ description: 'Nodes relay such an input' }),
    standard_reason: z.string().nullable(),
    path: z.enum(['key', 'script']).nullable().meta({ description: 'null where the witness is empty' }),
    output_key: bytesAnswer('x-only output key'),
    leaf: leafSpend.schema.nullable(),
    annex: bytesAnswer('With its first byte 50').nullable(),
  },
  ({ error }: SpendExplanation) => ({ script_error: error }),
);

export const verifyTaprootSpend = ({ network }: Pick<TaprootService, 'network'>) =>
  operation({
    ...computes('Taproot', 'taproot'),
    id: 'taproot-spend.verify',
    path: '/api/v1/taproot/spends/verify',
    summary: 'Whether a taproot input may be spent so',
    description:
      'Runs the input as nodes do (BIP341, BIP342) and says by which path it spends, whether its control block holds, and why it is not ' +
      'valid or not relayed. Amounts, lock times against the chain and double spends are not looked at.',
    body: z.strictObject(transactionFields),
    success: {
      status: 200,
      answer: spendVerdict,
      description: 'The verdict',
    },
    errors: ['invalid_transaction', 'invalid_script', 'invalid_address', 'wrong_network'],
    example: {
      body: { ...spendExample, transaction: signedExample },
      response: {
        ...{ valid: true, script_error: null, reason: null, standard: true, standard_reason: null, path: 'script' },
        output_key: outputExample.output_key,
        leaf: {
          script: leafExample.script,
          leaf_hash: leafExample.leaf_hash,
          leaf_version: leafExample.leaf_version,
          control_block: {
            ...{ valid: true, problem: null, internal_key: outputExample.internal_key, parity: 1 },
            path: [outputExample.leaves[0]?.leaf_hash],
            merkle_root: outputExample.merkle_root,
          },
        },
        annex: null,
      },
    },
    inWorker: isLargeBody,
    run: async ({ body }) => {
      const { transaction, spent, index } = spendOf(body, network);
      try {
        return explainSpend(transaction, spent, index);
      } catch (error) {
        throw error instanceof DomainError ? error.at(`prevouts[${index}]`) : error;
      }
    },
  });
