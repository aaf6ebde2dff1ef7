import { z } from 'zod';
import { MalformedDataError } from '../../../../core/blocks/malformed-data-error.ts';
import { parseTransaction } from '../../../../core/blocks/transaction.ts';
import { DomainError } from '../../../../core/errors.ts';
import { attachWitness } from '../../../../core/taproot/attach-witness.ts';
import type { SpendableLeaf, TaprootOutput } from '../../../../core/taproot/taproot-output.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { RequestContext } from '../../../../services/requests/request-context.ts';
import type { TaprootService } from '../../../../services/taproot/index.ts';
import { outputAt } from '../../../../services/taproot/taproot-outputs.ts';
import { bytes, unnamedAnswer } from '../../../answer.ts';
import { idField } from '../../../fields.ts';
import { computes } from '../../declarations.ts';
import { internalKeyField, treeExample } from '../outputs/output-answer.ts';
import { oneTree, TWO_TREES, treeFields, treeOf } from '../script-tree-field.ts';
import { bytesAnswer, hexField } from '../taproot-fields.ts';
import { transactionFields } from '../transaction-fields.ts';
import { leafExample, signedExample, unsignedExample, witnessExample } from './spend-example.ts';

const bodyField = z
  .strictObject({
    output_id: idField('tro').optional().meta({ description: 'A kept output, or its key and tree beside' }),
    internal_key: internalKeyField.optional(),
    ...treeFields,
    leaf_index: z
      .int()
      .min(0, 'must not be negative')
      .max(511, 'must be at most 511')
      .meta({ description: "Which of the output's leaves, counted from the left" }),
    stack: z
      .array(hexField('An item', 100_000))
      .max(1000, 'must have at most 1000 members')
      .default([])
      .meta({ description: "What the script finds, its top last: signatures in the reverse of the script's order" }),
    annex: hexField('Annex', 100_000)
      .refine((annex) => annex[0] === 0x50, 'must begin with the byte 50')
      .optional(),
    transaction: transactionFields.transaction.optional().meta({ description: 'To be given the witness' }),
    input_index: transactionFields.input_index,
  })
  .refine(oneTree, TWO_TREES)
  .refine((given) => (given.output_id === undefined) !== (given.internal_key === undefined), {
    path: ['internal_key'],
    message: 'is required with its tree, or output_id: one of both says which output is spent',
  })
  .refine((given) => given.output_id === undefined || treeOf(given) === null, {
    path: ['output_id'],
    message: 'has its tree already: leave script_tree and leaves out',
  });

type Body = z.output<typeof bodyField>;

export const buildTaprootSpend = ({ outputs }: Pick<TaprootService, 'outputs'>) =>
  operation({
    ...computes('Taproot', 'taproot'),
    id: 'taproot-spend.build',
    path: '/api/v1/taproot/spends',
    summary: 'The witness of a spend by a leaf',
    description:
      'Stack, script and control block (BIP341). Signatures come in the stack; what they sign: POST …/signature-hashes.',
    secretBody: true,
    body: bodyField,
    success: {
      status: 200,
      answer: unnamedAnswer({
        witness: z.array(bytes).meta({ description: 'Items, hex' }),
        leaf_hash: bytesAnswer('Of the leaf that is spent by'),
        leaf_version: z.int(),
        script: bytesAnswer('Script'),
        control_block: bytesAnswer('Control block'),
        output_key: bytesAnswer('x-only output key'),
        transaction: bytesAnswer('The transaction with this witness; null where none was given').nullable(),
      }),
      description: 'The witness',
    },
    errors: ['not_found', 'invalid_key', 'invalid_script', 'invalid_transaction'],
    example: {
      body: { ...treeExample, leaf_index: 1, transaction: unsignedExample },
      response: {
        witness: witnessExample,
        leaf_hash: leafExample.leaf_hash,
        leaf_version: leafExample.leaf_version,
        script: leafExample.script,
        control_block: leafExample.control_block,
        output_key: '77e30a5522dd9f894c3f8b8bd4c4b2cf82ca7da8a3ea6a239655c39c050ab220',
        transaction: signedExample,
      },
    },
    run: async ({ body }, context) => {
      const output = await outputOf(outputs, body, context);
      const leaf = leafAt(output, body.leaf_index);
      const witness = [
        ...body.stack,
        leaf.script,
        leaf.controlBlock,
        ...(body.annex === undefined ? [] : [body.annex]),
      ];
      return { ...leaf, witness, outputKey: output.outputKey, transaction: withWitness(body, witness) };
    },
  });

async function outputOf(
  outputs: TaprootService['outputs'],
  body: Body,
  context: RequestContext,
): Promise<TaprootOutput> {
  if (body.output_id !== undefined) return (await outputs.get(body.output_id, context)).output;
  return outputAt(body.internal_key as Buffer, treeOf(body));
}

function leafAt({ leaves }: TaprootOutput, index: number): SpendableLeaf {
  const leaf = leaves[index];
  if (leaf !== undefined) return leaf;
  const reason =
    leaves.length === 0
      ? 'the output has no script tree'
      : `the leaves of the output are numbered 0 to ${leaves.length - 1}`;
  throw new DomainError('invalid_value', reason, { field: 'leaf_index' });
}

function withWitness({ transaction, input_index: index }: Body, witness: readonly Uint8Array[]): Uint8Array | null {
  if (transaction === undefined) return null;
  const { length } = inputsOf(transaction);
  if (index < length) return attachWitness(transaction, index, witness);
  throw new DomainError('invalid_value', `the inputs of the transaction are numbered 0 to ${length - 1}`, {
    field: 'input_index',
  });
}

function inputsOf(raw: Uint8Array): readonly unknown[] {
  try {
    return parseTransaction(raw).inputs;
  } catch (error) {
    if (!(error instanceof MalformedDataError)) throw error;
    throw new DomainError('invalid_transaction', `this is not a transaction: ${error.message}`, {
      field: 'transaction',
    });
  }
}
