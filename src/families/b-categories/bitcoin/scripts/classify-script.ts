import { z } from 'zod';
import { formatBtc } from '../../../../core/amount.ts';
import { hex } from '../../../../core/bytes.ts';
import { reportScript, type ScriptReport } from '../../../../core/descriptors/report-script.ts';
import { DomainError } from '../../../../core/errors.ts';
import type { Network } from '../../../../core/network.ts';
import { operation } from '../../../../hooks/operation.ts';
import { amount, answer } from '../../../answer.ts';
import { formerName, oneOutput } from '../../../fields.ts';
import { isLargeBody } from '../../../large-body.ts';
import { computes } from '../../declarations.ts';
import { hexAnswer, hexField, knownKeys, OUTPUT_KINDS, outputScriptField, publicKeysField } from '../script-fields.ts';

const kindOf = ({ classified: { type, publicKeys, required } }: Pick<ScriptReport, 'classified'>) => ({
  script_type: type,
  type,
  public_keys: publicKeys.map(hex),
  required,
});

const innerScript = answer(
  'InnerScript',
  {
    script: hexAnswer,
    asm: z.string(),
    script_type: z.enum(OUTPUT_KINDS),
    type: formerName(z.enum(OUTPUT_KINDS), 'script_type'),
    public_keys: z.array(z.string()),
    required: z.int().nullable(),
  },
  kindOf,
);

const wrapping = answer(
  'ScriptWrapping',
  {
    script_pubkey: hexAnswer.meta({ description: 'The output script' }),
    script: formerName(hexAnswer, 'script_pubkey'),
    address: z.string(),
  },
  ({ script }: { readonly script: Uint8Array }) => ({ script_pubkey: hex(script) }),
).schema.nullable();

/** The text of data where all of it is printable. */
function textOf(data: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
    return text !== '' && !/[\p{Cc}\p{Cs}\p{Cn}]/u.test(text.replace(/[\n\r\t]/g, '')) ? text : null;
  } catch {
    return null;
  }
}

const classifiedScript = answer(
  'ClassifiedScript',
  {
    script: hexAnswer,
    size: z.int(),
    asm: z.string(),
    script_type: z.enum(OUTPUT_KINDS),
    type: formerName(z.enum(OUTPUT_KINDS), 'script_type'),
    address: z.string().nullable().meta({ description: "On this service's network; null where it has none" }),
    witness_version: z.int().nullable(),
    witness_program: z.string().nullable(),
    public_keys: z.array(z.string()).meta({ description: 'Of p2pk and multisig' }),
    required: z.int().nullable().meta({ description: 'How many of them sign' }),
    data: z
      .array(
        z.object({ hex: hexAnswer, text: z.string().nullable().meta({ description: 'Where it is printable UTF-8' }) }),
      )
      .nullable()
      .meta({ description: 'What an OP_RETURN output carries' }),
    standard: z.boolean().meta({ description: 'Whether outputs of it are relayed' }),
    dust_threshold: amount.meta({ description: 'BTC below which an output of it is dust (3 sat/vB)' }),
    solvable: z.boolean().meta({ description: 'Whether what is given tells how it is spent' }),
    descriptor: z.string().meta({ description: 'What says most of it, as Bitcoin Core infers it' }),
    redeem_script: innerScript.schema.nullable(),
    witness_script: innerScript.schema.nullable(),
    wrappings: z.object({ p2sh: wrapping, p2wsh: wrapping, p2sh_p2wsh: wrapping }).meta({
      description: 'Outputs that pay to the hash of this script; null where such an output could not be spent',
    }),
  },
  (report: ScriptReport) => {
    const { witness, data, standard, dustThreshold } = report.classified;
    return {
      ...kindOf(report),
      size: report.script.length,
      witness_version: witness?.version ?? null,
      witness_program: witness ? hex(witness.program) : null,
      data: data?.map((pushed) => ({ hex: hex(pushed), text: textOf(pushed) })) ?? null,
      standard,
      dust_threshold: formatBtc(dustThreshold),
    };
  },
);

export const classifyScriptOperation = ({ network }: { network: Network }) =>
  operation({
    ...computes('Bitcoin', 'scripts'),
    id: 'script.classify',
    path: '/api/v1/bitcoin/scripts/classify',
    summary: 'What kind of script it is',
    description:
      'Give the redeem script and the witness script behind a hash, or public keys, and the answer tells what is in it, too. A redeem or ' +
      'witness script by itself is given as script: its wrappings tell the addresses that pay to it.',
    secretBody: true,
    body: z.strictObject({
      script_pubkey: outputScriptField.optional(),
      script: outputScriptField.optional().meta({ description: 'The same, or a redeem or witness script by itself' }),
      redeem_script: hexField(520, 'The script behind a P2SH output').optional(),
      witness_script: hexField(10_000, 'The script behind a P2WSH output').optional(),
      public_keys: publicKeysField.optional(),
    }),
    success: { status: 200, answer: classifiedScript, description: 'Its type and what follows from it' },
    errors: ['invalid_script', 'invalid_key'],
    example: {
      body: { script_pubkey: '0014751e76e8199196d454941c45d1b3a323f1433bd6' },
      response: {
        script: '0014751e76e8199196d454941c45d1b3a323f1433bd6',
        size: 22,
        asm: '0 751e76e8199196d454941c45d1b3a323f1433bd6',
        script_type: 'p2wpkh',
        type: 'p2wpkh',
        address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
        witness_version: 0,
        witness_program: '751e76e8199196d454941c45d1b3a323f1433bd6',
        public_keys: [],
        required: null,
        data: null,
        standard: true,
        dust_threshold: '0.00000294',
        solvable: false,
        descriptor: 'addr(bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080)#8pk5s7ya',
        redeem_script: null,
        witness_script: null,
        wrappings: {
          p2sh: {
            script_pubkey: 'a914bcfeb728b584253d5f3f70bcb780e9ef218a68f487',
            script: 'a914bcfeb728b584253d5f3f70bcb780e9ef218a68f487',
            address: '2NAUYAHhujozruyzpsFRP63mbrdaU5wnEpN',
          },
          p2wsh: null,
          p2sh_p2wsh: null,
        },
      },
    },
    inWorker: isLargeBody,
    run: async ({ body }) => {
      if (!oneOutput(body))
        throw new DomainError('invalid_value', 'give one of script_pubkey and script', { field: 'script_pubkey' });
      return reportScript(
        (body.script_pubkey ?? body.script) as Buffer,
        {
          redeemScript: body.redeem_script ?? null,
          witnessScript: body.witness_script ?? null,
          keys: knownKeys(body.public_keys),
        },
        network,
      );
    },
  });
