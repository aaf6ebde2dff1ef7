/** From what is asked to what the rules look at: who is paid outside, by whom, and whom the account knows of them. */
import type { Role } from '../../core/access.ts';
import type { WalletId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import type { AccountRules } from '../../core/policies/account-rules.ts';
import type { Payee, Spending, SpendingOperation } from '../../core/policies/policy.ts';
import { isUnspendable } from '../../core/relay-policy/standard-scripts.ts';
import type { Repositories } from '../../store/store.ts';
import { addressOfScript } from '../ledger/script-address.ts';
import type { CredentialKind } from '../requests/request-context.ts';

/** Who spends: a person, or a credential that counts as nobody. */
export interface Asker {
  readonly accountId: string;
  readonly userId: string | null;
  readonly credentialId: string;
  readonly role: Role;
  readonly kind: CredentialKind;
}

export interface Paid {
  /** hex; null: nobody's here, and known by its address alone. */
  readonly scriptPubKey: string | null;
  /** Where it is known already; else it follows from the script. */
  readonly address?: string;
  /** The account's wallet that gets it, where that is known without a script. */
  readonly walletId?: WalletId;
  readonly amountSats: bigint;
}

/** What is to be done with whose coins. */
export interface Asked {
  readonly operation: SpendingOperation;
  /** What it is besides. */
  readonly also?: SpendingOperation;
  /** null where no wallet is concerned. */
  readonly wallet: { readonly walletId: WalletId; readonly network: Network } | null;
  /** All that it pays, but for its change. */
  readonly pays: readonly Paid[];
  /** Of a bump or cancellation: what it adds. */
  readonly feeSats: bigint;
}

/** Wallets of the account by the scripts they hold. */
export type Owners = ReadonlyMap<string, readonly { readonly walletId: WalletId }[]>;

/** Entries of the account's address book that are effective at this time, by address. */
export type EntriesOf = (
  tx: Repositories,
  accountId: string,
  addresses: readonly string[],
  at: number,
) => Promise<ReadonlyMap<string, Payee['entries']>>;

const NO_ENTRIES: Payee['entries'] = [];

export async function spendingOf(
  tx: Repositories,
  asker: Asker,
  { operation, wallet, pays, feeSats }: Asked,
  { rules, owners, entriesOf, at }: { rules: AccountRules; owners: Owners; entriesOf: EntriesOf; at: number },
): Promise<Spending> {
  const inside = new Set<string>([...rules.config.internalWallets, ...(wallet ? [wallet.walletId] : [])]);
  const outside = pays.filter((paid) => leaves(paid, owners, inside));
  const payees = outside.map((paid) => ({ address: addressOf(paid, wallet), amountSats: paid.amountSats }));
  const known = looksAtEntries(rules)
    ? await entriesOf(tx, asker.accountId, [...new Set(payees.map(({ address }) => address))], at)
    : null;
  return {
    operation,
    walletId: wallet?.walletId ?? null,
    asset: 'BTC',
    initiator: { ...asker, groups: rules.groupsOf(asker.userId, asker.credentialId) },
    amountSats: payees.reduce((sum, { amountSats }) => sum + amountSats, 0n),
    feeSats,
    payees: payees.map((payee) => ({ ...payee, entries: known?.get(payee.address) ?? NO_ENTRIES })),
    at,
  };
}

/** A script that a wallet outside holds, too, is outside: its coins can be spent there. Data is paid to nobody. */
function leaves({ scriptPubKey, walletId }: Paid, owners: Owners, inside: ReadonlySet<string>): boolean {
  if (walletId !== undefined) return !inside.has(walletId);
  if (scriptPubKey === null) return true;
  const held = owners.get(scriptPubKey) ?? [];
  if (held.length > 0) return held.some(({ walletId }) => !inside.has(walletId));
  return !isUnspendable(Buffer.from(scriptPubKey, 'hex'));
}

/** One text for one script: bech32 may come in capitals. */
function addressOf({ address, scriptPubKey }: Paid, wallet: Asked['wallet']): string {
  if (address !== undefined) return /^(bc|tb|bcrt)1/i.test(address) ? address.toLowerCase() : address;
  if (scriptPubKey === null || wallet === null) throw new Error('a payee without an address, script or network');
  return addressOfScript(scriptPubKey, wallet.network);
}

export const looksAtEntries = ({ policies }: Pick<AccountRules, 'policies'>): boolean =>
  policies.some(({ enabled, when }) => enabled && when.destinations !== undefined);
