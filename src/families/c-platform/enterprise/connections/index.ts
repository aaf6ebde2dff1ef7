import type { ConnectionService } from '../../../../services/connections/connection-service.ts';
import type { WebhookService } from '../../../../services/webhooks/webhook-service.ts';
import { createConnection } from './create-connection.ts';
import { deleteConnection } from './delete-connection.ts';
import { getConnection } from './get-connection.ts';
import { listConnection } from './list-connection.ts';
import { updateConnection } from './update-connection.ts';

export const connectionOperations = (connections: ConnectionService, webhooks: WebhookService) => [
  createConnection(connections, webhooks),
  listConnection(connections),
  getConnection(connections),
  updateConnection(connections),
  deleteConnection(connections),
];
