import { operation } from '../../../../hooks/operation.ts';
import type { ConnectionService } from '../../../../services/connections/connection-service.ts';
import type { WebhookService } from '../../../../services/webhooks/webhook-service.ts';
import { connected, connectWebhook } from './connect-webhook.ts';
import { triedConnectionExample } from './connection-answer.ts';
import { newConnectionBody, settingsOf } from './connection-fields.ts';

export const createConnection = (connections: ConnectionService, webhooks: WebhookService) =>
  operation({
    id: 'connection.create',
    family: 'c',
    method: 'POST',
    path: '/api/v1/enterprise/connect',
    summary: 'Connect to a log collector, an archive or a webhook',
    description:
      'Tried with a test event: `steps` says how. What failed makes nothing and answers 422 `connection_failed` with the steps. The audit log ' +
      'then follows in order, while the credential that asks here may read it. `webhook` makes a [webhook](/docs/webhooks) and takes what ' +
      'POST /api/v1/webhooks takes, too. See [outgoing connections](/docs/connections).',
    tag: 'Connections',
    effect: 'write',
    changesRules: false,
    access: { scope: 'connections:write', role: 'admin' },
    secretBody: true,
    secretAnswer: true,
    body: newConnectionBody,
    success: { status: 201, answer: connected, description: 'The connection, and how it was tried; or the webhook' },
    errors: ['connection_failed', 'forbidden', 'policy_refused', 'invalid_value', 'unavailable'],
    example: {
      body: { type: 'siem', name: 'log collector', settings: { transport: 'syslog', host: 'logs.example.com' } },
      response: triedConnectionExample,
    },
    run: ({ body }, context) =>
      body.type === 'webhook'
        ? connectWebhook(webhooks, body, context)
        : connections.create({ ...body, ...settingsOf(body.settings) }, context),
  });
