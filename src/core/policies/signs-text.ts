/** The kinds of held requests, with the members that each has in the approval's text. */
import { z } from 'zod';
import { ADDED_FIELDS } from '../payments/added-fields.ts';
import { attestationText } from './attestation-text.ts';
import { aggregated } from './musig-text.ts';

/** The proposal that is carried out. */
const proposal = z.strictObject({ proposal_id: z.string(), title: z.string() });
/** By a payment: whoever proposed it is an initiator, too. */
export const paidProposal = proposal.extend({
  proposer: z.strictObject({ kind: z.string(), id: z.string(), counts_as: z.string().nullable() }),
});
export type PaidProposal = z.infer<typeof paidProposal>;

export const SIGNS = {
  /** A message as a wallet's keys sign it (BIP322; `legacy`: as signmessage of Bitcoin Core), as UTF-8. */
  message: z.strictObject({
    kind: z.literal('message'),
    wallet_id: z.string(),
    address: z.string(),
    format: z.enum(['simple', 'full', 'legacy']),
    message: z.string(),
  }),
  /** What a signer adds to a payment that waits for signatures: the payment as its own approval has it, and what each input gets. */
  signature: z.strictObject({
    kind: z.literal('signature'),
    wallet_id: z.string(),
    unsigned_txid: z.string(),
    transaction: z.string(),
    inputs: z
      .array(z.strictObject({ txid: z.string(), vout: z.int(), amount: z.string(), script: z.string() }))
      .readonly(),
    outputs: z
      .array(
        z.strictObject({ address: z.string().nullable(), amount: z.string(), script: z.string(), own: z.boolean() }),
      )
      .readonly(),
    fee: z.string(),
    added: z
      .array(z.strictObject({ input: z.int(), field: z.enum(ADDED_FIELDS), key: z.string(), sha256: z.string() }))
      .min(1)
      .readonly(),
  }),
  /** A wallet's backup, and whether its seed is in it. `server_bound`: no passphrase opens it, only the service's master key. */
  backup: z.strictObject({
    kind: z.literal('backup'),
    wallet_id: z.string(),
    type: z.string(),
    fingerprint: z.string().nullable(),
    with_seed: z.boolean(),
    server_bound: z.boolean(),
  }),
  /** One that a participant of a MuSig2 session gives (BIP327): for this message, under these keys and nonces, in their order. */
  partial_signature: z.strictObject({
    kind: z.literal('partial_signature'),
    musig_session_id: z.string(),
    public_key: z.string(),
    message: z.string(),
    tweaks: z.array(z.strictObject({ tweak: z.string(), x_only: z.boolean() })),
    taproot: z.strictObject({ merkle_root: z.string().nullable() }).nullable(),
    participants: z.array(z.strictObject({ public_key: z.string(), public_nonce: z.string() })),
    aggregate_key: z.string(),
    aggregate_nonce: z.string(),
    partial_signature_sha256: z.string(),
  }),
  /** What a local oracle signs of an event. */
  attestation: z.strictObject({
    kind: z.literal('attestation'),
    oracle_id: z.string(),
    oracle_public_key: z.string(),
    event_id: z.string(),
    maturity: z.string(),
    announcement: z.string(),
    outcome: z.string(),
    signatures: z.array(z.strictObject({ nonce: z.string(), outcome: z.string(), digest: z.string() })),
  }),
  /** A contract that nothing of ours is signed for ends, and the coins that it holds are free. Nothing is signed. */
  contract_cancel: z.strictObject({
    kind: z.literal('contract_cancel'),
    contract_id: z.string(),
    status: z.string(),
    collateral: z.string(),
    coins: z.array(z.strictObject({ wallet_id: z.string(), txid: z.string(), vout: z.int(), amount: z.string() })),
  }),
  /** A change of who may decide, or by which rules: records as they are answered, before and after. null: made, or deleted. */
  rules_change: z.strictObject({
    kind: z.literal('rules_change'),
    target: z.string().nullable(),
    before: z.record(z.string(), z.unknown()).nullable(),
    after: z.record(z.string(), z.unknown()).nullable(),
    proposal: proposal.optional(),
  }),
} as const;

/** The contract of a transaction that closes it, with our sides of it; of a settlement the outcome, and what local oracles attest for it. */
export const contractStep = z.strictObject({
  contract_id: z.string(),
  /** What each put in, and gets by this transaction, BTC. */
  sides: z
    .array(
      z.strictObject({
        side: z.enum(['offer', 'accept']),
        wallet_id: z.string(),
        put_in: z.string(),
        gets: z.string(),
      }),
    )
    .optional(),
  outcome: z.string().optional(),
  attests: z.array(SIGNS.attestation).optional(),
});
export type ContractStep = z.infer<typeof contractStep>;

/** For kinds with derived members: recomputes them from the others. Throws if the text is not of the kind. */
export const MADE_AGAIN: { readonly [K in HeldText['kind']]?: (signs: Extract<HeldText, { kind: K }>) => HeldText } = {
  attestation: attestationText,
  partial_signature: aggregated,
};

export type HeldText = z.infer<(typeof SIGNS)[keyof typeof SIGNS]>;
