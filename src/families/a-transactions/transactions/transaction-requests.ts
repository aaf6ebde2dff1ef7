/** What callers send about transactions. */
import { z } from 'zod';
import type { FeeChoice, FeeRate } from '../../../core/fee-rate.ts';
import { type Outpoint, outpointKey, txid } from '../../../core/outpoint.ts';
import type { PaymentRequest } from '../../../core/payments/payment-plan.ts';
import type { ChooseFeeRate } from '../../../services/fees/choose-fee-rate.ts';
import { TRANSACTION_STATUSES } from '../../../services/transactions/transaction-service.ts';
import {
  amountField,
  amountType,
  booleanQuery,
  externalIdField,
  feeChoiceField,
  idField,
  labelField,
  pageQuery,
  txidField,
} from '../../fields.ts';
import { charactersOf, refuseLongInAll, travelRuleField } from '../../travel-rule-field.ts';

/** 1,000 of the largest standard outputs leave more than half of a standard transaction's weight to inputs. */
const MAX_RECIPIENTS = 700;
const MAX_BULK = 100;
/** Recipients, and coins that are named, of all payments of a bulk together: as many as are checked within some ten milliseconds. */
export const MAX_BULK_PARTS = 1_200;
const MAX_COINS = 1_000;

const recipientAmountField = z
  .string(amountType)
  .meta({
    description: 'Decimal BTC amount, at most 8 decimals, or "max": all that is left, for one recipient',
    examples: ['0.00150000', 'max'],
  })
  .transform((value, context): bigint | 'max' => {
    if (value === 'max') return 'max';
    const amount = amountField.safeParse(value);
    if (amount.success) return amount.data;
    const message = amount.error.issues[0]?.message ?? 'is not valid';
    const word = /^[a-z ]+$/i.test(value);
    context.issues.push({
      code: 'custom',
      message: word ? `${message}, or "max" for all that is left` : message,
      input: value,
    });
    return z.NEVER;
  });

const addressField = z
  .string('must be a Bitcoin address')
  .min(1, 'must not be empty')
  .max(120, 'must be a Bitcoin address')
  .meta({ description: 'Bitcoin address', examples: ['bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'] });

const outpointField = z
  .string()
  .meta({ description: 'Outpoint as txid:vout', examples: [`${'ab'.repeat(32)}:0`] })
  .transform((value, context): Outpoint => {
    const [, hash, vout] = /^([0-9a-fA-F]{64}):(0|[1-9]\d{0,9})$/.exec(value) ?? [];
    if (hash !== undefined && Number(vout) <= 0xffffffff) return { txid: txid(hash), vout: Number(vout) };
    context.issues.push({ code: 'custom', message: 'must be an outpoint: txid:vout', input: value });
    return z.NEVER;
  });

const outpointsField = z
  .array(outpointField)
  .max(MAX_COINS, `must name at most ${MAX_COINS} coins`)
  .superRefine((outpoints, context) => {
    const seen = new Set<string>();
    outpoints.forEach((outpoint, index) => {
      const key = outpointKey(outpoint);
      if (seen.has(key)) context.addIssue({ code: 'custom', path: [index], message: 'names the same coin twice' });
      seen.add(key);
    });
  });

const recipientField = z
  .strictObject({
    address: addressField.optional(),
    address_book_id: idField('abe')
      .optional()
      .meta({ description: 'In the place of address: pays to the entry of the address book, once it is effective' }),
    amount: recipientAmountField,
    travel_rule: travelRuleField.optional().meta({
      description:
        'Who is behind the payment, as IVMS101.2023 says it; kept encrypted and not shown with the transaction',
    }),
  })
  .superRefine(({ address, address_book_id: entry }, context) => {
    if (entry === undefined && address === undefined)
      context.addIssue({
        code: 'custom',
        path: ['address'],
        message: 'must be a Bitcoin address, or address_book_id in its place',
      });
    if (entry !== undefined && address !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['address_book_id'],
        message: 'cannot go with address: give one of them',
      });
  });

const AN_INDEX = 'must be the index of a recipient, counted from 0';
const payersField = z
  .array(z.int(AN_INDEX).min(0, AN_INDEX))
  .min(1, 'must name at least one recipient')
  .max(MAX_RECIPIENTS, `must name at most ${MAX_RECIPIENTS} recipients`)
  .optional();

