/** The records as they are, part by part; what changes meanwhile comes after the last part, from where the first one began. */
import { eventTypeOf, type TypedRow } from '../../core/events/event-types.ts';
import type { WalletId } from '../../core/ids.ts';
import type { Repositories } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { concerns, type Json } from '../webhooks/webhook-messages.ts';
import { tipAt } from './changes.ts';
import { createAnswerPart, type Part } from './sync-answer.ts';
import type { SnapshotPlace, SyncView } from './sync-cursor.ts';
import { LISTED_CHANNELS, type ListedChannel, type SyncRecords } from './sync-records.ts';

/** Records read at once, which may be large, and pages for one answer: of some wallets most may be passed over. */
const AT_ONCE = 5;
const PAGES = 100;

interface List {
  readonly channel: ListedChannel;
  readonly walletId: WalletId | null;
}

/** Transactions of each wallet, where some are named; the rest is told apart record by record. */
const listsOf = ({ channels, wallets }: SyncView): List[] =>
  LISTED_CHANNELS.filter((channel) => channels.includes(channel)).flatMap((channel): List[] =>
    channel === 'transactions' && wallets !== null
      ? wallets.map((wallet) => ({ channel, walletId: wallet as WalletId }))
      : [{ channel, walletId: null }],
  );

export function createSnapshot(deps: {
  read: Pick<Repositories, 'events' | 'ledger' | 'transactions'>;
  records: SyncRecords;
}) {
  const { read, records } = deps;
  return async function snapshot(
    view: SyncView,
    from: SnapshotPlace,
    limit: number,
    context: RequestContext,
  ): Promise<Part> {
    const { seq } = from;
    const lists = listsOf(view);
    const part = createAnswerPart(limit, context.signal);
    let { list: at, page } = from;
    for (let pages = 0; at < lists.length; pages++) {
      const room = part.room();
      if (room <= 0 || pages === PAGES) return { changes: part.changes, next: { seq, list: at, page }, hasMore: true };
      const { channel, walletId } = lists[at]!;
      const request = { limit: Math.min(AT_ONCE, room), offset: 0, ...(page !== null && { cursor: page }) };
      const { data, nextCursor } = await records.list(channel, walletId, request, context);
      for (const record of data) {
        const isWanted = walletId !== null || (await concerns(read, view, record));
        await part.add(isWanted ? { seq, type: typeOf(channel, record), data: record } : null);
      }
      page = nextCursor;
      if (page === null) at += 1;
    }
    // Beside the limit, as with changes.
    const tip = await tipAt(read, seq);
    const changes = tip === null ? part.changes : [...part.changes, tip];
    return { changes, next: { seq }, hasMore: (await read.events.lastSeq()) > seq };
  };
}

/** The type of the event that made it what it is. */
const typeOf = (channel: ListedChannel, { status }: Json) =>
  eventTypeOf({ channel, data: { status }, retracts: false } as TypedRow);
