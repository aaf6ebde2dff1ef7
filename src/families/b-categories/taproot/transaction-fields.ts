/** A transaction in a request, and the outputs that it spends. */
import { z } from 'zod';
import { btcProblem, parseBtc } from '../../../core/amount.ts';
import { MalformedDataError } from '../../../core/blocks/malformed-data-error.ts';
import { type ParsedOutput, type ParsedTransaction, parseTransaction } from '../../../core/blocks/transaction.ts';
import { DomainError } from '../../../core/errors.ts';
import type { Network } from '../../../core/network.ts';
import { decodeAddress } from '../../../core/relay-policy/address.ts';
import { formerName, ONE_OUTPUT, oneOutput } from '../../fields.ts';
import { hexField } from './taproot-fields.ts';

/** What is run for a request holds the process: the dearest scripts of this size take some tenths of a second. */
const MAX_TRANSACTION_BYTES = 100_000;
/** An outpoint, a script of no bytes with its length, and a sequence number. */
const SMALLEST_INPUT_BYTES = 41;
const MAX_INPUTS = Math.floor(MAX_TRANSACTION_BYTES / SMALLEST_INPUT_BYTES);

const prevoutField = z
  .strictObject({
    // Zero is an amount of some outputs.
    amount: z
      .string()
      .meta({ description: 'Decimal BTC amount, at most 8 decimals', examples: ['0.00150000'] })
      .transform((value, context) => {
        const message = btcProblem(value);
        if (message === null) return parseBtc(value);
        context.issues.push({ code: 'custom', message, input: '' });
        return z.NEVER;
      }),
    script_pubkey: hexField('scriptPubKey', 10_000).optional(),
    script: formerName(hexField('scriptPubKey', 10_000).optional(), 'script_pubkey'),
    address: z
      .string()
      .max(200, 'must have at most 200 characters')
      .optional()
      .meta({ description: 'Instead of script_pubkey' }),
  })
  .refine(oneOutput, { path: ['script_pubkey'], message: ONE_OUTPUT })
  .meta({ id: 'Prevout' });

export const transactionFields = {
  transaction: hexField('Transaction with all inputs and outputs', MAX_TRANSACTION_BYTES),
  input_index: z
    .int()
    .min(0, 'must not be negative')
    .max(0xffff_ffff, 'must be at most 4294967295')
    .default(0)
    .meta({ description: 'Which of its inputs, from 0' }),
  prevouts: z
    .array(prevoutField)
    .min(1, 'must not be empty')
    .max(MAX_INPUTS, `must have at most ${MAX_INPUTS} members`)
    .meta({ description: 'The outputs that its inputs spend, all of them, in their order' }),
};

interface GivenTransaction {
  transaction: Buffer;
  input_index: number;
  prevouts: readonly z.output<typeof prevoutField>[];
}

/** Throws `invalid_transaction`, `invalid_address`, `wrong_network`, and `invalid_value` where input and outputs do not fit together. */
export function spendOf(
  { transaction: raw, input_index: index, prevouts }: GivenTransaction,
  network: Network,
): { transaction: ParsedTransaction; spent: ParsedOutput[]; index: number } {
  const transaction = parsed(raw);
  const { length } = transaction.inputs;
  if (index >= length) throw mismatch('input_index', `the inputs of the transaction are numbered 0 to ${length - 1}`);
  if (prevouts.length !== length) {
    throw mismatch(
      'prevouts',
      `the transaction has ${length} inputs: each needs the output that it spends, in their order`,
    );
  }
  const spent = prevouts.map(
    ({ amount, address, script: former, script_pubkey: script = former }, place): ParsedOutput => {
      if (script !== undefined) return { amountSats: amount, scriptPubKey: script.toString('hex') };
      try {
        return { amountSats: amount, scriptPubKey: decodeAddress(address as string, network).scriptPubKey };
      } catch (error) {
        throw error instanceof DomainError ? error.at(`prevouts[${place}].address`) : error;
      }
    },
  );
  return { transaction, spent, index };
}

function parsed(raw: Uint8Array): ParsedTransaction {
  try {
    return parseTransaction(raw);
  } catch (error) {
    if (!(error instanceof MalformedDataError)) throw error;
    throw new DomainError('invalid_transaction', `this is not a transaction: ${error.message}`, {
      field: 'transaction',
    });
  }
}

const mismatch = (field: string, message: string): DomainError => new DomainError('invalid_value', message, { field });
