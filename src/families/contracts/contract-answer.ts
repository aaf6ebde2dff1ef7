/** The contract record on the wire. */
import { z } from 'zod';
import { formatBtc } from '../../core/amount.ts';
import { hex } from '../../core/bytes.ts';
import { DIALECTS } from '../../core/dlc/dialect.ts';
import { CONTRACT_STATUSES, type ContractView } from '../../services/contracts/contract-service.ts';
import { amountAnswer, feeRateAnswer, namedObject, timeAnswer } from '../fields.ts';
import { numericDescriptorAnswer } from './numeric-descriptor-field.ts';

const messageAnswer = (what: string) =>
  z
    .string()
    .meta({ description: `${what}, hex` })
    .optional();

/** Wire messages of a contract by name. */
export const messagesAnswer = namedObject('ContractMessages', {
  offer: messageAnswer('dlcspecs message 42778'),
  accept: messageAnswer('dlcspecs message 42780'),
  sign: messageAnswer('dlcspecs message 42782'),
  close: messageAnswer('PSBT of the cooperative close'),
});

export const contractAnswer = namedObject('Contract', {
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
  payouts: z.record(z.string(), amountAnswer).nullable().meta({
    description: "The offerer's share by outcome, BTC; null where the outcome is a number",
  }),
  descriptor: numericDescriptorAnswer.nullable().meta({ description: 'Of a contract on a number' }),
  collateral: amountAnswer,
  offer_collateral: amountAnswer.meta({ description: "The offerer's part of the collateral" }),
  status: z.enum(CONTRACT_STATUSES).meta({
    description:
      'offered, accepted, signed, funded (broadcast), confirmed (1 block), executed (CET broadcast), refunded (refund broadcast), closed (that is confirmed), cancelled, failed',
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
  fee_rate: feeRateAnswer,
  dialect: z.enum(DIALECTS),
  progress: z
    .object({ stage: z.enum(['signing', 'verifying']), done: z.int(), total: z.int() })
    .nullable()
    .meta({ description: 'Adaptor signatures made or verified by now; null while nothing is under way' }),
  reason: z.string().nullable().meta({ description: 'Why it failed, was cancelled, or has not got further' }),
  external_id: z.string().nullable(),
  temporary_contract_id: z.string(),
  dlc_contract_id: z.string().nullable().meta({ description: "dlcspecs' id, from accepted on" }),
  expires_at: timeAnswer
    .nullable()
    .meta({ description: 'Until when the other side is waited for, to accept or to sign: then it is cancelled' }),
  messages: messagesAnswer.meta({
    description:
      'Of a contract with a remote counterparty: what has been said so far. Empty in lists and where both sides are here',
  }),
  created_at: timeAnswer,
  updated_at: timeAnswer,
});

/** From when on the funding transaction is known to the network. */
const BROADCAST: ReadonlySet<string> = new Set(['funded', 'confirmed', 'executed', 'refunded', 'closed']);
const timeOrNull = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

export const presentMessages = (messages: ContractView['messages']): z.input<typeof messagesAnswer> =>
  Object.fromEntries(Object.entries(messages).map(([type, bytes]) => [type, hex(bytes)]));

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

export function presentContract(view: ContractView): z.input<typeof contractAnswer> {
  const { closingKind, closingTxid, payouts } = view;
  const broadcast = BROADCAST.has(view.status);
  return {
    contract_id: view.contractId,
    type: 'dlc',
    oracle: view.oracleIds[0] as string,
    oracles: [...view.oracleIds],
    threshold: view.threshold,
    oracle_proof: view.oracleProof,
    warnings: warningsOf(view),
    event_ids: [...view.eventIds],
    outcomes: payouts.map(({ outcome }) => outcome),
    payouts:
      payouts.length === 0
        ? null
        : Object.fromEntries(payouts.map(({ outcome, offerSats }) => [outcome, formatBtc(BigInt(offerSats))])),
    descriptor: (view.descriptor ?? null) as z.input<typeof numericDescriptorAnswer> | null,
    collateral: formatBtc(view.collateralSats),
    offer_collateral: formatBtc(view.offerCollateralSats),
    status: view.status,
    outcome: view.outcome,
    custody: view.role === 'both' ? 'single' : 'shared',
    role: view.role,
    wallet_id: (view.offerSide ?? view.acceptSide)?.walletId ?? null,
    counterparty_wallet_id: view.role === 'both' ? (view.acceptSide?.walletId ?? null) : null,
    funding_txid: broadcast ? view.fundingTxid : null,
    funding_vout: broadcast ? view.fundingVout : null,
    cet_txid: closingKind === 'cet' ? closingTxid : null,
    refund_txid: closingKind === 'refund' ? closingTxid : null,
    closing_txid: closingTxid,
    cet_locktime: view.cetLocktime,
    refund_locktime: view.refundLocktime,
    fee_rate: view.feeRateSatVb.toString(),
    dialect: view.dialect,
    progress: view.progress && { ...view.progress },
    reason: view.reason,
    external_id: view.externalId,
    temporary_contract_id: view.temporaryContractId,
    dlc_contract_id: view.dlcContractId,
    expires_at: timeOrNull(view.expiresAt),
    messages: presentMessages(view.messages),
    created_at: new Date(view.createdAt).toISOString(),
    updated_at: new Date(view.updatedAt).toISOString(),
  };
}

/** In lists: messages have megabytes. */
export const presentListed = (view: ContractView): z.input<typeof contractAnswer> =>
  presentContract({ ...view, messages: {} });
