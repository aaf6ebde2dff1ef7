/** What of holders' tokens is locked. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { lockedOf } from '../../core/governance/tally.ts';
import type { Tokens } from '../../core/governance/tokens.ts';
import type { AccountId } from '../../core/ids.ts';
import type { HolderRecord } from '../../store/repositories/governance.ts';
import type { Repositories } from '../../store/store.ts';

export type HolderTokens = HolderRecord & { readonly locked: Tokens };

/** Each may have voted on every active proposal. */
const AT_ONCE = 5;

export async function withLocked(tx: Repositories, holder: HolderRecord): Promise<HolderTokens> {
  const { accountId, holderId } = holder;
  const cast = await tx.votes.cast(accountId, [holderId]);
  return { ...holder, locked: lockedOf(holder, cast.get(holderId) ?? 0n) };
}

/** Outside of jobs. */
export async function allWithLocked(
  read: Repositories,
  accountId: AccountId,
  holders: readonly HolderRecord[],
): Promise<HolderTokens[]> {
  const shown: HolderTokens[] = [];
  for (let at = 0; at < holders.length; at += AT_ONCE) {
    if (at > 0) await nextTurn();
    const some = holders.slice(at, at + AT_ONCE);
    const cast = await read.votes.cast(
      accountId,
      some.map(({ holderId }) => holderId),
    );
    shown.push(...some.map((holder) => ({ ...holder, locked: lockedOf(holder, cast.get(holder.holderId) ?? 0n) })));
  }
  return shown;
}
