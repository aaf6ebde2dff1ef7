/** Records as REST's lists answer them, for a device. The composition root makes them of the services and the families' answers. */
import type { EventChannel } from '../../core/events/channels.ts';
import type { WalletId } from '../../core/ids.ts';
import type { Page, PageRequest } from '../../store/records.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { Json } from '../webhooks/webhook-messages.ts';

/** Channels whose records a snapshot lists. */
export const LISTED_CHANNELS = ['transactions', 'contracts', 'approvals'] as const satisfies readonly EventChannel[];
export type ListedChannel = (typeof LISTED_CHANNELS)[number];

export interface SyncRecords {
  /** null where it is no longer there, or damaged. */
  find(channel: EventChannel, ref: string, context: RequestContext): Promise<Json | null>;
  /** Newest first; of one wallet only transactions are asked for. */
  list(
    channel: ListedChannel,
    walletId: WalletId | null,
    page: PageRequest,
    context: RequestContext,
  ): Promise<Page<Json>>;
}
