/** The rules of an account for moving its coins: conditions, actions, and the operations that they are evaluated for. */
import type { Role } from '../access.ts';

/** Everything that moves or commits coins, or speaks for a wallet. */
export const SPENDING_OPERATIONS = [
  'payment',
  'treasury_spend',
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
  /** Matches if any payee does; for a rule that allows, if all do. `entries`: ids, `tags`: tags of address book entries; `outside`: in no effective one. */
  readonly destinations?: {
    readonly entries?: readonly string[];
    readonly tags?: readonly string[];
    readonly outside?: true;
  };
  /** Matches if a payee is on one of these lists, or on any; a match that no rule has this condition for is denied. */
  readonly screening?: { readonly lists?: readonly string[] };
  /** Holds above this, satoshis. */
  readonly amountOverSats?: bigint;
  readonly window?: {
    readonly hours: number;
    readonly per: WindowScope;
    /** Matches if the spending in the window, with this operation, is above. Exactly one of the two is set. */
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

/** Who may approve: whoever is one of these. */
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
  /** Entries of the address book with this address. One that is `pending`, not effective yet, is named by rules that deny or want approvals only. */
  readonly entries: readonly { readonly entryId: string; readonly tags: readonly string[]; readonly pending?: true }[];
}

/** A screening list that has a payee. */
export interface Listed {
  readonly listId: string;
  readonly name: string;
  /** The first such address, as the list has it. */
  readonly address: string;
}

/** The operation for which rules are evaluated. */
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
  /** Each list once. A replay knows of none. */
  readonly listed?: readonly Listed[];
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

/** A person has one voice, whatever credentials they hold. `initiator` windows add up by voice. */
export const voiceOf = ({ userId, credentialId }: Pick<Initiator, 'userId' | 'credentialId'>): string =>
  userId ?? credentialId;

/** What one subject of a scope has spent, without the operation that is evaluated. */
export interface Spent {
  readonly amountSats: bigint;
  readonly count: number;
}

/** What a payment or contract adds to a sum of its hour. */
export interface CountedSum extends Spent {
  readonly scope: string;
  /** '' for the account. */
  readonly subject: string;
  /** Hours since the epoch. */
  readonly hour: number;
}

/** The earlier spending that an evaluation reads; `windowsOf` returns which it needs. `subject` is '' for the account. */
export type PastSpending = (scope: WindowScope, subject: string, hours: number) => Spent;

/** One rule that matched, with the figures it saw: part of dry runs and records. */
export interface MatchedPolicy {
  readonly policyId: string;
  readonly name: string;
  readonly action: PolicyAction['action'];
  /** What matched, by the condition's name on the wire, as text: {"amount_over": "0.5 above 0.1"}. */
  readonly matched: Readonly<Record<string, string>>;
}

/** Required votes: one of these for each `approve` rule that matched. */
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
  /** Of the first rule, by position, that denies, or of the list; null where none does or it has none. */
  readonly message: string | null;
  /** Lists that have a payee and that no rule decides: it is denied for them. */
  readonly listed: readonly Listed[];
}
