/** The message about an event, made at delivery from the record as it is then. */

import type { EventChannel } from '../../core/events/channels.ts';
import { EVENT_TYPES, type EventType, eventTypeOf, type TypedRow } from '../../core/events/event-types.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Txid } from '../../core/outpoint.ts';
import { deliveryIdOf } from '../../core/webhooks/delivery.ts';
import type { SignedMessage } from '../../core/webhooks/webhook-signature.ts';
import type { StoredEvent } from '../../store/records.ts';
import type { WebhookRecord } from '../../store/repositories/webhooks.ts';
import type { Store } from '../../store/store.ts';
import type { WebhookRights } from './webhook-rights.ts';

type Json = Readonly<Record<string, unknown>>;
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

export function rowOf({ channel, data, retractsSeq }: StoredEvent): TypedRow {
  return { channel, data: JSON.parse(data), retracts: retractsSeq !== null } as TypedRow;
}

export function createWebhookMessages(deps: { store: Pick<Store, 'read'>; records: EventRecords; network: string }) {
  const { store, records, network } = deps;

  /** A transaction concerns each wallet that pays or is paid. */
  async function concerns({ wallets, accountId }: WebhookRecord, data: Json): Promise<boolean> {
    if (wallets === null) return true;
    const concerned = [data.wallet_id, data.counterparty_wallet_id];
    if (data.txid !== undefined) {
      const effects = await store.read.transactions.effects(accountId, data.txid as Txid);
      concerned.push(...effects.map(({ walletId }) => walletId));
    }
    return wallets.some((wallet) => concerned.includes(wallet));
  }

  async function dataOf(event: StoredEvent, type: EventType, reader: Reader): Promise<Json> {
    const update = rowOf(event).data as unknown as Json;
    const { record } = EVENT_TYPES[type];
    const read = record === null ? undefined : records[record];
    return { ...(await read?.(String(update[REFS[event.channel] ?? '']), reader)), ...update };
  }

  const bodyOf = (webhook: WebhookRecord, event: { type: string; at: number; seq: bigint | null; data: Json }) => ({
    ...{ type: event.type, timestamp: new Date(event.at).toISOString() },
    seq: event.seq === null ? null : Number(event.seq),
    ...{ account_id: webhook.accountId, webhook_id: webhook.webhookId, network, data: event.data },
  });

  return {
    /** null if it concerns none of the webhook's wallets. */
    async of(webhook: WebhookRecord, event: StoredEvent, rights: WebhookRights): Promise<EventMessage | null> {
      const { webhookId } = webhook;
      const type = eventTypeOf(rowOf(event));
      const data = await dataOf(event, type, { accountId: webhook.accountId, ...rights });
      if (!(await concerns(webhook, data))) return null;
      const { seq, createdAt: at, retractsSeq } = event;
      const body = {
        ...bodyOf(webhook, { type, at, seq, data }),
        ...(retractsSeq !== null && { retracts: Number(retractsSeq) }),
      };
      return { id: deliveryIdOf(webhookId, seq), seq, type, body: Buffer.from(JSON.stringify(body)) };
    },
    /** A message about no event, to test an endpoint. */
    test: (webhook: WebhookRecord, id: string, at: number): SignedMessage => ({
      id,
      body: Buffer.from(JSON.stringify(bodyOf(webhook, { type: 'webhook.test', at, seq: null, data: { test: true } }))),
    }),
  };
}

export type WebhookMessages = ReturnType<typeof createWebhookMessages>;
