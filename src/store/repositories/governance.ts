/** DAOs, who holds tokens of them, and each change of what one holds or delegates. */
import type { Parameters } from '../../core/governance/parameters.ts';
import { type ENTRY_TYPES, type Tokens, tokens } from '../../core/governance/tokens.ts';
import type { AccountId } from '../../core/ids.ts';
import {
  type Column,
  integer,
  json,
  orNull,
  type RecordOf,
  type RowOf,
  table,
  text,
  time,
  whole,
} from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

export const units: Column<Tokens, string> = { load: (stored) => tokens(BigInt(stored)), store: String };

/** A Holding (core/governance/tally.ts). */
const held = { balance: units, delegated: units, powerOut: whole, powerIn: whole };

const daosTable = table('governance_daos', ['accountId'], {
  accountId: text<AccountId>(),
  parameters: json<Parameters>(),
  supply: units,
  /** What all holders together can vote with, in whole tokens: each is counted once. */
  totalPower: whole,
  /** Of the last change: a snapshot is what was at a number. */
  seq: integer,
  /** The highest time at which something of it was decided: a clock that is set back changes none of that. */
  seenAt: time,
  activeProposals: integer,
  /** How many of each there are: of proposals with those that are active, or have passed. */
  proposals: integer,
  passedProposals: integer,
  holders: integer,
  entries: integer,
  createdAt: time,
});
const holdersTable = table('governance_holders', ['holderId'], {
  accountId: text<AccountId>(),
  /** A person, or the API key that its rotations began with. */
  holderId: text(),
  address: text(),
  /** How many addresses it has registered; 0: its address is its id's. */
  registrations: integer,
  /** How many there are of it. */
  entries: integer,
  ...held,
  createdAt: time,
});
const entriesTable = table('governance_entries', ['seq', 'holderId'], {
  accountId: text<AccountId>(),
  holderId: text(),
  seq: integer,
  type: text<(typeof ENTRY_TYPES)[number]>(),
  /** Negative where it was taken away. */
  change: units,
  /** After it. */
  ...held,
  counterpartyId: orNull(text()),
  reason: orNull(text()),
  createdAt: time,
});
export type DaoRecord = RecordOf<typeof daosTable>;
export type HolderRecord = RecordOf<typeof holdersTable>;
export type EntryRecord = RecordOf<typeof entriesTable>;

declare module '../schema.ts' {
  interface Schema {
    governance_daos: RowOf<typeof daosTable>;
    governance_holders: RowOf<typeof holdersTable>;
    governance_entries: RowOf<typeof entriesTable>;
  }
}

const daos = rowsOf(daosTable, 'on conflict (account_id) do nothing');
const holders = rowsOf(holdersTable);
const entries = rowsOf(entriesTable);

const lastUpTo = prepared((db, p: { accountId: AccountId; holderId: string; seq: bigint }) =>
  entries
    .select(db)
    .where('account_id', '=', p.accountId)
    .where('holder_id', '=', p.holderId)
    .where('seq', '<=', p.seq)
    .orderBy('seq', 'desc')
    .limit(1n),
);

export function governanceRepository(session: Session) {
  return {
    /** False where the account has one, whichever process made it. */
    insertDao: async (dao: DaoRecord) => (await daos.insert(session, [dao])) > 0n,
    findDao: (accountId: AccountId) => daos.find(session, { accountId }),
    /** Until the job ends no other job changes anything of it. */
    lockDao: (accountId: AccountId) => daos.findForUpdate(session, { accountId }),
    updateDao: async (accountId: AccountId, patch: Partial<Omit<DaoRecord, 'accountId' | 'createdAt'>>) => {
      await daos.update(session, { accountId }, patch);
    },
    findHolder: (accountId: AccountId, holderId: string) => holders.find(session, { accountId, holderId }),
    findByAddress: (accountId: AccountId, address: string) => holders.find(session, { accountId, address }),
    /** Newest first. */
    holders: ({ accountId, holders: total }: Pick<DaoRecord, 'accountId' | 'holders'>, page: PageRequest) =>
      holders.page(session, { name: 'governance-holders', where: { accountId }, total }, page),
    /** Answers whether it is new. */
    putHolder: async (holder: HolderRecord): Promise<boolean> => {
      const { accountId, holderId } = holder;
      if ((await holders.update(session, { accountId, holderId }, holder)) > 0n) return false;
      await holders.insert(session, [holder]);
      return true;
    },
    insertEntry: async (entry: EntryRecord) => {
      await entries.insert(session, [entry]);
    },
    /** Of a holder, the last up to that change of the DAO: what it had then. */
    entryAt: async (accountId: AccountId, holderId: string, seq: number): Promise<EntryRecord | null> => {
      const found = await lastUpTo.first(session, { accountId, holderId, seq: BigInt(seq) });
      return found && entries.record(found);
    },
    /** Newest first: of one holder, or of all. */
    entries: (
      { accountId, holderId, entries: total }: Pick<DaoRecord, 'accountId' | 'entries'> & { holderId?: string },
      page: PageRequest,
    ) => entries.page(session, { name: 'governance-entries', where: { accountId, holderId }, total }, page),
  };
}
