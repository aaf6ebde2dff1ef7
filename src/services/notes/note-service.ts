/** Notes of payments as requests make, show, change and delete them. They move no coins: a note says who pays whom how much. */
import { foldAddress } from '../../core/address-book/entry-rules.ts';
import { DomainError } from '../../core/errors.ts';
import { type AccountId, newId } from '../../core/ids.ts';
import type { Txid } from '../../core/outpoint.ts';
import type { Page, PageRequest } from '../../store/records.ts';
import type { NoteRecord, NoteState } from '../../store/repositories/transaction-notes.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';

export interface NewNote {
  readonly amountSats: bigint;
  readonly sender: string;
  readonly recipient: string;
  /** Of the record that it is about; undefined: found by recipient and amount. */
  readonly txid?: Txid | undefined;
}
/** With how its record stands; null where it is linked to none. */
export type Note = NoteRecord & { readonly state: NoteState | null };

const noNote = (): DomainError =>
  new DomainError('not_found', 'there is no such transaction note', { field: 'transaction_id' });

async function found(read: Pick<Repositories, 'transactionNotes'>, accountId: AccountId, noteId: string) {
  const note = await read.transactionNotes.find(accountId, noteId);
  if (note === null) throw noNote();
  return note;
}

export function createNotes(deps: { store: Store; clock: () => number; randomBytes: (size: number) => Uint8Array }) {
  const { store, clock, randomBytes } = deps;

  async function withStates(read: Repositories, accountId: AccountId, notes: readonly NoteRecord[]): Promise<Note[]> {
    const txids = new Set(notes.map(({ txid }) => txid).filter((txid) => txid !== null));
    const states = await read.transactionNotes.states(accountId, [...txids]);
    return notes.map((note) => ({ ...note, state: states.get(note.txid ?? '') ?? null }));
  }

  /** Which output of the record that the caller names. Throws `not_found`, `state_conflict`. */
  async function outputOf(tx: Repositories, note: NoteRecord, named: Txid): Promise<Pick<NoteRecord, 'txid' | 'nth'>> {
    const record = await tx.transactions.findShown(note.accountId, named);
    if (record === null) throw new DomainError('not_found', 'there is no such transaction', { field: 'txid' });
    const { all, free } = await tx.transactionNotes.outputs(note, record.txid);
    const [nth] = free;
    if (nth !== undefined) return { txid: record.txid, nth };
    const message =
      all.length === 0
        ? 'the transaction does not pay this amount to this recipient'
        : 'another note is linked to this payment of the transaction';
    throw new DomainError('state_conflict', message, { field: 'txid' });
  }

  /** Writes the note and links it: one note at a time of an account, as payments are. */
  async function write(
    tx: Repositories,
    note: NoteRecord,
    { txid }: NewNote,
    put: (note: NoteRecord) => Promise<void>,
  ): Promise<Note> {
    await put(note);
    if (txid === undefined) await tx.transactionNotes.link(note);
    else await tx.transactionNotes.update(note.accountId, note.noteId, await outputOf(tx, note, txid));
    const written = await found(tx, note.accountId, note.noteId);
    return (await withStates(tx, note.accountId, [written]))[0] as Note;
  }

  return {
    create: (given: NewNote, context: RequestContext): Promise<Note> =>
      store.write(async (tx) => {
        const { accountId } = context;
        await tx.accounts.lock(accountId);
        const at = clock();
        const ids = { noteId: newId('txn', randomBytes), accountId, txid: null, nth: null };
        const note: NoteRecord = { ...ids, ...contentOf(given), createdAt: at, updatedAt: at };
        const result = await write(tx, note, given, tx.transactionNotes.insert);
        await recordRequest(tx, context, { result, target: note.noteId });
        return result;
      }),

    /** Throws `not_found`. */
    get: async (noteId: string, { accountId }: RequestContext): Promise<Note> =>
      (await withStates(store.read, accountId, [await found(store.read, accountId, noteId)]))[0] as Note,

    /** Newest first. */
    async list(
      { txid, recipient }: { txid?: Txid; recipient?: string },
      page: PageRequest,
      { accountId }: RequestContext,
    ): Promise<Page<Note>> {
      const filter = { ...(txid && { txid }), ...(recipient && { recipient: foldAddress(recipient) }) };
      const notes = await store.read.transactionNotes.list(accountId, filter, page);
      return { ...notes, data: await withStates(store.read, accountId, notes.data) };
    },

    /** Looks for the record anew. Throws `not_found`, `state_conflict`. */
    replace: (noteId: string, given: NewNote, context: RequestContext): Promise<Note> =>
      store.write(async (tx) => {
        const { accountId } = context;
        await tx.accounts.lock(accountId);
        const before = await found(tx, accountId, noteId);
        const note: NoteRecord = { ...before, ...contentOf(given), txid: null, nth: null, updatedAt: clock() };
        const result = await write(tx, note, given, (one) => tx.transactionNotes.update(accountId, noteId, one));
        // What it was about may be another's now.
        await tx.transactionNotes.link(before);
        await recordRequest(tx, context, { result, target: noteId });
        return result;
      }),

    /** Throws `not_found`. */
    delete: (noteId: string, context: RequestContext): Promise<void> =>
      store.write(async (tx) => {
        const { accountId } = context;
        await tx.accounts.lock(accountId);
        const before = await found(tx, accountId, noteId);
        await tx.transactionNotes.delete(accountId, noteId);
        await tx.transactionNotes.link(before);
        await recordRequest(tx, context, { result: undefined, target: noteId });
      }),
  };
}
export type NoteService = ReturnType<typeof createNotes>;

const contentOf = ({ amountSats, sender, recipient }: NewNote) => ({
  ...{ amountSats, sender },
  recipient: foldAddress(recipient),
});
