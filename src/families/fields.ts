/** The wire's field types, shared by every family: what a value must look like, said once. */

import { z } from 'zod';
import { btcProblem, btcTypeProblem, parseBtc } from '../core/amount.ts';
import {
  type FeeChoice,
  type FeeRate,
  feeChoiceProblem,
  feeRateProblem,
  MAX_FEE_RATE,
  parseFeeChoice,
  parseFeeRate,
} from '../core/fee-rate.ts';
import type { Id } from '../core/ids.ts';
import { type Txid, txid } from '../core/outpoint.ts';

/** What an answer holds, under its name in the OpenAPI document. */
export const namedObject = <Shape extends z.ZodRawShape>(id: string, shape: Shape) => z.object(shape).meta({ id });

/** What a request holds: the same, with no other members. */
export const namedRequest = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  z.strictObject(shape).meta({ id });

/** What requests say of an output: one of these is there. */
export const oneOutput = (given: { script_pubkey?: unknown; script?: unknown; address?: unknown }): boolean =>
  [given.script_pubkey, given.script, given.address].filter((one) => one !== undefined).length === 1;
export const ONE_OUTPUT = 'give one of script_pubkey and address (script is the deprecated name of script_pubkey)';

/** A field's former name, which goes on beside `now`. */
export const formerName = <Schema extends z.ZodType>(schema: Schema, now: string): Schema =>
  schema.meta({ deprecated: true, description: `Deprecated: the same as ${now}` });

/** Turns a string that `problem` finds nothing wrong with into a T. */
function parsed<T>(
  text: z.ZodString,
  problem: (value: string) => string | null,
  parse: (value: string) => T,
): z.ZodPipe<z.ZodString, z.ZodTransform<T, string>> {
  return text.transform((value, context): T => {
    const wrong = problem(value);
    if (wrong === null) return parse(value);
    context.issues.push({ code: 'custom', message: wrong, input: value });
    return z.NEVER;
  });
}

export const amountType = { error: ({ input }: { input?: unknown }) => btcTypeProblem(input) };

/** Decimal BTC string in a request, at least 1 satoshi, as satoshis. */
export const amountField = parsed<bigint>(
  z.string(amountType).meta({ description: 'Decimal BTC amount, at most 8 decimals', examples: ['0.00150000'] }),
  (value) => btcProblem(value) ?? (parseBtc(value) === 0n ? 'must be above 0' : null),
  parseBtc,
);

/** The same, where nothing is an answer, too. */
export const amountOrZeroField = parsed<bigint>(
  z.string(amountType).meta({ description: 'Decimal BTC amount, at most 8 decimals', examples: ['0'] }),
  btcProblem,
  parseBtc,
);

/** Decimal sat/vB string in a request. */
export const feeRateField = parsed<FeeRate>(
  z.string().meta({ description: 'Decimal feerate in sat/vB, at most 3 decimals, up to 10000', examples: ['2.5'] }),
  feeRateProblem,
  parseFeeRate,
);

/** The same, or what the node says: a target in blocks, or `auto`. */
export const feeChoiceField = parsed<FeeChoice>(
  z.string().meta({
    description:
      'Decimal feerate in sat/vB, at most 3 decimals, up to 10000; or the target that it is estimated for, from "1 block" to "1008 blocks"; ' +
      'or "auto", the higher of `half_hour` of GET /api/v1/bitcoin/fees and the estimate for 3 blocks',
    examples: ['2.5', '6 blocks', 'auto'],
  }),
  feeChoiceProblem,
  parseFeeChoice,
);

const NO_CEILING = 'none';

/** The highest feerate that bytes are handed over for: a guard that stands where nothing is said, and that only `none` takes away. */
export const feeCeilingField = z
  .union([z.literal(NO_CEILING), feeRateField], {
    error: 'must be a decimal feerate in sat/vB such as "25", up to 10000, or "none"',
  })
  .meta({
    id: 'MaxFeeRate',
    description: 'The highest feerate allowed, sat/vB, or `none` for no limit; 10,000 by default',
  })
  .optional();

/** null: any. Unless said 10,000 sat/vB, as Bitcoin Core's 0.1 BTC/kvB. */
export const feeCeilingOf = (given: FeeRate | typeof NO_CEILING | undefined): FeeRate | null =>
  given === NO_CEILING ? null : (given ?? MAX_FEE_RATE);

export const txidField = parsed<Txid>(
  z.string().meta({
    description: 'Transaction id, 64 hex digits',
    examples: ['4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b'],
  }),
  (value) => (/^[0-9a-fA-F]{64}$/.test(value) ? null : 'must be a transaction id: 64 hex digits'),
  txid,
);

/** An id of ours: a prefix such as `wal`, an underscore and 22 base62 characters (core/ids.ts). */
export const idField = <P extends string>(prefix: P) =>
  z
    .string()
    .regex(
      new RegExp(`^${prefix}_[0-9A-Za-z]{22}$`),
      `must be an id such as ${prefix}_3mVb1k7Q2xYt9LpRw0Zc5A`,
    ) as z.ZodType<string, string> as z.ZodType<Id<P>, string>;

export const nameField = z.string().trim().min(1, 'must not be empty').max(100, 'must have at most 100 characters');
export const labelField = z.string().max(255, 'must have at most 255 characters');
export const externalIdField = z
  .string()
  .min(1, 'must not be empty')
  .max(128, 'must have at most 128 characters')
  .meta({ description: "The caller's own identifier" });

/** A query parameter holding a whole number in [min, max]. */
export const integerQuery = (min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`);

export const booleanQuery = z.enum(['true', 'false'], 'must be true or false').transform((value) => value === 'true');

/** limit 1-100 (default 20), offset, cursor: every list of family A's form takes these. */
export const pageQuery = {
  limit: integerQuery(1, 100).default(20).meta({ description: 'Records of a page, at most' }),
  offset: integerQuery(0, Number.MAX_SAFE_INTEGER).default(0).meta({ description: 'Records to skip' }),
  cursor: z.string().min(1).max(512).meta({ description: 'pagination.next_cursor of the previous page' }).optional(),
};
