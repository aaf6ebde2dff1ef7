import type { ConnectionService } from '../../../../services/connections/connection-service.ts';
import { createConnection } from './create-connection.ts';
import { deleteConnection } from './delete-connection.ts';
import { getConnection } from './get-connection.ts';
import { listConnection } from './list-connection.ts';
import { updateConnection } from './update-connection.ts';

export const connectionOperations = (connections: ConnectionService) => [
  createConnection(connections),
  listConnection(connections),
  getConnection(connections),
  updateConnection(connections),
  deleteConnection(connections),
];
