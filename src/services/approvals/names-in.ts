/** What the account calls the wallets and payees of an approval, beside its text: names change, and no signature covers them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Rights } from '../../core/access.ts';
import type { AccountId, WalletId } from '../../core/ids.ts';
import type { ApprovalText } from '../../core/policies/approval-text.ts';
import type { ApprovalRecord } from '../../store/repositories/approvals.ts';
import type { Repositories } from '../../store/store.ts';
import { isAllowed } from './asked-by.ts';

export interface ApprovalNames {
  /** By their ids. */
  readonly wallets: Readonly<Record<string, string>>;
  /** Outputs that pay an effective entry of the address book. */
  readonly payees: readonly { readonly address: string; readonly addressBookId: string; readonly name: string }[];
}

/** Scripts that one statement looks up. */
const AT_ONCE = 100;

/** The members of all kinds that name a wallet or an output. */
interface Named {
  readonly wallet_id?: string;
  readonly wallets?: { readonly offer: string | null; readonly accept: string | null };
  readonly coins?: readonly { readonly wallet_id: string }[];
  readonly contract?: { readonly sides?: readonly { readonly wallet_id: string }[] };
  readonly outputs?: readonly { readonly script: string; readonly address: string | null; readonly own: boolean }[];
}

/** Those that a credential may read: of wallets, and of the address book. */
export async function namesIn(
  read: Pick<Repositories, 'wallets' | 'addressBook'>,
  { accountId, text }: Pick<ApprovalRecord, 'accountId' | 'text'>,
  rights: Pick<Rights, 'role' | 'scopes'>,
  now: number,
): Promise<ApprovalNames> {
  // A text may have two megabytes.
  await nextTurn();
  const signs = (JSON.parse(text) as Pick<ApprovalText, 'signs'>).signs as Named;
  const may = (scope: string) => isAllowed(rights, { scope, role: 'viewer' });
  return {
    wallets: may('wallets:read') ? await walletsIn(read, accountId, signs) : {},
    payees: may('address-book:read') ? await payeesIn(read, accountId, signs, now) : [],
  };
}

async function walletsIn(read: Pick<Repositories, 'wallets'>, accountId: AccountId, signs: Named) {
  const { wallet_id, wallets, coins = [], contract } = signs;
  const sides = [...coins, ...(contract?.sides ?? [])].map((one) => one.wallet_id);
  const ids = new Set([wallet_id, wallets?.offer, wallets?.accept, ...sides].filter((id) => id != null));
  const found = await read.wallets.findByIds(accountId, [...ids] as WalletId[]);
  return Object.fromEntries(found.map(({ walletId, name }) => [walletId, name]));
}

async function payeesIn(
  read: Pick<Repositories, 'addressBook'>,
  accountId: AccountId,
  { outputs = [] }: Named,
  now: number,
) {
  const paid = new Map(outputs.flatMap(({ script, address, own }) => (own || !address ? [] : [[script, address]])));
  const scripts = [...paid.keys()];
  const payees: ApprovalNames['payees'][number][] = [];
  for (let at = 0; at < scripts.length; at += AT_ONCE) {
    await nextTurn();
    for (const { scriptPubKey, entryId, name } of await read.addressBook.entriesFor(
      accountId,
      scripts.slice(at, at + AT_ONCE),
      now,
    ))
      payees.push({ address: paid.get(scriptPubKey)!, addressBookId: entryId, name });
  }
  return payees;
}
