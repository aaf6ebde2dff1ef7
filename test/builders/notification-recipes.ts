/** Notifications for the tests of every operation. */
import { randomUUID } from 'node:crypto';
import type { Json } from './app.ts';
import type { Recipe } from './operation-recipes.ts';
import type { OperationWorld } from './operation-world.ts';

/** To a person of the tenant's, who asks. */
async function sent(world: OperationWorld, more: Json = {}): Promise<{ caller: Json; notification_id: string }> {
  const { userId, caller } = await world.callers.person();
  const made = { channel: 'in_app', to: { user_id: userId }, subject: 'Refilled', body: '**0.5** BTC', ...more };
  const { notification_id } = await world.make('POST', '/api/v1/notifications/send', made);
  return { caller, notification_id };
}

/** Names are an account's own: each has another. */
const newTemplate = (world: OperationWorld): Json => {
  const create = world.operations.find(({ id }) => id === 'notification-template.create')!;
  return { ...(create.example!.body as Json), name: `template-${randomUUID()}` };
};

export const NOTIFICATION_RECIPES: Readonly<Record<string, Recipe>> = {
  'notification.send': async (world) => {
    const { userId } = await world.callers.person();
    return { body: { channel: 'in_app', to: { user_id: userId }, subject: 'Refilled', body: '**0.5** BTC' } };
  },
  ...Object.fromEntries(
    ['get', 'update', 'delete'].map((verb) => [
      `notification-template.${verb}`,
      async (world: OperationWorld) => {
        const { template_id } = await world.make('POST', '/api/v1/notifications/templates', newTemplate(world));
        return { params: { template_id }, ...(verb === 'update' && { body: { name: `template-${randomUUID()}` } }) };
      },
    ]),
  ),
  'notification-template.create': async (world) => ({ body: newTemplate(world) }),
  /** Of a person who has none yet. */
  'mobile-preferences.replace': async (world) => {
    const { caller } = await world.callers.person();
    return { caller, body: { channels: { push: true, email: false }, currency: 'CHF' } };
  },
  'notification.get': async (world) => {
    const { notification_id } = await sent(world);
    return { params: { notification_id } };
  },
  'notification.update': async (world) => {
    const { caller, notification_id } = await sent(world);
    return { params: { notification_id }, caller };
  },
  'notification.delete': async (world) => {
    const tomorrow = new Date(world.now() + 86_400_000).toISOString();
    const { notification_id } = await sent(world, { send_at: tomorrow });
    return { params: { notification_id } };
  },
};
