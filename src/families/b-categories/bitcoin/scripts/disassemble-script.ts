import { z } from 'zod';
import { DomainError } from '../../../../core/errors.ts';
import { type DisassembledScript, disassembleScript } from '../../../../core/scripts/disassemble-script.ts';
import { operation } from '../../../../hooks/operation.ts';
import { answer, bytes } from '../../../answer.ts';
import { isLargeBody } from '../../../large-body.ts';
import { computes } from '../../declarations.ts';
import { scriptField } from '../script-fields.ts';

const MAX_ELEMENTS = 20_000;

const elementAnswer = z.object({
  offset: z.int().meta({ description: 'Of its first byte' }),
  opcode: z.int(),
  name: z.string().meta({ description: 'OP_DUP; 0, -1, 1 to 16; OP_PUSHBYTES_n for a push of 1 to 75 bytes' }),
  data: z.string().nullable().meta({ description: 'What it pushes, hex' }),
  minimal: z
    .boolean()
    .nullable()
    .meta({ description: 'Whether it is the shortest such push (BIP62); null for what pushes nothing' }),
});

export const disassembledScript = answer(
  'DisassembledScript',
  {
    script: bytes,
    size: z.int().meta({ description: 'Bytes' }),
    asm: z.string().meta({ description: "In Bitcoin Core's form" }),
    elements: z.array(elementAnswer),
    problem: z
      .object({ offset: z.int(), reason: z.string() })
      .nullable()
      .meta({ description: 'Where and why a script that is cut off cannot be read on' }),
    minimal: z.boolean().meta({ description: 'Whether all of its pushes are in their shortest form' }),
  },
  ({ script, error, elements }: DisassembledScript & { script: Uint8Array }) => ({
    size: script.length,
    problem: error,
    minimal: error === null && elements.every(({ minimal }) => minimal !== false),
  }),
);

/** Throws `too_large`. */
export function disassembled(script: Uint8Array): DisassembledScript & { script: Uint8Array } {
  const read = disassembleScript(script);
  if (read.elements.length > MAX_ELEMENTS) {
    throw new DomainError(
      'too_large',
      `the script has ${read.elements.length} elements, and at most ${MAX_ELEMENTS} are shown`,
      {
        field: 'script',
      },
    );
  }
  return { script, ...read };
}

export const disassembleScriptOperation = () =>
  operation({
    ...computes('Bitcoin', 'scripts'),
    id: 'script.disassemble',
    path: '/api/v1/bitcoin/scripts/disassemble',
    summary: 'Take a script apart',
    description: 'A script that is cut off is shown up to there, with what is missing.',
    body: z.strictObject({ script: scriptField }),
    success: { status: 200, answer: disassembledScript, description: 'Its elements and its text form' },
    errors: ['too_large'],
    example: {
      body: { script: '76a914751e76e8199196d454941c45d1b3a323f1433bd688ac' },
      response: disassembledExample,
    },
    inWorker: isLargeBody,
    run: async ({ body }) => disassembled(body.script),
  });

export const disassembledExample = {
  script: '76a914751e76e8199196d454941c45d1b3a323f1433bd688ac',
  size: 25,
  asm: 'OP_DUP OP_HASH160 751e76e8199196d454941c45d1b3a323f1433bd6 OP_EQUALVERIFY OP_CHECKSIG',
  elements: [
    { offset: 0, opcode: 118, name: 'OP_DUP', data: null, minimal: null },
    { offset: 1, opcode: 169, name: 'OP_HASH160', data: null, minimal: null },
    { offset: 2, opcode: 20, name: 'OP_PUSHBYTES_20', data: '751e76e8199196d454941c45d1b3a323f1433bd6', minimal: true },
    { offset: 23, opcode: 136, name: 'OP_EQUALVERIFY', data: null, minimal: null },
    { offset: 24, opcode: 172, name: 'OP_CHECKSIG', data: null, minimal: null },
  ],
  problem: null,
  minimal: true,
};
