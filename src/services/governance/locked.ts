/** What of holders' tokens is locked. */
import { lockedOf } from '../../core/governance/tally.ts';
import type { Tokens } from '../../core/governance/tokens.ts';
import type { AccountId } from '../../core/ids.ts';
import type { HolderRecord } from '../../store/repositories/governance.ts';
import type { Repositories } from '../../store/store.ts';

export type HolderTokens = HolderRecord & { readonly locked: Tokens };

export async function allWithLocked(
  _tx: Repositories,
  _accountId: AccountId,
  holders: readonly HolderRecord[],
): Promise<HolderTokens[]> {
  return holders.map((holder) => ({ ...holder, locked: lockedOf(holder, 0n) }));
}

export async function withLocked(tx: Repositories, holder: HolderRecord): Promise<HolderTokens> {
  const [found] = await allWithLocked(tx, holder.accountId, [holder]);
  return found as HolderTokens;
}
