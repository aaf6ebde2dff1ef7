/** The message about an event, made at delivery from the record as it is then. */

import type { EventChannel } from '../../core/events/channels.ts';
import { EVENT_TYPES, type EventType, eventTypeOf, type TypedRow } from '../../core/events/event-types.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Txid } from '../../core/outpoint.ts';
import { deliveryIdOf } from '../../core/webhooks/delivery.ts';
import type { SignedMessage } from '../../core/webhooks/webhook-signature.ts';
import type { StoredEvent } from '../../store/records.ts';
import type { WebhookRecord } from '../../store/repositories/webhooks.ts';
import type { Repositories, Store } from '../../store/store.ts';
import type { WebhookRights } from './webhook-rights.ts';

export type Json = Readonly<Record<string, unknown>>;
/** The reader: the account, with these rights. */
export interface Reader extends WebhookRights {
  readonly accountId: AccountId;
}

/** Reads a record as REST answers it, by operation id; null if it no longer exists. */
export type EventRecords = Readonly<Record<string, (ref: string, reader: Reader) => Promise<Json | null>>>;

export interface EventMessage extends SignedMessage {
  readonly seq: bigint;
  readonly type: EventType;
}

/** The member of the update that names its record. */
const REFS: Readonly<Partial<Record<EventChannel, string>>> = {
  transactions: 'txid',
  deposits: 'txid',
  contracts: 'contract_id',
  approvals: 'approval_id',
};

/** What the record of an event is asked for by. */
export const refOf = (channel: EventChannel, update: Json): string => String(update[REFS[channel] ?? '']);

export function rowOf({ channel, data, retractsSeq }: StoredEvent): TypedRow {
  return { channel, data: JSON.parse(data), retracts: retractsSeq !== null } as TypedRow;
}

/** Whether an event with this data concerns one of the wallets; null: all. A transaction concerns each wallet that pays or is paid. */
export async function concerns(
  read: Pick<Repositories, 'transactions'>,
  { wallets, accountId }: Pick<WebhookRecord, 'wallets' | 'accountId'>,
  data: Json,
): Promise<boolean> {
  if (wallets === null) return true;
  const concerned = [data.wallet_id, data.counterparty_wallet_id];
  if (data.txid !== undefined) {
    const effects = await read.transactions.effects(accountId, data.txid as Txid);
    concerned.push(...effects.map(({ walletId }) => walletId));
  }
  return wallets.some((wallet) => concerned.includes(wallet));
}

/** Events up to this number have the id that they were sent with before ids told restored databases apart: of the number alone. */
const OLD_IDS_UNTIL = 'webhooks.old_ids_until';

export function createWebhookMessages(deps: { store: Pick<Store, 'read'>; records: EventRecords; network: string }) {
  const { store, records, network } = deps;
  let oldIdsUntil: bigint | null = null;

  async function idOf(webhookId: string, { seq, createdAt }: StoredEvent): Promise<string> {
    oldIdsUntil ??= BigInt((await store.read.settings.get(OLD_IDS_UNTIL)) ?? 0);
    return deliveryIdOf(webhookId, seq <= oldIdsUntil ? seq : `${seq} ${createdAt}`);
  }

  async function dataOf(event: StoredEvent, type: EventType, reader: Reader): Promise<Json> {
    const update = rowOf(event).data as unknown as Json;
    const { record } = EVENT_TYPES[type];
    const read = record === null ? undefined : records[record];
    return { ...(await read?.(refOf(event.channel, update), reader)), ...update };
  }

  const bodyOf = (webhook: WebhookRecord, event: { type: string; at: number; seq: bigint | null; data: Json }) => ({
    ...{ type: event.type, timestamp: new Date(event.at).toISOString() },
    seq: event.seq === null ? null : Number(event.seq),
    ...{ account_id: webhook.accountId, webhook_id: webhook.webhookId, network, data: event.data },
  });

  /** The record of an event as who has these rights reads it, and its update; null if it concerns none of the wallets. */
  async function readEvent(
    of: Pick<WebhookRecord, 'accountId' | 'wallets'>,
    event: StoredEvent,
    rights: WebhookRights,
  ): Promise<Json | null> {
    const data = await dataOf(event, eventTypeOf(rowOf(event)), { accountId: of.accountId, ...rights });
    return (await concerns(store.read, of, data)) ? data : null;
  }

  return {
    readEvent,
    /** null if it concerns none of the webhook's wallets. */
    async of(webhook: WebhookRecord, event: StoredEvent, rights: WebhookRights): Promise<EventMessage | null> {
      const { webhookId } = webhook;
      const type = eventTypeOf(rowOf(event));
      const data = await readEvent(webhook, event, rights);
      if (data === null) return null;
      const { seq, createdAt: at, retractsSeq } = event;
      const body = {
        ...bodyOf(webhook, { type, at, seq, data }),
        ...(retractsSeq !== null && { retracts: Number(retractsSeq) }),
      };
      return { id: await idOf(webhookId, event), seq, type, body: Buffer.from(JSON.stringify(body)) };
    },
    /** A message that is no event: a test, a notification. */
    standalone: (
      webhook: WebhookRecord,
      id: string,
      about: { type: string; at: number; data: Json },
    ): SignedMessage => ({
      id,
      body: Buffer.from(JSON.stringify(bodyOf(webhook, { ...about, seq: null }))),
    }),
  };
}

export type WebhookMessages = ReturnType<typeof createWebhookMessages>;
