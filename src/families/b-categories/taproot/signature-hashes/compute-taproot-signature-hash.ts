import { z } from 'zod';
import type { ParsedOutput } from '../../../../core/blocks/transaction.ts';
import { DomainError } from '../../../../core/errors.ts';
import { SIGHASH_NAMES, SIGHASH_SINGLE, sighashName, signsOneOutput } from '../../../../core/scripts/sighash-type.ts';
import { createSignatureHasher } from '../../../../core/scripts/signature-hash.ts';
import { outputKeyOf } from '../../../../core/taproot/explain-spend.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { TaprootService } from '../../../../services/taproot/index.ts';
import { unnamedAnswer } from '../../../answer.ts';
import { isLargeBody } from '../../../large-body.ts';
import { computes } from '../../declarations.ts';
import { spendExample } from '../spends/spend-example.ts';
import { bytesAnswer, bytesField, hexField } from '../taproot-fields.ts';
import { spendOf, transactionFields } from '../transaction-fields.ts';

const TYPES = new Map(Array.from({ length: 256 }, (_, type) => [sighashName(type), type] as const));

const annexField = hexField('Annex, its first byte 50', 100_000).refine(
  (annex) => annex[0] === 0x50,
  'must begin with the byte 50',
);

export const computeTaprootSignatureHash = ({ network }: Pick<TaprootService, 'network'>) =>
  operation({
    ...computes('Taproot', 'taproot'),
    id: 'taproot-signature-hash.compute',
    path: '/api/v1/taproot/signature-hashes',
    summary: 'What a signature of a taproot input signs',
    description:
      "BIP341's signature hash of the key path, and BIP342's of a leaf where leaf_hash is given. Append the type's byte to the signature " +
      'unless it is DEFAULT.',
    body: z
      .strictObject({
        ...transactionFields,
        sighash_type: z
          .enum(SIGHASH_NAMES as [string, ...string[]])
          .default('DEFAULT')
          .meta({ description: 'BIP341: DEFAULT signs what ALL does, in a signature of 64 bytes' }),
        leaf_hash: bytesField("a leaf's hash", 32).optional(),
        code_separator: z
          .int()
          .min(0, 'must not be negative')
          .max(0xffff_ffff, 'must be at most 4294967295')
          .optional()
          .meta({ description: 'Position of the last OP_CODESEPARATOR that is run before; none unless given' }),
        annex: annexField.optional(),
      })
      .refine(({ leaf_hash, code_separator }) => leaf_hash !== undefined || code_separator === undefined, {
        path: ['leaf_hash'],
        message: 'is required with code_separator: the key path runs no script',
      }),
    success: {
      status: 200,
      answer: unnamedAnswer({ signature_hash: bytesAnswer('What is signed'), sighash_type: z.string() }),
      description: 'The hash',
    },
    errors: ['invalid_transaction', 'invalid_script', 'invalid_address', 'wrong_network'],
    example: {
      body: { ...spendExample, sighash_type: 'DEFAULT' },
      response: {
        signature_hash: '7846fdff70a2a52ce84a8045e4d3aa70373caf7031407d20b90b4af7a2895648',
        sighash_type: 'DEFAULT',
      },
    },
    inWorker: isLargeBody,
    run: async ({ body }) => {
      const { transaction, spent, index } = spendOf(body, network);
      requireTaproot(spent[index] as ParsedOutput, index);
      const { sighash_type, leaf_hash: leafHash, code_separator: codeSeparator, annex } = body;
      const type = TYPES.get(sighash_type as never) as number;
      if (signsOneOutput(type) && index >= transaction.outputs.length) {
        throw new DomainError(
          'invalid_value',
          `SIGHASH_SINGLE (${SIGHASH_SINGLE}) signs the output of the input's number, and there is none ${index}`,
          { field: 'sighash_type' },
        );
      }
      const leaf =
        leafHash === undefined ? {} : { leafHash, ...(codeSeparator === undefined ? {} : { codeSeparator }) };
      const signatureHash = createSignatureHasher(transaction, spent).taproot(index, type, {
        ...leaf,
        ...(annex === undefined ? {} : { annex }),
      });
      return { signatureHash, sighashType: sighash_type };
    },
  });

function requireTaproot(output: ParsedOutput, index: number): void {
  try {
    outputKeyOf(output);
  } catch (error) {
    throw error instanceof DomainError ? error.at(`prevouts[${index}]`) : error;
  }
}
