/** To each subscribed device of a subject that may still read the message's events. A subscription that has ended is removed. */
import { EVENT_TYPE_NAMES, type EventType } from '../../../core/events/event-types.ts';
import type { AccountId } from '../../../core/ids.ts';
import { createLru } from '../../../core/lru.ts';
import type { DeviceRecord } from '../../../store/repositories/devices.ts';
import type { NotificationRecord } from '../../../store/repositories/notifications.ts';
import type { Store } from '../../../store/store.ts';
import { rightsNow } from '../../connections/may-read.ts';
import { deliverable } from '../../webhooks/webhook-rights.ts';
import type { SendPush } from '../push/send-push.ts';
import type { Subscriptions } from '../push/subscriptions.ts';
import { type Channel, type Outcome, refusedFor } from './channel.ts';

/** Deliveries to devices that are remembered while other devices of the same subject are tried again. */
const KEPT = 10_000;

export function createPushChannel(deps: {
  store: Store;
  subscriptions: Pick<Subscriptions, 'of'>;
  /** null where no contact is configured. */
  send: SendPush | null;
  clock: () => number;
}) {
  const { store, subscriptions, send, clock } = deps;
  const { read } = store;
  const taken = createLru<string, true>(KEPT);

  const subscribed = async (accountId: AccountId, subject: string): Promise<DeviceRecord[]> =>
    (await read.devices.devicesOf({ accountId, subject })).filter(({ pushSubscription }) => pushSubscription !== null);

  /** Its login has not ended, and it may read the types of a rule's message. */
  async function mayGet(device: DeviceRecord, { makerKind, data }: NotificationRecord): Promise<boolean> {
    const { accountId, sessionId } = device;
    const session = sessionId === null ? null : await read.sessions.find(accountId, sessionId);
    const isOver = session === null || session.endedAt !== null || session.expiresAt <= clock();
    if (sessionId !== null && isOver) return false;
    if (makerKind === 'service' || typeof data?.rule_id !== 'string')
      return (await rightsNow(read, device, clock())) !== null;
    const types = await typesIn(accountId, data.rule_id, data.type);
    const may = await deliverable(read, { ...device, events: types }, clock());
    return !('reason' in may) && types.every((type) => may.types.has(type));
  }

  /** One type; of a digest, which has several events, all that the rule may send now. */
  async function typesIn(accountId: AccountId, ruleId: string, type: unknown): Promise<EventType[]> {
    const only = EVENT_TYPE_NAMES.find((name) => name === type);
    if (only !== undefined) return [only];
    const rule = await read.notificationRules.find(accountId, ruleId);
    const may = rule && (await deliverable(read, rule, clock()));
    return may && !('reason' in may) ? [...may.types] : [];
  }

  async function deliverTo(
    device: DeviceRecord,
    notification: NotificationRecord,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { notificationId: id, subject, body, data, makerKind } = notification;
    // Others of a group may call theirs the same.
    const key = `${id} ${device.subject} ${device.deviceId}`;
    if (taken.get(key)) return { delivered: true, code: null };
    if (!(await mayGet(device, notification))) return refusedFor(`the device ${device.deviceId} may not be told`);
    const message = { id, subject, body, data: data ?? {}, urgent: makerKind === 'service' };
    const outcome = await send!(subscriptions.of(device)!, message, signal);
    if (outcome.is === 'failed') return { delivered: false, isFinal: false, code: null, error: outcome.error };
    if (outcome.is === 'delivered') {
      taken.set(key, true);
      return { delivered: true, code: null };
    }
    await store.write(async (tx) => {
      const now = await tx.devices.findForUpdate(device);
      // It may have subscribed again meanwhile.
      if (now?.pushSubscription === device.pushSubscription) await tx.devices.setPush(device, null);
    });
    return refusedFor('the push subscription has ended');
  }

  const channel: Channel = {
    name: 'push',
    haveOwnServers: true,
    configured: () => send !== null,
    needs: 'set PUSH_CONTACT, or an https origin in PUBLIC_ORIGINS',
    /** Delivered where one device has taken it and none is to be tried again. */
    async deliver({ notification, recipient }, signal) {
      const devices = await subscribed(notification.accountId, recipient);
      const outcomes = await Promise.all(devices.map((device) => deliverTo(device, notification, signal)));
      const again = outcomes.find((outcome) => !outcome.delivered && !outcome.isFinal);
      const taking = outcomes.find(({ delivered }) => delivered);
      return again ?? taking ?? outcomes[0] ?? refusedFor('no device has a push subscription');
    },
  };
  const hasPush = async (accountId: AccountId, subject: string): Promise<boolean> =>
    send !== null && (await subscribed(accountId, subject)).length > 0;
  return { channel, hasPush };
}
