import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { WebhookKeys } from '../../../services/webhooks/webhook-keys.ts';
import { idField } from '../../fields.ts';
import { publicKey, publicKeyExample } from '../../public-key-set.ts';
import { webhookExample } from './webhook-answer.ts';

export const getWebhookKeySet = (keys: Pick<WebhookKeys, 'published'>) =>
  operation({
    id: 'webhook-key-set.get',
    family: 'c',
    method: 'GET',
    path: '/.well-known/webhook-keys.json',
    summary: "The key that an account's webhooks are signed with (v1a)",
    description:
      'RFC 7517. Each account has a key of its own: receivers pin its `kid`, so that no other account of this service can sign to them. The ' +
      'account is `account_id` of every body.',
    tag: 'Webhooks',
    effect: 'read',
    access: 'public',
    query: z.strictObject({ account_id: idField('acc') }),
    success: {
      status: 200,
      description: 'The key set',
      headers: { 'cache-control': 'public, max-age=300' },
      schema: z.object({
        keys: z.array(
          publicKey.extend({ public_key: z.string().meta({ description: 'The same as Standard Webhooks writes it' }) }),
        ),
      }),
    },
    example: {
      query: { account_id: 'acc_3mVb1k7Q2xYt9LpRw0Zc5A' },
      response: {
        keys: [{ ...publicKeyExample, kid: webhookExample.kid, public_key: webhookExample.public_key }],
      },
    },
    run: async ({ query }) => keys.published(query.account_id),
    present: (key) => ({ keys: [key] }),
  });
