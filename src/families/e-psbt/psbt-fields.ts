/** What stands in requests about PSBTs, field by field. */
import { z } from 'zod';
import { btcProblem, parseBtc } from '../../core/amount.ts';
import { HEX, HEX_PROBLEM } from '../../core/bytes.ts';
import { pathText } from '../../core/descriptors/descriptor-key.ts';
import { SIGHASH_NAMES, sighashName } from '../../core/scripts/sighash-type.ts';

/** Bytes of a request. */
export const PSBT_BODY_LIMIT = 10 * 1024 * 1024;

/** Issues are named in the way of the house: by a sentence that follows the field's path. */
function checked<T>(
  text: z.ZodString,
  parse: (value: string) => T | { problem: string },
): z.ZodPipe<z.ZodString, z.ZodTransform<T, string>> {
  return text.transform((value, context): T => {
    const outcome = parse(value);
    if (typeof outcome !== 'object' || outcome === null || !('problem' in outcome)) return outcome as T;
    context.issues.push({ code: 'custom', message: outcome.problem, input: '' });
    return z.NEVER;
  });
}

/** Base64 or hex; read by psbt-text.ts, which names what is wrong with it. */
export const psbtField = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .meta({ description: 'PSBT in base64, or in hex', examples: ['cHNidP8BAgQCAAAAAQQBAAEFAQAB+wQCAAAAAA=='] });

/** Any even number of hex digits, up to so many bytes. */
export const hexField = (maxBytes: number, example: string) =>
  checked(z.string().meta({ description: 'Hex', examples: [example] }), (value): Buffer | { problem: string } => {
    if (value.length / 2 > maxBytes) return { problem: `must have at most ${maxBytes} bytes` };
    if (!HEX.test(value)) return { problem: HEX_PROBLEM };
    return Buffer.from(value, 'hex');
  });

/** Hex of one of a few lengths. */
const bytesField = (lengths: readonly number[], what: string, example: string) =>
  checked(
    z.string().meta({ description: `${what}, hex`, examples: [example] }),
    (value): Buffer | { problem: string } =>
      lengths.includes(value.length / 2) && HEX.test(value)
        ? Buffer.from(value, 'hex')
        : { problem: `must be ${what}: ${lengths.map((length) => length * 2).join(' or ')} hex digits` },
  );

export const publicKeyField = bytesField(
  [33, 65],
  'a public key',
  '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
);
export const xOnlyKeyField = bytesField(
  [32],
  'an x-only public key',
  '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
);
export const hashField = bytesField([32], 'a hash', 'ab'.repeat(32));

export const scriptField = hexField(10_000, '0014751e76e8199196d454941c45d1b3a323f1433bd6');
export const transactionField = hexField(4_000_000, '02000000…');

/** Zero is an amount of outputs that carry data. */
export const outputAmountField = checked(
  z.string().meta({ description: 'Decimal BTC amount, at most 8 decimals', examples: ['0.00150000'] }),
  (value): bigint | { problem: string } => {
    const problem = btcProblem(value);
    return problem === null ? parseBtc(value) : { problem };
  },
);

export const fingerprintField = z
  .string()
  .regex(/^[0-9a-fA-F]{8}$/, "must be a master key's fingerprint: 8 hex digits")
  .transform((value) => value.toLowerCase())
  .meta({ examples: ['d34db33f'] });

const HARDENED = 0x80000000;
const PATH = /^m?(\/?\d{1,10}[h'H]?(\/\d{1,10}[h'H]?)*)?$/;

/** Hardened steps with bit 31. */
const stepsOf = (path: string): number[] =>
  [...path.matchAll(/(\d+)(\D?)/g)].map(
    ([, index, mark]) => Number(index) + (mark === '' || mark === '/' ? 0 : HARDENED),
  );

/** m/84h/1h/0h/0/5 as numbers. */
export const pathField = checked(
  z.string().meta({ description: "Derivation path; hardened steps with h or '", examples: ['m/84h/1h/0h/0/5'] }),
  (value): number[] | { problem: string } =>
    value.length <= 2000 && PATH.test(value) && [...value.matchAll(/\d+/g)].every(([index]) => Number(index) < HARDENED)
      ? stepsOf(value)
      : { problem: 'must be a derivation path such as m/84h/1h/0h/0/5' },
);

/** The same in an answer. */
export const pathCodec = z.codec(z.string(), z.custom<readonly number[]>(), {
  decode: stepsOf,
  encode: (path) => `m${pathText(path)}`,
});

const SIGHASH_NUMBERS = new Map(
  Array.from({ length: 256 }, (_, type) => [sighashName(type), type] as const).filter(([name]) => name !== null),
);

/** By its name, or the number that the field holds. */
export const sighashField = z
  .union([z.enum(SIGHASH_NAMES), z.int().min(0, 'must not be negative').max(0xff, 'must be at most 255')])
  .transform((type) => (typeof type === 'number' ? type : (SIGHASH_NUMBERS.get(type) as number)))
  .meta({ id: 'SighashType', description: 'Signature hash type, by name or number', examples: ['ALL'] });

/** In an answer; in hex where it has no name. */
export const sighashText = (type: number): string => sighashName(type) ?? `0x${type.toString(16).padStart(2, '0')}`;

export const uint32Field = z.int().min(0, 'must not be negative').max(0xffffffff, 'must be at most 4294967295');
