/** The contract record on the wire. */
import { z } from 'zod';
import { formatBtc } from '../../core/amount.ts';
import { DIALECTS } from '../../core/dlc/dialect.ts';
import { CONTRACT_STATUSES, type ContractView } from '../../services/contracts/contract-service.ts';
import { amount, answer, bytes, feeRate, time } from '../answer.ts';
import { verdict } from '../verdict-field.ts';
import { numericDescriptorAnswer } from './numeric-descriptor-field.ts';

const message = (what: string) => bytes.meta({ description: `${what}, hex` }).optional();

/** Wire messages of a contract by name. */
export const contractMessages = answer('ContractMessages', {
  offer: message('dlcspecs message 42778'),
  accept: message('dlcspecs message 42780'),
  sign: message('dlcspecs message 42782'),
  close: message('PSBT of the cooperative close'),
});

/** From when on the funding transaction is known to the network. */
const BROADCAST: ReadonlySet<string> = new Set(['funded', 'confirmed', 'executed', 'refunded', 'closed']);

const PROOF_WARNINGS = {
  unproven:
    'unproven oracles: one of the oracles that decide together neither proves that it knows its nonces nor was known before; if it announced ' +
    'last, it may be able to settle this contract alone and before the event',
  known:
    'oracles known before: not all of the oracles that decide together prove that they know their nonces; one that prepared for the events of ' +
    'the others before this account knew it may be able to settle this contract alone',
} as const;

const warningsOf = ({ oracleProof, markedOracles }: Pick<ContractView, 'oracleProof' | 'markedOracles'>): string[] => [
  ...(oracleProof === null || oracleProof === 'proven' ? [] : [PROOF_WARNINGS[oracleProof]]),
  ...markedOracles.map((said) => `marked oracle: ${said}`),
];

export const contract = answer(
  'Contract',
  {
    contract_id: z.string(),
    type: z.literal('dlc'),
    oracle: z.string().meta({ description: 'The first of the oracles' }),
    oracles: z.array(z.string()).meta({ description: 'In order of preference' }),
    threshold: z
      .int()
      .meta({ description: 'How many of the oracles decide; of an offer of several cases the fewest of any' }),
    oracle_proof: z
      .enum(['proven', 'known', 'unproven'])
      .nullable()
      .meta({
        description:
          'Of several oracles that decide together: proven (each proves that it knows its nonces), known (the rest was known to the account ' +
          'before the offer), unproven (taken with accept_unproven_oracles: one of them may be able to settle the contract alone); null where none do',
      }),
    warnings: z
      .array(z.string())
      .meta({ description: 'What speaks against relying on its oracles, in words; mostly none' }),
    event_ids: z.array(z.string()).meta({ description: 'The event that each oracle attests' }),
    outcomes: z.array(z.string()).meta({ description: 'None where the outcome is a number' }),
    payouts: z.record(z.string(), amount).nullable().meta({
      description: "The offerer's share by outcome, BTC; null where the outcome is a number",
    }),
    descriptor: numericDescriptorAnswer.nullable().meta({ description: 'Of a contract on a number' }),
    collateral: amount,
    offer_collateral: amount.meta({ description: "The offerer's part of the collateral" }),
    status: z.enum(CONTRACT_STATUSES).meta({
      description:
        'awaiting_approval (a rule wants it approved before it is offered or accepted), offered, accepted, signed, funded (broadcast), confirmed (1 block), executed (CET broadcast), refunded (refund broadcast), closed (that is confirmed), cancelled, failed',
    }),
    outcome: z.string().nullable(),
    custody: z.enum(['single', 'shared']).meta({ description: 'single: the keys of both sides are here' }),
    role: z.enum(['both', 'offerer', 'accepter']),
    wallet_id: z.string().nullable().meta({ description: "Our side's; the offerer's where both are" }),
    counterparty_wallet_id: z.string().nullable().meta({ description: "The accepter's where both sides are here" }),
    funding_txid: z.string().nullable().meta({ description: 'Once broadcast' }),
    funding_vout: z.int().nullable(),
    cet_txid: z.string().nullable(),
    refund_txid: z.string().nullable(),
    closing_txid: z.string().nullable().meta({ description: 'What spends the funding output, whatever it is' }),
    cet_locktime: z.int(),
    refund_locktime: z.int(),
    fee_rate: feeRate,
    dialect: z.enum(DIALECTS),
    progress: z
      .object({ stage: z.enum(['signing', 'verifying']), done: z.int(), total: z.int() })
      .nullable()
      .meta({ description: 'Adaptor signatures made or verified by now; null while nothing is under way' }),
    reason: z.string().nullable().meta({ description: 'Why it failed, was cancelled, or has not got further' }),
    approval_id: z.string().nullable().meta({ description: 'The approval that it waits, or last waited, for' }),
    policy: verdict.nullable().meta({
      description: "What the account's rules said when it was offered or accepted; null where there were none",
    }),
    external_id: z.string().nullable(),
    temporary_contract_id: z.string(),
    dlc_contract_id: z.string().nullable().meta({ description: "dlcspecs' id, from accepted on" }),
    expires_at: time
      .nullable()
      .meta({ description: 'Until when the other side is waited for, to accept or to sign: then it is cancelled' }),
    messages: contractMessages.schema.meta({
      description:
        'Of a contract with a remote counterparty: what has been said so far. Empty in lists and where both sides are here',
    }),
    created_at: time,
    updated_at: time,
  },
  (view: ContractView) => {
    const { closingKind, closingTxid, payouts, role } = view;
    const broadcast = BROADCAST.has(view.status);
    return {
      type: 'dlc' as const,
      oracle: view.oracleIds[0] as string,
      oracles: [...view.oracleIds],
      warnings: warningsOf(view),
      outcomes: payouts.map(({ outcome }) => outcome),
      payouts:
        payouts.length === 0
          ? null
          : Object.fromEntries(payouts.map(({ outcome, offerSats }) => [outcome, formatBtc(BigInt(offerSats))])),
      descriptor: (view.descriptor ?? null) as z.input<typeof numericDescriptorAnswer> | null,
      custody: role === 'both' ? ('single' as const) : ('shared' as const),
      wallet_id: (view.offerSide ?? view.acceptSide)?.walletId ?? null,
      counterparty_wallet_id: role === 'both' ? (view.acceptSide?.walletId ?? null) : null,
      funding_txid: broadcast ? view.fundingTxid : null,
      funding_vout: broadcast ? view.fundingVout : null,
      cet_txid: closingKind === 'cet' ? closingTxid : null,
      refund_txid: closingKind === 'refund' ? closingTxid : null,
      fee_rate: view.feeRateSatVb.toString(),
      policy: view.policy as z.input<typeof verdict> | null,
    };
  },
);

/** In lists: messages have megabytes. */
export const listedContract = {
  ...contract,
  present: (view: ContractView) => contract.present({ ...view, messages: {} }),
};
