/** What came after a place in the sequence: each record once, as it is now, or each event. */
import { CHANNELS, type EventChannel } from '../../core/events/channels.ts';
import { eventTypeOf } from '../../core/events/event-types.ts';
import type { StoredEvent } from '../../store/records.ts';
import type { Change as ChangeRow } from '../../store/repositories/events.ts';
import type { Repositories } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { concerns, type Json, refOf, rowOf } from '../webhooks/webhook-messages.ts';
import { type Change, createAnswerPart, type Part } from './sync-answer.ts';
import type { SyncView } from './sync-cursor.ts';
import type { SyncRecords } from './sync-records.ts';

/** Events read in one statement of each channel, and looked at for one answer: most of them may be of records that changed again. */
const PAGE = 200;
const LOOKED_AT = 200;
/** Of each device, for how far it is behind. */
const MOST_WAITING = 50;

type Read = Pick<Repositories, 'events' | 'ledger' | 'transactions'>;
interface Asked {
  readonly limit: number;
  readonly history: boolean;
}

export function createChanges({ read, records }: { read: Read; records: SyncRecords }) {
  /** In order. Without the history blocks are left out, and deposits: the transaction's own event is beside each. */
  async function eventsAfter(
    { accountId, channels }: SyncView,
    seq: bigint,
    history: boolean,
    most = PAGE,
  ): Promise<ChangeRow[]> {
    const found: ChangeRow[] = [];
    for (const channel of channels) {
      if (!history && (channel === 'blocks' || channel === 'deposits')) continue;
      if (channel !== 'blocks') found.push(...(await read.events.changesAfter(accountId, channel, seq, most)));
      else
        for (const one of await read.events.forAllAfter(seq, most, channel)) found.push({ ...one, superseded: false });
    }
    return found.sort((a, b) => (a.seq < b.seq ? -1 : 1)).slice(0, most);
  }

  const recordOf = async (channel: EventChannel, update: Json, context: RequestContext): Promise<Json | null> =>
    CHANNELS[channel].record === null ? null : records.find(channel, refOf(channel, update), context);

  async function changeOf(event: StoredEvent, view: SyncView, history: boolean, context: RequestContext) {
    const row = rowOf(event);
    const update = row.data as unknown as Json;
    const record = await recordOf(event.channel, update, context);
    // Its signatures have given it another id, under which an event comes later.
    if (!history && record !== null && 'txid' in update && record.txid !== update.txid) return null;
    const data = history ? { ...record, ...update } : (record ?? update);
    if (event.channel !== 'blocks' && !(await concerns(read, view, data))) return null;
    const { seq, retractsSeq } = event;
    return { seq, type: eventTypeOf(row), data, ...(retractsSeq !== null && { retracts: retractsSeq }) };
  }

  /** The tip as it is, in place of the blocks in (after, upTo]; null where there are none. */
  async function tipChange(after: bigint, upTo: bigint): Promise<Change | null> {
    const seq = await read.events.lastForAll('blocks', after, upTo);
    return seq === null ? null : tipAt(read, seq);
  }

  return {
    async since(view: SyncView, seq: bigint, { limit, history }: Asked, context: RequestContext): Promise<Part> {
      const end = await read.events.lastSeq();
      const part = createAnswerPart(limit, context.signal);
      let covered = seq;
      let hasMore = false;
      for (let looked = 0, page = PAGE; page === PAGE && !hasMore; looked += page) {
        const events = await eventsAfter(view, covered, history);
        page = events.length;
        for (const event of events) {
          hasMore = part.room() <= 0;
          if (hasMore) break;
          const isPassed = event.superseded && !history;
          await part.add(isPassed ? null : await changeOf(event, view, history, context));
          covered = event.seq;
        }
        hasMore ||= page === PAGE && looked + page >= LOOKED_AT;
      }
      if (!hasMore && end > covered) covered = end;
      const tip = history ? null : await tipChange(seq, covered);
      return { changes: tip === null ? part.changes : [...part.changes, tip], next: { seq: covered }, hasMore };
    },
    /** How many changes wait after `seq`, among the first events, and when the first was written; null: none do. */
    async waiting(view: SyncView, seq: bigint): Promise<{ count: number; since: number | null }> {
      const waiting = (await eventsAfter(view, seq, false, MOST_WAITING)).filter((event) => !event.superseded);
      return { count: waiting.length, since: waiting[0]?.createdAt ?? null };
    },
  };
}

/** The chain's tip as a change. */
export async function tipAt(read: Pick<Repositories, 'ledger'>, seq: bigint): Promise<Change | null> {
  const tip = await read.ledger.tip();
  if (tip === null) return null;
  const { height, hash, time: timestamp } = tip;
  return { seq, type: 'block.connected', data: { height, hash, timestamp } };
}
