/** Notes of payments, and which output of which of the account's records each is about: at most one note for an output. */
import { sql } from 'kysely';
import type { TransactionStatus } from '../../core/events/statuses.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Txid } from '../../core/outpoint.ts';
import { integer, orNull, type RecordOf, type RowOf, sats, table, text, time } from '../queries/columns.ts';
import { amongTexts, textList } from '../queries/json-lists.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { numberOrNull } from './column-values.ts';

const notesTable = table('transaction_notes', ['noteId'], {
  /** `txn_…` */
  noteId: text(),
  accountId: text<AccountId>(),
  amountSats: sats,
  sender: text(),
  /** An address of bech32 in lower case. */
  recipient: text(),
  /** Of the record that it is linked to; null: none. */
  txid: orNull(text<Txid>()),
  /** Which of that record's outputs of this recipient and amount, from 0. */
  nth: orNull(integer),
  createdAt: time,
  updatedAt: time,
});
export type NoteRecord = RecordOf<typeof notesTable>;
/** What links: notes and outputs of the same account, recipient and amount. */
export type NoteKey = Pick<NoteRecord, 'accountId' | 'recipient' | 'amountSats'>;

declare module '../schema.ts' {
  interface Schema {
    transaction_notes: RowOf<typeof notesTable>;
    /** Every recipient of every record. */
    payment_outputs: { account_id: AccountId; address: string; amount_sats: bigint; txid: string; nth: bigint };
  }
}

const LIVE: readonly TransactionStatus[] = [
  'awaiting_approval',
  'awaiting_signature',
  'signed',
  'broadcast',
  'confirmed',
];

const notes = rowsOf(notesTable);
const unlinked = prepared((db, p: NoteKey) =>
  notes
    .select(db)
    .where('account_id', '=', p.accountId)
    .where('recipient', '=', p.recipient)
    .where('amount_sats', '=', p.amountSats)
    .where('txid', 'is', null)
    .limit(2n),
);
const outputsOf = prepared((db, p: NoteKey) =>
  db
    .selectFrom('payment_outputs')
    .innerJoin('transactions', (join) =>
      join
        .onRef('transactions.txid', '=', 'payment_outputs.txid')
        .onRef('transactions.account_id', '=', 'payment_outputs.account_id'),
    )
    .select(['payment_outputs.txid', 'payment_outputs.nth'])
    .where('payment_outputs.account_id', '=', p.accountId)
    .where('payment_outputs.address', '=', p.recipient)
    .where('payment_outputs.amount_sats', '=', p.amountSats)
    .where('transactions.status', 'in', [...LIVE])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('transaction_notes')
            .select('note_id')
            .whereRef('transaction_notes.account_id', '=', 'payment_outputs.account_id')
            .whereRef('transaction_notes.txid', '=', 'payment_outputs.txid')
            .whereRef('transaction_notes.recipient', '=', 'payment_outputs.address')
            .whereRef('transaction_notes.amount_sats', '=', 'payment_outputs.amount_sats')
            .whereRef('transaction_notes.nth', '=', 'payment_outputs.nth'),
        ),
      ),
    )
    .limit(2n),
);
const outputsOfRecord = prepared((db, p: NoteKey & { txid: string }) =>
  db
    .selectFrom('payment_outputs')
    .select('nth')
    .where('account_id', '=', p.accountId)
    .where('address', '=', p.recipient)
    .where('amount_sats', '=', p.amountSats)
    .where('txid', '=', p.txid),
);
const statesOf = prepared((db, p: { accountId: AccountId; txids: string }, kind) =>
  db
    .selectFrom('transactions')
    .select(['txid', 'status', 'block_height'])
    .where('account_id', '=', p.accountId)
    .where(amongTexts(kind, 'txid', p.txids)),
);

/**
 * In a job: links the only note of its recipient and amount that is linked to nothing to the only such output that no note is linked to. Where
 * either is one of several nobody can tell which belongs to which.
 */
export async function linkNote(session: Session, { accountId, recipient, amountSats }: NoteKey): Promise<void> {
  const key = { accountId, recipient, amountSats };
  const [note, another] = await unlinked.all(session, key);
  if (!note || another) return;
  const [output, more] = await outputsOf.all(session, key);
  if (!output || more) return;
  const linked = { txid: output.txid as Txid, nth: Number(output.nth) };
  await notes.update(session, { accountId, noteId: note.note_id }, linked);
}

const move = prepared((db, p: { accountId: AccountId; from: Txid; to: Txid }) => ({
  compile: () =>
    sql`update transaction_notes set txid = ${p.to} where account_id = ${p.accountId} and txid = ${p.from}
      and exists (select 1 from payment_outputs as paid
        where paid.account_id = transaction_notes.account_id and paid.address = transaction_notes.recipient
          and paid.amount_sats = transaction_notes.amount_sats and paid.txid = ${p.to} and paid.nth = transaction_notes.nth)
      and not exists (select 1 from transaction_notes as other
        where other.account_id = transaction_notes.account_id and other.txid = ${p.to}
          and other.recipient = transaction_notes.recipient and other.amount_sats = transaction_notes.amount_sats
          and other.nth = transaction_notes.nth)`.compile(db),
}));

/** In a job: notes of outputs of a record are of those outputs in what takes its place, if it has them. */
export async function moveNotes(session: Session, accountId: AccountId, from: Txid, to: Txid): Promise<void> {
  await move.run(session, { accountId, from, to });
}

/** How a record stands that a note is linked to. */
export interface NoteState {
  readonly status: TransactionStatus;
  readonly blockHeight: number | null;
}

export function transactionNoteRepository(session: Session) {
  return {
    insert: async (note: NoteRecord) => {
      await notes.insert(session, [note]);
    },
    find: (accountId: AccountId, noteId: string) => notes.find(session, { accountId, noteId }),
    /** Newest first. */
    list: (accountId: AccountId, filter: { txid?: Txid; recipient?: string }, page: PageRequest) =>
      notes.page(session, { name: 'transaction-notes', where: { accountId, ...filter } }, page),
    update: async (accountId: AccountId, noteId: string, patch: Partial<NoteRecord>) => {
      await notes.update(session, { accountId, noteId }, patch);
    },
    delete: async (accountId: AccountId, noteId: string) => {
      await notes.delete(session, { accountId, noteId });
    },
    link: (key: NoteKey) => linkNote(session, key),
    /** As moveNotes. */
    move: (accountId: AccountId, from: Txid, to: Txid) => moveNotes(session, accountId, from, to),
    /** Outputs of the record with this recipient and amount: `nth` of each, and of those that no note is linked to. */
    outputs: async (key: NoteKey, txid: Txid) => {
      const { accountId, recipient, amountSats } = key;
      const all = (await outputsOfRecord.all(session, { accountId, recipient, amountSats, txid })).map(({ nth }) =>
        Number(nth),
      );
      const linked = await notes.all(session, { accountId, recipient, amountSats, txid });
      return { all, free: all.filter((nth) => !linked.some((note) => note.nth === nth)) };
    },
    /** By txid. */
    states: async (accountId: AccountId, txids: readonly Txid[]): Promise<Map<string, NoteState>> => {
      if (txids.length === 0) return new Map();
      const rows = await statesOf.all(session, { accountId, txids: textList(txids) });
      return new Map(
        rows.map(({ txid, status, block_height }) => [
          txid,
          { status: status as TransactionStatus, blockHeight: numberOrNull(block_height) },
        ]),
      );
    },
  };
}
