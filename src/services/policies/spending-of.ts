/** Makes of a request what rules evaluate: the payees outside the account with their address book entries, and the initiator. */
import type { Role } from '../../core/access.ts';
import type { AccountId, WalletId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import type { AccountRules } from '../../core/policies/account-rules.ts';
import type { Listed, Payee, Spending, SpendingOperation } from '../../core/policies/policy.ts';
import type { PaidProposal } from '../../core/policies/signs-text.ts';
import { isUnspendable } from '../../core/relay-policy/standard-scripts.ts';
import { screeningKey } from '../../core/screening/screening-key.ts';
import type { Repositories } from '../../store/store.ts';
import { addressOfScript } from '../ledger/script-address.ts';
import type { CredentialKind } from '../requests/request-context.ts';

/** The initiator: a person, or a credential that counts as itself. */
export interface Asker {
  readonly accountId: AccountId;
  readonly userId: string | null;
  readonly credentialId: string;
  readonly role: Role;
  readonly kind: CredentialKind;
}

export interface Paid {
  /** hex; null: not a script of the account, known by its address alone. */
  readonly scriptPubKey: string | null;
  /** If already known; otherwise derived from the script. */
  readonly address?: string;
  /** The account's wallet that receives it, if known without a script. */
  readonly walletId?: WalletId;
  readonly amountSats: bigint;
}

/** The operation to evaluate. */
export interface Asked {
  readonly operation: SpendingOperation;
  /** A second operation that it also is. */
  readonly also?: SpendingOperation;
  /** null if it concerns no wallet. */
  readonly wallet: { readonly walletId: WalletId; readonly network: Network } | null;
  /** Everything that it pays, except change. */
  readonly pays: readonly Paid[];
  /** Scripts, hex, that it pays as well, or again, and that count nothing: only screening lists are asked about them. */
  readonly screens?: readonly string[];
  /** Of a bump or cancellation: what it adds. */
  readonly feeSats: bigint;
  /** Of a contract with both sides here: the same of the other side. The rules must allow both. */
  readonly counterpart?: Pick<Asked, 'wallet' | 'pays'>;
  /** Of a treasury's payment: who proposed it, who is an initiator besides whoever asks. The rules must allow it of both. */
  readonly proposer?: Asker;
  /** The proposal, as approvers read of it. */
  readonly proposal?: Omit<PaidProposal, 'proposer'>;
}

/** Wallets of the account by the scripts they hold. */
export type Owners = ReadonlyMap<string, readonly { readonly walletId: WalletId }[]>;

/** Entries of the account's address book, by address, and which are not effective at this time. `scriptPubKey`: if known, hex. */
export type EntriesOf = (
  tx: Repositories,
  accountId: AccountId,
  payees: readonly { readonly address: string; readonly scriptPubKey?: string | null }[],
  at: number,
) => Promise<ReadonlyMap<string, Payee['entries']>>;

const NO_ENTRIES: Payee['entries'] = [];

export async function spendingOf(
  tx: Repositories,
  asker: Asker,
  { operation, wallet, pays, screens = [], feeSats }: Asked,
  { rules, owners, entriesOf, at }: { rules: AccountRules; owners: Owners; entriesOf: EntriesOf; at: number },
): Promise<Spending> {
  const inside = new Set<string>([...rules.config.internalWallets, ...(wallet ? [wallet.walletId] : [])]);
  const toScreen = screens.map((scriptPubKey): Paid => ({ scriptPubKey, amountSats: 0n }));
  const outside = pays.filter((paid) => leaves(paid, owners, inside));
  const payees = outside.map((paid) => ({ ...paid, address: addressOf(paid, wallet) }));
  const known = looksAtEntries(rules) ? await entriesOf(tx, asker.accountId, payees, at) : null;
  return {
    operation,
    walletId: wallet?.walletId ?? null,
    asset: 'BTC',
    initiator: { ...asker, groups: rules.groupsOf(asker) },
    amountSats: payees.reduce((sum, { amountSats }) => sum + amountSats, 0n),
    feeSats,
    payees: payees.map(({ address, amountSats }) => ({
      ...{ address, amountSats, entries: known?.get(address) ?? NO_ENTRIES },
    })),
    listed: await listedAmong(tx, asker, rules, [
      ...outside,
      ...toScreen.filter((paid) => leaves(paid, owners, inside)),
    ]),
    at,
  };
}

/** The lists that have one of these payees. */
async function listedAmong(
  tx: Repositories,
  { accountId }: Asker,
  { lists }: AccountRules,
  payees: readonly Paid[],
): Promise<Listed[]> {
  const keys = new Set(payees.flatMap(({ scriptPubKey }) => (scriptPubKey === null ? [] : screeningKey(scriptPubKey))));
  if (lists.size === 0 || keys.size === 0) return [];
  const found = await tx.screeningLists.matching(accountId, [...keys]);
  // One made since the rules were read has raised their version, and is met by the job that commits.
  return found.flatMap(({ listId, address }) => {
    const list = lists.get(listId);
    return list === undefined ? [] : { listId, name: list.name, address };
  });
}

/** A script that another account's wallet also has counts as outside, because its coins can be spent there. Data outputs pay nobody. */
function leaves({ scriptPubKey, walletId }: Paid, owners: Owners, inside: ReadonlySet<string>): boolean {
  if (walletId !== undefined) return !inside.has(walletId);
  if (scriptPubKey === null) return true;
  const held = owners.get(scriptPubKey) ?? [];
  if (held.length > 0) return held.some(({ walletId }) => !inside.has(walletId));
  return !isUnspendable(Buffer.from(scriptPubKey, 'hex'));
}

/** The same text for the same script: bech32 may be in capitals. */
function addressOf({ address, scriptPubKey }: Paid, wallet: Asked['wallet']): string {
  if (address !== undefined) return /^(bc|tb|bcrt)1/i.test(address) ? address.toLowerCase() : address;
  if (scriptPubKey === null || wallet === null) throw new Error('a payee without an address, script or network');
  return addressOfScript(scriptPubKey, wallet.network);
}

export const looksAtEntries = ({ policies }: Pick<AccountRules, 'policies'>): boolean =>
  policies.some(({ enabled, when }) => enabled && when.destinations !== undefined);
