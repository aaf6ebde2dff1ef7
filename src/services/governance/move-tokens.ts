/** Tokens as they come, go and change hands: the one place that changes a balance. */
import { DomainError } from '../../core/errors.ts';
import { holderAddress } from '../../core/governance/holder-address.ts';
import { formatTokens, MAX_SUPPLY, NO_TOKENS, type Tokens, tokens } from '../../core/governance/tokens.ts';
import type { AccountId } from '../../core/ids.ts';
import type { DaoRecord, EntryRecord, HolderRecord } from '../../store/repositories/governance.ts';
import type { Repositories } from '../../store/store.ts';

interface Move {
  readonly type: EntryRecord['type'];
  /** A holder's id; undefined: they are made. */
  readonly from?: string;
  /** undefined: they are destroyed. */
  readonly to?: string;
  readonly amount: Tokens;
  readonly reason: string | null;
}

/** One that has never had any. */
export const newHolder = (accountId: AccountId, holderId: string, createdAt: number): HolderRecord => ({
  ...{ accountId, holderId, address: holderAddress(holderId), registrations: 0, balance: NO_TOKENS, createdAt },
});

export function createMoves(clock: () => number) {
  return {
    /** In a job that has the DAO's row. Throws `insufficient_funds`, `too_large`. Answers the entry of whoever gives, or else gets. */
    async move(tx: Repositories, dao: DaoRecord, { type, from, to, amount, reason }: Move): Promise<EntryRecord> {
      const { accountId } = dao;
      const [seq, createdAt] = [dao.seq + 1, clock()];
      async function change(holderId: string, by: bigint, counterpartyId: string | null): Promise<EntryRecord> {
        const holder =
          (await tx.governance.findHolder(accountId, holderId)) ?? newHolder(accountId, holderId, createdAt);
        const balance = tokens(holder.balance + by);
        if (balance < 0n) {
          const message = `${holder.address} has ${formatTokens(holder.balance)} tokens available`;
          throw new DomainError('insufficient_funds', message, { field: 'amount' });
        }
        await tx.governance.putHolder({ ...holder, balance });
        const entry: EntryRecord = {
          ...{ accountId, holderId, seq, type, change: tokens(by), balance, counterpartyId, reason, createdAt },
        };
        await tx.governance.insertEntry(entry);
        return entry;
      }
      const given = from === undefined ? null : await change(from, -amount, to ?? null);
      const got = to === undefined ? null : await change(to, amount, from ?? null);
      const supply = tokens(dao.supply + (from === undefined ? amount : 0n) - (to === undefined ? amount : 0n));
      if (supply > MAX_SUPPLY) {
        const message = `there are ${formatTokens(dao.supply)} tokens, and there can be at most ${formatTokens(MAX_SUPPLY)}`;
        throw new DomainError('too_large', message, { field: 'amount' });
      }
      await tx.governance.updateDao(accountId, { supply, seq });
      const entry = given ?? got;
      if (entry === null) throw new Error('tokens move from somebody or to somebody');
      return entry;
    },
  };
}
