import type { Logger } from 'pino';
import type { Sending } from '../../engines/sending/sending.ts';
import type { Store } from '../../store/store.ts';
import type { LogKeys } from '../audit/log-keys.ts';
import type { TreeHeads } from '../audit/tree-heads.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { createConnectionService } from './connection-service.ts';
import { createDeliveries } from './deliveries.ts';
import { createSendEvents } from './send-events.ts';
import { createTryConnection } from './try-connection.ts';
import { createArchive } from './write-segment.ts';

export function createConnections(deps: {
  store: Store;
  box: SecretBox;
  sending: Sending;
  audit: { readonly heads: TreeHeads; readonly keys: LogKeys };
  /** The service's name in syslog messages. */
  hostname: string;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
  log: Pick<Logger, 'info' | 'warn'>;
}) {
  const { audit } = deps;
  const sendEvents = createSendEvents(deps);
  const archive = createArchive({ ...deps, ...audit });
  const deliveries = createDeliveries({ ...deps, sendEvents, archive });
  const tryOut = createTryConnection({ ...deps, sendEvents, archive });
  const connections = createConnectionService({ ...deps, tryOut, onChanged: () => deliveries.worker.wake() });
  return { connections, deliveries };
}
