/** Webhooks for the tests of every operation: to the address that the service may connect to. */
import type { Json } from './app.ts';
import { collectorUrl } from './connection-recipes.ts';
import type { Recipe } from './operation-recipes.ts';
import type { OperationWorld } from './operation-world.ts';
import { eventually } from './service-process.ts';

const WEBHOOKS = '/api/v1/webhooks';
/** An account has at most 100. */
const KEPT = 20;

const aWebhook = async (): Promise<Json> => ({ url: await collectorUrl(), events: ['security.key_created'] });

async function room(world: OperationWorld): Promise<void> {
  const { data } = await world.make('GET', `${WEBHOOKS}?limit=100`);
  for (const { webhook_id } of (data as Json[]).slice(KEPT))
    await world.make('DELETE', `${WEBHOOKS}/${webhook_id}`).catch(() => {});
}

async function made(world: OperationWorld): Promise<string> {
  await room(world);
  return (await world.make('POST', WEBHOOKS, await aWebhook())).webhook_id;
}

const ofWebhook =
  (body?: Json): Recipe =>
  async (world) => ({ params: { webhook_id: await made(world) }, ...(body === undefined ? {} : { body }) });

export const WEBHOOK_RECIPES: Readonly<Record<string, Recipe>> = {
  'webhook.create': async (world) => {
    await room(world);
    return { body: await aWebhook() };
  },
  'webhook.get': ofWebhook(),
  'webhook.update': ofWebhook({ description: 'renamed' }),
  'webhook.delete': ofWebhook(),
  'webhook.test': ofWebhook(),
  'webhook.replay': ofWebhook({ since: '2026-11-20T10:00:00Z' }),
  'webhook-secret.rotate': ofWebhook(),
  'webhook-delivery.list': ofWebhook(),
  'webhook-delivery.redeliver': async (world) => {
    const webhook_id = await made(world);
    await world.make('POST', '/api/v1/api-keys', { name: 'told of', scopes: ['wallets:read'] });
    const { delivery_id } = await eventually('there is a delivery', async () => {
      const { data } = await world.make('GET', `${WEBHOOKS}/${webhook_id}/deliveries`);
      return data[0];
    });
    return { params: { webhook_id, delivery_id } };
  },
};
