/** How notifications reach a recipient. One more channel is one more of these, and its row in core/notifications. */
import type { NotificationChannel, Target } from '../../../core/notifications/notification.ts';
import type { NotificationRecord } from '../../../store/repositories/notifications.ts';

import type { Repositories } from '../../../store/store.ts';
import type { RequestContext } from '../../requests/request-context.ts';

export interface Outgoing {
  readonly notification: NotificationRecord;
  /** A subject, an address or a webhook. */
  readonly recipient: string;
}

export type Outcome =
  | { readonly delivered: true; readonly code: string | null }
  | {
      readonly delivered: false;
      /** What it was answered: an SMTP reply, an HTTP status. null: nothing, which says nothing of this message. */
      readonly code: string | null;
      readonly error: string;
      /** Trying again would not help. */
      readonly isFinal: boolean;
    };

export interface Channel {
  readonly name: NotificationChannel;
  /** False: nothing can be sent, and `needs` says what to set. */
  configured(): boolean;
  readonly needs: string;
  /** Each recipient has servers of their own: one that hangs holds up no other recipient of the queue. */
  readonly haveOwnServers?: boolean;
  /** Who asks may send to it, and it has where to be sent to. Throws otherwise. */
  assertReaches?(read: Repositories, target: Target, context: RequestContext): Promise<void>;
  /** Once after an outage of the whole channel: what failed without an answer is then tried again at once. */
  cameBack?(): boolean;
  /** One attempt. Does not throw for what the other side does; where the signal cuts it short it may. */
  deliver(outgoing: Outgoing, signal: AbortSignal): Promise<Outcome>;
}

export const refusedFor = (error: string, code: string | null = null): Outcome => ({
  ...{ delivered: false, isFinal: true, code, error },
});
