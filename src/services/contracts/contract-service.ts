/**
 * Discreet Log Contracts. Every method sees the context's account alone; to it, what belongs to another account is `not_found`. What is
 * answered is committed; later steps (signing of many CETs, broadcast, settlement, refund) go on by themselves from what the database
 * holds, and every transition is an update on the `contracts` channel.
 */

import type { StressedTransaction } from '../../core/dlc/contract/fee-stress.ts';
import type { ContractInfo, OracleParams, PayoutFunction, RoundingInterval } from '../../core/dlc/contract-info.ts';
import type { Dialect } from '../../core/dlc/dialect.ts';
import type { Messages } from '../../core/dlc/jobs/message-jobs.ts';
import type { ContractPayouts } from '../../core/dlc/jobs/terms-jobs.ts';
import type { FeeRate } from '../../core/fee-rate.ts';
import type { ContractId, OracleName } from '../../core/ids.ts';
import type { Page, PageRequest, WalletId } from '../../store/records.ts';
import type { ContractFilter, ContractMessageType, ContractRecord } from '../../store/repositories/contract-rows.ts';
import type { Held } from '../approvals/held-answer.ts';
import type { Reading, RequestContext } from '../requests/request-context.ts';

export { CONTRACT_STATUSES } from '../../store/repositories/contract-rows.ts';

/** What is agreed on, whoever funds it: enough for a preview. */
export interface ContractTermsRequest {
  /** Ids of registered oracles, `local` among them; several with `threshold`. */
  readonly oracles: readonly OracleName[];
  readonly threshold?: number | undefined;
  readonly oracleParams?: OracleParams | undefined;
  /** Of each oracle, which announced event; absent: made by the local oracle, else the one announced event that has these outcomes. */
  readonly eventIds?: readonly string[] | undefined;
  /** Enumerated: 2 to 1,000. */
  readonly outcomes?: readonly string[] | undefined;
  /** The offerer's share by outcome; absent: linear from all to nothing. */
  readonly payouts?: ReadonlyMap<string, bigint> | undefined;
  readonly numeric?: NumericTerms | undefined;
  readonly collateralSats: bigint;
  readonly offerCollateralSats?: bigint | undefined;
  readonly feeRateSatVb?: bigint | undefined;
  readonly cetLocktime?: number | undefined;
  readonly refundLocktime?: number | undefined;
  readonly dialect?: Dialect | undefined;
}

export interface NumericTerms {
  readonly digits: number;
  readonly unit: string;
  readonly precision: number;
  readonly payoutFunction: PayoutFunction;
  readonly roundingIntervals: readonly RoundingInterval[];
  /** As the caller wrote it, for the record. */
  readonly written: unknown;
}

export interface ContractRequest extends ContractTermsRequest {
  /** Takes several oracles that neither prove their nonces nor were known before. */
  readonly acceptUnprovenOracles?: boolean | undefined;
  readonly walletId?: WalletId | undefined;
  /** Absent: both sides in the one wallet. */
  readonly counterparty?:
    | { readonly walletId: WalletId }
    | { readonly mode: 'remote'; readonly expiresAt?: number | undefined }
    | undefined;
  readonly externalId?: string | undefined;
}

/** A record as it stands, with what the chain says. */
export interface ContractView extends ContractRecord {
  /** The messages that there are, for contracts with a remote counterparty; empty where not asked for. */
  readonly messages: Partial<Record<ContractMessageType, Uint8Array>>;
  /** While it is open: what is known against its oracles, in words. */
  readonly markedOracles: readonly string[];
}

type CheckVerdict = 'passed' | 'failed' | 'skipped';

/** One thing that was looked at in a contract's messages. */
export interface ContractCheck {
  /** A slug: `cet_adaptor_signatures`, `funding_inputs`, … */
  readonly check: string;
  readonly verdict: CheckVerdict;
  /** Which message it was looked at in. */
  readonly message: ContractMessageType | null;
  readonly index: number | null;
  /** Why it failed or was skipped. */
  readonly reason: string | null;
}

export interface ContractVerification {
  readonly valid: boolean;
  readonly checks: readonly ContractCheck[];
}

/** Where a script of a side is in its wallet. */
export interface BackupPlace {
  readonly change: boolean;
  readonly index: number;
}

/** Which keys of which wallet one side is: enough to find it among restored wallets, and for people to derive the keys by other means. */
export interface BackupSide {
  readonly side: 'offer' | 'accept';
  /** Of the wallet's master key, 8 hex digits. */
  readonly fingerprint: string;
  readonly fundingKey: BackupPlace & { readonly path: string; readonly publicKey: string };
  readonly payout: BackupPlace & { readonly address: string };
  readonly change: BackupPlace & { readonly address: string };
  readonly inputs: readonly (BackupPlace & { readonly txid: string; readonly vout: number })[];
}

/** Settles the contract elsewhere: messages, both sides' signatures in them, announcements, key paths. Holds no private key. */
export interface ContractBackup {
  readonly version: 1;
  readonly network: string;
  readonly contractId: ContractId;
  readonly externalId: string | null;
  readonly role: ContractRecord['role'];
  readonly dialect: Dialect;
  /** As it was. */
  readonly status: ContractRecord['status'];
  /** Wire messages and TLVs in hex. */
  readonly messages: { readonly offer: string; readonly accept: string; readonly sign: string };
  readonly announcements: readonly string[];
  readonly attestations: readonly string[];
  readonly keys: readonly BackupSide[];
  /** Hex; `funding` with its witnesses where both sides' are known, `refund` without. */
  readonly transactions: { readonly funding: string | null; readonly refund: string };
}

type ContractOrTerms = { readonly contractId: ContractId } | { readonly terms: ContractTermsRequest };

