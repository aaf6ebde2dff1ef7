/** The transaction record on the wire. */
import { z } from 'zod';
import { formatBtc } from '../../../core/amount.ts';
import { feeRateOf, formatFeeRate } from '../../../core/fee-rate.ts';
import { awaitedRound, MUSIG_ROUNDS } from '../../../core/psbt/musig/awaited-round.ts';
import {
  type ListedTransactionView,
  type ShownTransactionView,
  TRANSACTION_STATUSES,
  type TransactionView,
} from '../../../services/transactions/transaction-service.ts';
import { amount, answer, feeRate, time } from '../../answer.ts';
import { verdict } from '../../verdict-field.ts';

const recipient = answer('Recipient', { address: z.string(), amount });

export const transaction = answer(
  'Transaction',
  {
    txid: z.string().meta({ description: 'Until complete: unsigned_txid' }),
    unsigned_txid: z.string(),
    wallet_id: z.string(),
    status: z
      .enum([...TRANSACTION_STATUSES, 'preview'])
      .meta({ id: 'TransactionStatus', description: '`preview` is of dry runs alone' }),
    direction: z.enum(['outgoing', 'incoming', 'internal']),
    recipients: z.array(recipient.schema),
    amount: amount,
    fee: amount.nullable().meta({ description: 'null where coins of others are spent' }),
    fee_rate: feeRate.nullable(),
    effective_fee_rate: feeRate.nullable().meta({
      description:
        'What this transaction and the unconfirmed ancestors that it lifts pay together: fee less ancestor_fee, by vsize',
    }),
    ancestor_fee: amount.meta({
      description:
        'The part of the fee that lifts unconfirmed transactions, whose outputs it spends, to the asked fee rate',
    }),
    fee_note: z.string().nullable().meta({ description: 'Says so where ancestor_fee is not zero' }),
    vsize: z.int().nullable(),
    input_count: z.int().nullable().meta({ description: 'Coins that it spends' }),
    rbf: z.boolean(),
    block_height: z.int().nullable(),
    block_hash: z.string().nullable(),
    confirmations: z.int(),
    replaces: z.string().nullable(),
    replaced_by: z.string().nullable(),
    label: z.string().nullable(),
    external_id: z.string().nullable(),
    reason: z.string().nullable(),
    approval_id: z.string().nullable().meta({ description: 'The approval that it waits, or waited, for' }),
    policy: verdict.nullable().meta({ description: "What the account's rules said of it; null where there were none" }),
    psbt: z.string().nullable().meta({
      description:
        'While status is awaiting_signature: the PSBT (version 2, base64) with the signatures so far. Otherwise null; null in lists, bulk answers and dry runs, too',
    }),
    musig_round: z
      .enum(MUSIG_ROUNDS)
      .nullable()
      .meta({
        description:
          "Beside psbt, of a MuSig2 wallet: what its signers send next (POST …/signatures). nonces; then, with every signer's nonce in psbt, " +
          'signatures: the partial ones that they make with it. Otherwise null',
      }),
    created_at: time,
  },
  ({ feeSats, ancestorFeeSats, vsize, status, policy, psbt: stored }: ShownTransactionView) => {
    const psbt = status === 'awaiting_signature' ? stored : null;
    const rateOf = (sats: bigint): string | null => (vsize ? formatFeeRate(feeRateOf(sats, vsize)) : null);
    const effective = feeSats === null ? null : rateOf(feeSats - ancestorFeeSats);
    return {
      fee_rate: feeSats === null ? null : rateOf(feeSats),
      effective_fee_rate: effective,
      fee_note: ancestorFeeSats === 0n ? null : feeNote(ancestorFeeSats, effective),
      policy: policy as z.input<typeof verdict> | null,
      psbt,
      musig_round: psbt === null ? null : awaitedRound(psbt),
    };
  },
);

const feeNote = (ancestorFeeSats: bigint, effective: string | null): string =>
  `${formatBtc(ancestorFeeSats)} BTC of the fee lift unconfirmed transactions whose outputs this one spends: a miner who takes all of them is paid ${effective} sat/vB`;

/** In lists: PSBTs hold whole transactions, and a page of them could be larger than anybody wants. */
export const listedTransaction = {
  schema: transaction.schema,
  present: (view: ListedTransactionView) => transaction.present({ ...view, psbt: null }),
};

/** What making one answers: the record, or what it would be. */
export const createdTransaction = answer(
  'CreatedTransaction',
  {
    ...transaction.shape,
    dry_run: z.literal(true).optional().meta({ description: 'Of a dry run: nothing of this is stored or sent' }),
    bounded_search: z.boolean().optional().meta({
      description:
        'Of a dry run: coin selection did not try every set, because it reached its limit of 100,000 tries or the wallet has more than 500 unspent coins, of which it looks at some. A set with less waste may exist. Usual for wallets of more than some dozen coins',
    }),
  },
  (view: TransactionView) => ({
    ...transaction.present(view),
    ...(view.preview && {
      ...{ status: 'preview' as const, dry_run: true as const },
      bounded_search: view.preview.bounded,
    }),
  }),
);

/** Of operations that take `?dry_run=true` (hooks/dry-run.ts). `example` is what they answer without. */
export const createdSuccess = (description: string, example: typeof transactionExample) => ({
  status: 201 as const,
  answer: createdTransaction,
  description,
  waiting: {
    status: 202 as const,
    description: 'A rule wants it approved first: its coins are held, and nothing is signed: [guide](/docs/approvals)',
    when: ({ status, preview }: TransactionView) => status === 'awaiting_approval' && preview === undefined,
    example: { ...example, status: 'awaiting_approval', approval_id: 'apr_8sKd2LmQ9vXcT4yHn6PzRa' },
  },
  otherwise: {
    status: 200 as const,
    description: 'Of a dry run: the transaction as it would be, with the status `preview`',
    when: (view: TransactionView) => view.preview !== undefined,
    example: { ...example, status: 'preview', dry_run: true, bounded_search: false },
  },
});

const EXAMPLE_TXID = '6f2b5b1c1f7e0f6a52c0e5b1c9a3d6d9f1b8f5f0c3a79c5d8f62d0f3ab41c7e2';

export const transactionExample: z.input<typeof transaction.schema> = {
  txid: EXAMPLE_TXID,
  unsigned_txid: EXAMPLE_TXID,
  wallet_id: 'wal_3mVb1k7Q2xYt9LpRw0Zc5A',
  status: 'broadcast',
  direction: 'outgoing',
  recipients: [{ address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', amount: '0.00150000' }],
  amount: '0.00150000',
  fee: '0.00000353',
  fee_rate: '2.503',
  effective_fee_rate: '2.503',
  ancestor_fee: '0.00000000',
  fee_note: null,
  vsize: 141,
  input_count: 1,
  rbf: true,
  block_height: null,
  block_hash: null,
  confirmations: 0,
  replaces: null,
  replaced_by: null,
  label: null,
  external_id: null,
  reason: null,
  approval_id: null,
  policy: null,
  psbt: null,
  musig_round: null,
  created_at: '2026-11-20T10:00:00.000Z',
};
