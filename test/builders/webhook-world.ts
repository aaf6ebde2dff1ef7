/** Webhooks on a store, without the rest of the service: accounts with a key each, events, and the worker. */
import { onTestFinished } from 'vitest';
import type { AccountId } from '../../src/core/ids.ts';
import { createSending } from '../../src/engines/sending/create-sending.ts';
import type { Sending } from '../../src/engines/sending/sending.ts';
import { createWebhooks } from '../../src/services/webhooks/index.ts';
import type { WebhookRecord } from '../../src/store/repositories/webhooks.ts';
import type { Store } from '../../src/store/store.ts';
import { accountRecord, apiKeyRecord, webhookRecord } from './store-records.ts';
import { silent } from './stores.ts';

export interface WebhookParts {
  readonly clock?: () => number;
  readonly sending?: Pick<Sending, 'http'>;
  readonly timeoutMs?: number;
}

/** Not started; `keys` open the secrets of every other one on the same store. */
const createWorldWebhooks = (store: Store, { clock = Date.now, sending, timeoutMs = 2_000 }: WebhookParts = {}) =>
  createWebhooks({
    ...{ store, clock, timeoutMs, log: silent, network: 'regtest', records: {}, random: () => 0 },
    sending: (sending as Sending) ?? createSending({ allowedNetworks: ['127.0.0.0/8'] }),
    secretsKey: Buffer.alloc(32, 1),
    signingKey: Buffer.alloc(32, 2),
    randomBytes: (size) => Buffer.alloc(size, 7),
    roundMs: 10,
  });

/** Started; ends with the test. */
export function startWebhooks(store: Store, parts: WebhookParts = {}) {
  const made = createWorldWebhooks(store, parts);
  made.worker.start();
  onTestFinished(() => made.worker.stop());
  return made;
}

export const withAccounts = (store: Store, ...accounts: AccountId[]): Promise<void> =>
  store.write(async (tx) => {
    for (const accountId of accounts) {
      await tx.accounts.insert(accountRecord(accountId));
      const prefix = accountId.slice(-8).padEnd(8, 'x');
      const rights = { role: 'admin', scopes: ['*'] } as const;
      await tx.apiKeys.insert(apiKeyRecord({ accountId, keyId: `key_${accountId}`, prefix, ...rights }));
    }
  });

/** A webhook of the account's key, with a secret. */
export async function insertWebhook(
  store: Store,
  webhookId: string,
  patch: Partial<WebhookRecord> & { accountId: AccountId; url: string },
): Promise<string> {
  const { secret, secrets } = createWorldWebhooks(store).keys.newSecret(webhookId, {
    makerKind: 'api_key',
    makerId: `key_${patch.accountId}`,
  });
  const made = { makerId: `key_${patch.accountId}`, secrets, nextAt: 0 };
  await store.write((tx) => tx.webhooks.insert(webhookRecord(webhookId, { ...made, ...patch })));
  return secret;
}

/** Security events with these targets. */
export const tell = (store: Store, accountId: AccountId, ...targets: string[]): Promise<unknown> =>
  store.write((tx) =>
    tx.events.appendMany(
      targets.map((target) => {
        const credential = { kind: 'api_key', id: 'key_one' };
        const data = { notice: 'key_created', operation: 'api-key.create', target, credential };
        return { accountId, channel: 'security' as const, ref: target, data };
      }),
    ),
  );

export const numbers = (count: number, from = 0): string[] => Array.from({ length: count }, (_, at) => `n${from + at}`);