export interface ContractService {
  /**
   * One holder: offers, accepts, signs, funds and broadcasts. Small contracts are `funded` in the answer; larger ones go on by themselves,
   * `progress` shows how far. Remote: answers the offer. Throws `not_found` (wallet, oracle), `announcement_missing`, `signing_unavailable`, `unsupported`
   * (legacy wallets: 422 `policy_refused`), `insufficient_funds`, `invalid_value`, `dust`, `fee_too_low`, `already_exists` (external_id).
   */
  create(request: ContractRequest, context: RequestContext): Promise<ContractView>;
  get(contractId: ContractId, context: Reading): Promise<ContractView>;
  /** As in lists: without its messages. Throws `not_found`. */
  getListed(contractId: ContractId, context: Pick<Reading, 'accountId'>): Promise<ContractView>;
  list(filter: ContractFilter, page: PageRequest, context: RequestContext): Promise<Page<ContractView>>;
  messages(contractId: ContractId, context: RequestContext): Promise<Partial<Record<ContractMessageType, Uint8Array>>>;
  /**
   * Settles by an outcome (a number in decimals for numeric ones). Same outcome again: the same record; another: `state_conflict`. Throws
   * `attestation_missing`, `state_conflict` before funding confirmed or before CET finality. Held, with nothing attested or signed, where rules
   * want it approved first.
   */
  execute(contractId: ContractId, request: { outcome: string }, context: RequestContext): Promise<ContractView | Held>;
  /**
   * A foreign offer (bytes of message 42778): checked and kept, `offered`, until it expires; nothing of ours is held yet. Throws
   * `invalid_message`, `contract_refused` naming the check, `invalid_value` (expires_at), `state_conflict` where too many are open.
   */
  receiveOffer(
    request: {
      message: Uint8Array;
      dialect?: Dialect | undefined;
      externalId?: string | undefined;
      /** x-only public keys, hex, of oracles that the account has not registered and trusts by name. */
      acceptOracles?: readonly string[] | undefined;
      /** As of ContractRequest. */
      acceptUnprovenOracles?: boolean | undefined;
      /** Epoch milliseconds. Absent: as long as it makes sense (remote/offer-expiry.ts). */
      expiresAt?: number | undefined;
    },
    context: RequestContext,
  ): Promise<ContractView>;
  /**
   * The accepter makes the accept message, or the offerer takes one (`message`). Throws `contract_refused` naming the check that failed.
   * `expiresAt` (epoch milliseconds): until when the accepter waits for the sign message. Held, where rules want what it takes to sign approved first.
   */
  accept(
    contractId: ContractId,
    request: {
      message?: Uint8Array | undefined;
      walletId?: WalletId | undefined;
      expiresAt?: number | undefined;
    },
    context: RequestContext,
  ): Promise<ContractView | Held>;
  /** The offerer makes the sign message, or the accepter takes one (`message`), signs its inputs and broadcasts. Held, unsigned, where rules want it approved first. */
  sign(
    contractId: ContractId,
    request: { message?: Uint8Array | undefined },
    context: RequestContext,
  ): Promise<ContractView | Held>;
  /** Ends an offer, or what is being signed; after the sign message went out by double-spending a funding input, as long as the funding is unconfirmed. Held, where rules want it approved first. */
  cancel(contractId: ContractId, context: RequestContext): Promise<ContractView | Held>;
  /** After its locktime; the service does it by itself, too. */
  refund(contractId: ContractId, context: RequestContext): Promise<ContractView>;
  /** A child that pays for the funding, the CET or the refund, whichever is unconfirmed. Held where rules want that approved first. */
  cpfp(
    contractId: ContractId,
    request: { feeRateSatVb: bigint },
    context: RequestContext,
  ): Promise<ContractView | Held>;
  /**
   * Cooperative close: proposes how the funding output is split (answers a PSBT with our signature), or takes the other side's proposal
   * (`psbt`), which must pay us `minimumSats` at least, signs and broadcasts. Held, unsigned, where rules want it approved first.
   */
  close(
    contractId: ContractId,
    request: { offerPayoutSats: bigint; feeRateSatVb?: bigint | undefined } | { psbt: string; minimumSats: bigint },
    context: RequestContext,
  ): Promise<{ contract: ContractView; psbt: string | null } | Held>;
  verify(contractId: ContractId, context: RequestContext): Promise<ContractVerification>;
  /**
   * Of messages that have passed every other check: of their points and, where they are given, adaptor signatures. Throws `too_large` where
   * that takes too long, `unavailable` where too many are at it.
   */
  verifySignatures(
    messages: Messages,
    whose: Pick<RequestContext, 'accountId' | 'signal'>,
  ): Promise<readonly ContractCheck[]>;
  backup(contractId: ContractId, context: RequestContext): Promise<ContractBackup>;
  /** Takes a backup in, in a service that has the wallet's keys (by fingerprint): the contract goes on here. */
  restore(
    request: { backup: ContractBackup; walletId?: WalletId | undefined },
    context: RequestContext,
  ): Promise<ContractView>;
  /** Terms as they would be offered: what each outcome pays. */
  terms(request: ContractTermsRequest, context: RequestContext): Promise<ContractInfo>;
  /** What a contract pays, or would of these terms. */
  payouts(of: ContractOrTerms, context: RequestContext): Promise<ContractPayouts>;
  /** The same as an SVG document, of the first event. */
  picture(of: ContractOrTerms, context: RequestContext): Promise<string>;
  /** What its transactions pay, and what children would have to; of terms: between two sides of one input each. */
  fees(of: ContractOrTerms, feeRates: readonly FeeRate[], context: RequestContext): Promise<StressedTransaction[]>;
}
