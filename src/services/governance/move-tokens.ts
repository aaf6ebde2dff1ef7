/** Tokens as they come, go, change hands and are delegated: the one place that changes what a holder has. */
import { DomainError } from '../../core/errors.ts';
import { holderAddress } from '../../core/governance/holder-address.ts';
import { type Holding, NO_HOLDING, powerOf } from '../../core/governance/tally.ts';
import { formatTokens, MAX_SUPPLY, NO_TOKENS, type Tokens, tokens, wholeTokens } from '../../core/governance/tokens.ts';
import type { AccountId } from '../../core/ids.ts';
import type { DaoRecord, EntryRecord, HolderRecord } from '../../store/repositories/governance.ts';
import type { Repositories } from '../../store/store.ts';
import { withLocked } from './locked.ts';

interface Move {
  readonly type: EntryRecord['type'];
  /** A holder's id; undefined: they are made. */
  readonly from?: string;
  /** undefined: they are destroyed. */
  readonly to?: string;
  readonly amount: Tokens;
  readonly reason: string | null;
}

interface Side {
  readonly holderId: string;
  readonly by: Partial<Holding>;
  /** What it must have available. */
  readonly needs: Tokens;
  readonly counterpartyId: string | null;
}

/** One that has never had any. */
export const newHolder = (accountId: AccountId, holderId: string, createdAt: number): HolderRecord => ({
  ...{ accountId, holderId, address: holderAddress(holderId), registrations: 0, entries: 0, ...NO_HOLDING, createdAt },
});

const changed = (holding: Holding, by: Partial<Holding>): Holding => ({
  balance: tokens(holding.balance + (by.balance ?? 0n)),
  delegated: tokens(holding.delegated + (by.delegated ?? 0n)),
  powerOut: holding.powerOut + (by.powerOut ?? 0n),
  powerIn: holding.powerIn + (by.powerIn ?? 0n),
});

export function createMoves(clock: () => number) {
  /** Answers the entry of the first side. */
  async function enter(
    tx: Repositories,
    { accountId, ...dao }: DaoRecord,
    { type, reason }: Pick<Move, 'type' | 'reason'>,
    sides: readonly Side[],
  ): Promise<EntryRecord> {
    const [seq, createdAt] = [dao.seq + 1, clock()];
    const entries: EntryRecord[] = [];
    let { supply, totalPower, holders } = dao;
    for (const { holderId, by, needs, counterpartyId } of sides) {
      const found = await tx.governance.findHolder(accountId, holderId);
      const holder = await withLocked(tx, found ?? newHolder(accountId, holderId, createdAt));
      const available = tokens(holder.balance - holder.locked);
      if (available < needs) {
        const message = `${holder.address} has ${formatTokens(available)} tokens available${holder.locked > 0n ? `; ${formatTokens(holder.locked)} are locked by delegations or by votes on active proposals` : ''}`;
        throw new DomainError('insufficient_funds', message, { field: 'amount' });
      }
      const after = changed(holder, by);
      const change = by.balance ?? NO_TOKENS;
      supply = tokens(supply + change);
      totalPower += powerOf(after) - powerOf(holder);
      const isNew = await tx.governance.putHolder({ ...holder, ...after, entries: holder.entries + 1 });
      holders += Number(isNew);
      entries.push({ ...{ accountId, holderId, seq, type, change, ...after, counterpartyId, reason, createdAt } });
    }
    for (const entry of entries) await tx.governance.insertEntry(entry);
    if (supply > MAX_SUPPLY) {
      const message = `there are ${formatTokens(dao.supply)} tokens, and there can be at most ${formatTokens(MAX_SUPPLY)}`;
      throw new DomainError('too_large', message, { field: 'amount' });
    }
    const counts = { holders, entries: dao.entries + entries.length };
    await tx.governance.updateDao(accountId, { supply, totalPower, seq, ...counts });
    const [entry] = entries;
    if (entry === undefined) throw new Error('tokens move from somebody or to somebody');
    return entry;
  }

  return {
    /** In a job that has the DAO's row. Throws `insufficient_funds`, `too_large`. Answers the entry of whoever gives, or else gets. */
    move: (tx: Repositories, dao: DaoRecord, { from, to, amount, ...move }: Move): Promise<EntryRecord> =>
      enter(tx, dao, move, [
        ...(from === undefined
          ? []
          : [{ holderId: from, by: { balance: tokens(-amount) }, needs: amount, counterpartyId: to ?? null }]),
        ...(to === undefined
          ? []
          : [{ holderId: to, by: { balance: amount }, needs: NO_TOKENS, counterpartyId: from ?? null }]),
      ]),

    /** In such a job, too: `from` delegates to `to`, or takes it back. Throws `insufficient_funds`. */
    delegate: (
      tx: Repositories,
      dao: DaoRecord,
      { type, from, to, amount }: Required<Omit<Move, 'reason'>>,
    ): Promise<EntryRecord> => {
      const given = type === 'delegate' ? amount : tokens(-amount);
      const power = type === 'delegate' ? wholeTokens(amount) : -wholeTokens(amount);
      const needs = type === 'delegate' ? amount : NO_TOKENS;
      return enter(tx, dao, { type, reason: null }, [
        { holderId: from, by: { delegated: given, powerOut: power }, needs, counterpartyId: to },
        { holderId: to, by: { powerIn: power }, needs: NO_TOKENS, counterpartyId: from },
      ]);
    },
  };
}