export const paymentBody = z
  .strictObject({
    recipients: z.preprocess(
      refuseLongInAll(charactersOf),
      z
        .array(recipientField)
        .min(1, 'must have at least one recipient')
        .max(MAX_RECIPIENTS, `must have at most ${MAX_RECIPIENTS} recipients`),
    ),
    fee_rate: feeChoiceField,
    rbf: z.boolean().meta({ description: 'Signal BIP125; false only omits the signal' }),
    wallet_id: idField('wal').optional().meta({ description: "Default: the account's default or only wallet" }),
    coin_control: z
      .strictObject({ include: outpointsField.optional(), exclude: outpointsField.optional() })
      .optional()
      .meta({
        description: 'Coins that must be spent (others only where they do not suffice), and coins that must not',
      }),
    min_conf: z
      .int()
      .min(0, 'must be at least 0')
      .max(1_000_000, 'must be at most 1000000')
      .optional()
      .meta({ description: 'Confirmations of coins of others (default 1); above 1 it holds for own change too' }),
    group_by_script: z.boolean().optional().meta({
      description:
        'true (default): coins of one address are spent together, up to 100 of them, which keeps others from linking what is left to this payment, and may take many inputs; false: only as many as the amount needs',
    }),
    max_fee: amountField.optional().meta({ description: 'Refuse a fee above this many BTC' }),
    subtract_fee_from: payersField.meta({ description: 'Indexes of recipients that bear the fee, in equal parts' }),
    label: labelField.optional(),
    external_id: externalIdField.optional(),
  })
  .superRefine((body, context) => {
    const issue = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
    const max = body.recipients.flatMap(({ amount }, index) => (amount === 'max' ? [index] : []));
    if (max[1] !== undefined)
      issue(['recipients', max[1], 'amount'], 'must not be "max", too: only one recipient can take all that is left');
    if (max.length > 0 && body.subtract_fee_from) {
      issue(['subtract_fee_from'], 'cannot go with an amount of "max": that recipient bears the fee');
    }
    body.subtract_fee_from?.forEach((recipient, index, all) => {
      if (recipient >= body.recipients.length)
        issue(
          ['subtract_fee_from', index],
          `must be the index of a recipient: ${body.recipients.length === 1 ? '0' : `0 to ${body.recipients.length - 1}`}`,
        );
      else if (all.indexOf(recipient) < index) issue(['subtract_fee_from', index], 'names the same recipient twice');
    });
    const included = new Set(body.coin_control?.include?.map(outpointKey));
    body.coin_control?.exclude?.forEach((outpoint, index) => {
      if (included.has(outpointKey(outpoint))) issue(['coin_control', 'exclude', index], 'is also in include');
    });
  })
  .meta({ id: 'Payment' });

/** `recipients`: with their addresses (services/address-book/payees.ts). */
export const toPaymentRequest = (
  body: z.output<typeof paymentBody>,
  addresses: readonly string[],
  feeRate: FeeRate,
): PaymentRequest => ({
  recipients: addresses.map((address, index) => ({
    address,
    amount: body.recipients[index]!.amount,
    travelRule: body.recipients[index]!.travel_rule,
  })),
  feeRate,
  rbf: body.rbf,
  walletId: body.wallet_id,
  coinControl: body.coin_control,
  minConf: body.min_conf,
  maxFeeSats: body.max_fee,
  groupByScript: body.group_by_script,
  subtractFeeFrom: body.subtract_fee_from,
  label: body.label,
  externalId: body.external_id,
});

export const dryRunQuery = z.strictObject({
  dry_run: booleanQuery.default(false).meta({
    description:
      'true: 200 with the record as it would be, `dry_run: true` and the status `preview`; nothing is stored or sent',
    examples: ['false'],
  }),
});

/** Before they are gone through. */
function refuseTooMany(requests: unknown, context: z.RefinementCtx): unknown {
  const counted = Array.isArray(requests) ? requests.slice(0, MAX_BULK) : [];
  const lists = counted.flatMap((one) => [
    ...[one?.recipients, one?.subtract_fee_from],
    ...[one?.coin_control?.include, one?.coin_control?.exclude],
  ]);
  const parts = lists.reduce((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
  if (parts <= MAX_BULK_PARTS) return requests;
  const message = `must name at most ${MAX_BULK_PARTS} recipients and coins in all`;
  context.issues.push({ code: 'custom', message, input: '' });
  return z.NEVER;
}

const charactersOfAll = (requests: unknown): number =>
  Array.isArray(requests)
    ? requests.slice(0, MAX_BULK).reduce((sum: number, one) => sum + charactersOf(one?.recipients), 0)
    : 0;

export const bulkBody = z.strictObject({
  transactions: z.preprocess(
    (requests, context) => refuseLongInAll(charactersOfAll)(refuseTooMany(requests, context), context),
    z
      .array(paymentBody)
      .min(1, 'must have at least one request')
      .max(MAX_BULK, `must have at most ${MAX_BULK} requests`),
  ),
});

const replaceDescendantsField = z
  .boolean()
  .optional()
  .meta({ description: 'Evict own descendants too, paying their recipients again' });

const RAISED =
  'A target and "auto" are raised to the least that replaces the transaction alone; a number is kept to. ' +
  'Transactions that spend it make replacing it dearer: that takes a number';

/** Of a replacement: what is estimated says nothing of what nodes ask of one. */
export const replacementRate = async (choice: FeeChoice, choose: ChooseFeeRate) => ({
  feeRate: await choose(choice),
  orLeast: typeof choice !== 'bigint',
});

export const bumpBody = z.strictObject({
  fee_rate: feeChoiceField.meta({ description: RAISED }),
  replace_descendants: replaceDescendantsField,
  subtract_fee_from: payersField.meta({
    description: 'Indexes of recipients that pay what the change cannot, instead of further coins',
  }),
});
export const cancelBody = z
  .strictObject({
    fee_rate: feeChoiceField
      .optional()
      .meta({ description: `Default: the least that replaces the transaction. ${RAISED}` }),
    replace_descendants: replaceDescendantsField,
  })
  .nullish();
export const cpfpBody = z.strictObject({
  fee_rate: feeChoiceField.meta({ description: 'What the transaction and its child shall pay together, sat/vB' }),
});

export const txidParams = z.strictObject({ txid: txidField });
export const walletParams = z.strictObject({ wallet_id: idField('wal') });

const directionField = z.enum(['outgoing', 'incoming', 'internal']);
const filters = {
  status: z.enum(TRANSACTION_STATUSES).optional(),
  direction: directionField.optional(),
  external_id: externalIdField.optional(),
  label: labelField.optional(),
};
export const walletTransactionsQuery = z.strictObject({ ...pageQuery, ...filters });
export const transactionsQuery = z.strictObject({ ...pageQuery, ...filters, wallet_id: idField('wal').optional() });
