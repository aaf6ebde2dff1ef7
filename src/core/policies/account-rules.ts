/** All that an account has set about how its coins move. */
import type { WalletId } from '../ids.ts';
import type { Approvers, Initiator, Listed, Policy } from './policy.ts';

export interface EnterpriseConfig {
  /** How often the account's rules, groups or config have changed; 0 where it never set any. */
  readonly version: number;
  /** What happens where no rule matches. */
  readonly defaultAction: 'allow' | 'deny';
  /** What goes to these wallets counts as not leaving the account. */
  readonly internalWallets: readonly WalletId[];
  /** How long after it was made an entry of the address book becomes effective. */
  readonly addressBookDelayHours: number;
  /** Above which amount data of the travel rule are missed; null: nowhere. */
  readonly travelRule: { readonly thresholdSats: bigint } | null;
  /** What a change of rules waits for; null: nothing. */
  readonly policyChange: {
    readonly required: number;
    readonly from: Approvers;
    readonly expiresInHours: number;
  } | null;
}

export const DEFAULT_CONFIG: EnterpriseConfig = {
  version: 0,
  defaultAction: 'allow',
  internalWallets: [],
  addressBookDelayHours: 0,
  travelRule: null,
  policyChange: null,
};

export interface AccountRules {
  /** By position, also those that are not enabled. */
  readonly policies: readonly Policy[];
  /** Ids of the groups that the person or the credential is in. */
  groupsOf(of: Pick<Initiator, 'userId' | 'credentialId'>): string[];
  readonly config: EnterpriseConfig;
  /** Screening lists, by id. */
  readonly lists: ReadonlyMap<string, Pick<Listed, 'name'>>;
  /** Wallets that only proposals of the account's DAO spend: the treasury, last, and those that were it before. */
  readonly treasuries: readonly WalletId[];
}

export const NO_RULES: AccountRules = {
  ...{ policies: [], groupsOf: () => [], config: DEFAULT_CONFIG, lists: new Map(), treasuries: [] },
};
