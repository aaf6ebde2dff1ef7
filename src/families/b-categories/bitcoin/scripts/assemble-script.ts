import { z } from 'zod';
import { assembleScript } from '../../../../core/scripts/assemble-script.ts';
import { operation } from '../../../../hooks/operation.ts';
import { isLargeBody } from '../../../large-body.ts';
import { computes } from '../../declarations.ts';
import { atField } from '../at-field.ts';
import { disassembled, disassembledExample, disassembledScript } from './disassemble-script.ts';

export const assembleScriptOperation = () =>
  operation({
    ...computes('Bitcoin', 'scripts'),
    id: 'script.assemble',
    path: '/api/v1/bitcoin/scripts/assemble',
    summary: 'Put a script together',
    description:
      'Opcodes by name, whole numbers, and data in hex, separated by spaces. Every push is made in its shortest form (BIP62); digits that ' +
      'are no number of 4 bytes are data.',
    body: z.strictObject({ asm: z.string().min(1, 'must not be empty').max(800_000) }),
    success: { status: 200, answer: disassembledScript, description: 'The script' },
    errors: ['invalid_script', 'too_large'],
    example: {
      body: { asm: 'OP_DUP OP_HASH160 751e76e8199196d454941c45d1b3a323f1433bd6 OP_EQUALVERIFY OP_CHECKSIG' },
      response: disassembledExample,
    },
    inWorker: isLargeBody,
    run: async ({ body }) => atField('asm', () => disassembled(assembleScript(body.asm))),
  });
