/** The rules under which an account's coins move: what a rule looks at, what it decides, and what it is asked about. */
import type { Role } from '../access.ts';

/** Everything that moves or commits coins, or speaks for a wallet. */
export const SPENDING_OPERATIONS = [
  'payment',
  'bump',
  'cpfp',
  'cancel',
  'signature',
  'contract_offer',
  'contract_accept',
  'contract_sign',
  'contract_execute',
  'contract_close',
  'contract_cancel',
  'contract_cpfp',
  'attest',
  'message',
  'psbt',
  'musig',
  'backup',
] as const;
export type SpendingOperation = (typeof SPENDING_OPERATIONS)[number];

/** Whose spending a window adds up. `initiator`: the person, or the credential that counts as nobody. */
export const WINDOW_SCOPES = ['account', 'wallet', 'initiator', 'destination'] as const;
export type WindowScope = (typeof WINDOW_SCOPES)[number];

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** All conditions that are given must hold. */
export interface PolicyConditions {
  readonly operations?: readonly SpendingOperation[];
  readonly wallets?: readonly string[];
  /** ['BTC'] where not given. */
  readonly assets?: readonly string[];
  /** Any one of these. */
  readonly initiators?: {
    readonly roles?: readonly Role[];
    readonly userIds?: readonly string[];
    readonly apiKeyIds?: readonly string[];
    readonly groups?: readonly string[];
  };
  /** Holds where any payee matches, of a rule that allows where all do. `entries`: ids, `tags`: tags of effective address book entries; `outside`: in none. */
  readonly destinations?: {
    readonly entries?: readonly string[];
    readonly tags?: readonly string[];
    readonly outside?: true;
  };
  /** Holds above this, satoshis. */
  readonly amountOverSats?: bigint;
  readonly window?: {
    readonly hours: number;
    readonly per: WindowScope;
    /** Holds where what was spent in the window, with this, is above. Exactly one of the two. */
    readonly amountOverSats?: bigint;
    readonly countOver?: number;
  };
  /** Holds above either. `shareOfAmount`: millionths of the amount. */
  readonly feeOver?: { readonly shareMillionths?: number; readonly sats?: bigint };
  /** Local time; `from` <= time < `to` ("HH:MM"), past midnight where `to` <= `from`. */
  readonly hours?: {
    readonly timezone: string;
    readonly days?: readonly (typeof WEEKDAYS)[number][];
    readonly from: string;
    readonly to: string;
  };
}

/** Who may approve: anyone that is one of these. */
export interface Approvers {
  readonly roles?: readonly Role[];
  readonly userIds?: readonly string[];
  readonly groups?: readonly string[];
}

export type PolicyAction =
  | { readonly action: 'allow' }
  | { readonly action: 'deny'; readonly message: string }
  | {
      readonly action: 'approve';
      readonly required: number;
      readonly from: Approvers;
      readonly expiresInHours: number;
    };

export interface Policy {
  readonly policyId: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly position: number;
  readonly when: PolicyConditions;
  readonly then: PolicyAction;
}

/** A payee outside the account's own and its internal wallets. */
export interface Payee {
  readonly address: string;
  readonly amountSats: bigint;
  /** Effective entries of the address book with this address. */
  readonly entries: readonly { readonly entryId: string; readonly tags: readonly string[] }[];
}

/** What the rules are asked about. */
export interface Spending {
  readonly operation: SpendingOperation;
  /** null where no wallet is concerned (an attestation). */
  readonly walletId: string | null;
  readonly asset: string;
  readonly initiator: Initiator;
  /** What leaves the account's own and internal wallets, satoshis, without the fee. */
  readonly amountSats: bigint;
  /** Of a bump or cancellation: what it adds. */
  readonly feeSats: bigint;
  readonly payees: readonly Payee[];
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface Initiator {
  /** The person that the credential is of, or counts as; null where it counts as itself. */
  readonly userId: string | null;
  readonly credentialId: string;
  readonly role: Role;
  /** Ids of the groups that the person or the credential is in. */
  readonly groups: readonly string[];
}

/** Whose figures `initiator` windows add up. */
export const initiatorSubject = ({ userId, credentialId }: Initiator): string => userId ?? credentialId;

/** What one scope's subject has spent, without what is being asked about. */
export interface Spent {
  readonly amountSats: bigint;
  readonly count: number;
}

/** What of the past an evaluation reads; `windowsOf` says which it needs. `subject` is '' for the account. */
export type PastSpending = (scope: WindowScope, subject: string, hours: number) => Spent;

/** One rule that matched, with the figures it saw: stands in dry runs and on records. */
export interface MatchedPolicy {
  readonly policyId: string;
  readonly name: string;
  readonly action: PolicyAction['action'];
  /** What matched, by the condition's name on the wire, as text: {"amount_over": "0.5 above 0.1"}. */
  readonly matched: Readonly<Record<string, string>>;
}

/** Votes that are still to be had: one of these for each `approve` rule that matched. */
export interface Requirement {
  readonly policyId: string;
  readonly required: number;
  readonly from: Approvers;
  readonly expiresInHours: number;
}

export interface Verdict {
  readonly action: PolicyAction['action'];
  readonly policies: readonly MatchedPolicy[];
  readonly requirements: readonly Requirement[];
  /** Of the first rule, by position, that denies; null where none does or it has none. */
  readonly message: string | null;
}
