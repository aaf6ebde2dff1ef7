import type { FastifyPluginAsync } from 'fastify';
import { DomainError } from '../../../core/errors.ts';
import type { FanOut } from '../../../events/fan-out.ts';
import { recordUnanswered } from '../../../hooks/refusals/audit-refusals.ts';
import { HttpRefusal } from '../../../hooks/refusals/errors.ts';
import type { RouteDeclaration } from '../../../hooks/register-operations.ts';
import type { AddSeries } from '../../../metrics/series.ts';
import type { RecordRefusal } from '../../../services/audit/record-refusal.ts';
import type { ApiKeyService } from '../../../services/credentials/api-keys.ts';
import type { Caller } from '../../../services/requests/request-context.ts';
import type { AccessTokens } from '../../../services/tokens/access-tokens.ts';
import type { PresentedCredential } from './client-message.ts';
import { type Connection, type ConnectionDeps, openConnection } from './connection.ts';
import { createOpenSockets, SOCKET_BOUNDS, type SocketBounds } from './open-sockets.ts';
import type { SocketMetrics } from './outbox.ts';
import { realtimeSocket } from './realtime-socket.ts';
import { socketSeries } from './socket-series.ts';

export { realtimeSocket } from './realtime-socket.ts';
export { websocketServer } from './websocket-server.ts';

const AUTHENTICATE_WITHIN_MS = 10_000;
const MESSAGES_PER_SECOND = 100;
/** How long an expired credential may go on listening; one that was changed is looked at again at once. */
const RECHECK_EVERY_MS = 5_000;

export interface RealtimeDeps {
  readonly fanOut: FanOut;
  readonly apiKeys: Pick<ApiKeyService, 'verify'>;
  /** Absent: access tokens are refused. */
  readonly accessTokens?: Pick<AccessTokens, 'verify'>;
  /** Absent: failed authentications are answered and not recorded. */
  readonly recordRefusal?: RecordRefusal;
  /** Calls when credentials were changed, in any process. Returns the unsubscribe. */
  readonly onCredentials: (listener: () => void) => () => void;
  /** Absent: each credential hears its own notifications. */
  readonly inboxOf?: ConnectionDeps['inboxOf'];
  readonly clock: () => number;
  readonly authenticateWithinMs?: number;
  readonly messagesPerSecond?: number;
  readonly socketBounds?: SocketBounds;
  readonly recheckEveryMs?: number;
  /** Absent: nobody is shown how many sockets there are. */
  readonly addSeries?: (series: AddSeries) => void;
}

/** Public to the hook layer: a client authenticates by its first message, not by a header. */
const DECLARATION: RouteDeclaration = {
  id: 'realtime.connect',
  family: 'a',
  effect: 'read',
  access: 'public',
  limitClass: 'none',
};

/** `/v1/ws`: live updates of transactions, blocks, contracts and one's own notifications. Needs the websocket-server plugin. */
export const realtime: FastifyPluginAsync<RealtimeDeps> = async (app, deps) => {
  const connections = new Set<Connection>();
  const metrics: SocketMetrics = { open: 0, received: 0, sent: 0 };
  deps.addSeries?.(socketSeries(metrics));
  const sockets = createOpenSockets(deps.socketBounds ?? SOCKET_BOUNDS);

  const recheck = oneAtATime(async () => {
    // One after the other: those that share a key share what was read of it.
    for (const connection of connections) await connection.recheck();
  });
  const rechecks = setInterval(recheck, deps.recheckEveryMs ?? RECHECK_EVERY_MS).unref();
  const unsubscribe = deps.onCredentials(recheck);
  app.addHook('onClose', async () => {
    clearInterval(rechecks);
    unsubscribe();
  });

  app.route({
    method: 'GET',
    url: realtimeSocket.path,
    config: { declaration: DECLARATION },
    handler: async () => {
      throw new HttpRefusal(426, 'unsupported', 'this is a WebSocket: connect with Upgrade: websocket', {
        headers: { upgrade: 'websocket', connection: 'upgrade' },
      });
    },
    wsHandler: (socket, request) => {
      const connection = openConnection(socket, request.ip, {
        fanOut: deps.fanOut,
        verify: (credential, address) => verify(deps, credential, address),
        refused: async (error) => {
          await app.limiter.failedAuthentication(request);
          if (deps.recordRefusal !== undefined) await recordUnanswered(deps.recordRefusal, request, error);
        },
        sockets,
        inboxOf: deps.inboxOf ?? (async ({ credential }) => credential.id),
        clock: deps.clock,
        log: request.log,
        authenticateWithinMs: deps.authenticateWithinMs ?? AUTHENTICATE_WITHIN_MS,
        metrics,
        messagesPerSecond: deps.messagesPerSecond ?? MESSAGES_PER_SECOND,
      });
      connections.add(connection);
      metrics.open++;
      socket.on('message', () => metrics.received++);
      socket.on('close', () => {
        connections.delete(connection);
        metrics.open--;
      });
    },
  });
};

/** Runs work now, or once more after the run under way: that one may have looked too early. */
function oneAtATime(work: () => Promise<void>): () => void {
  let running = false;
  let again = false;
  const run = async () => {
    running = true;
    do {
      again = false;
      await work();
    } while (again);
    running = false;
  };
  return () => {
    again = true;
    if (!running) void run();
  };
}

async function verify(
  { apiKeys, accessTokens }: Pick<RealtimeDeps, 'apiKeys' | 'accessTokens'>,
  credential: PresentedCredential,
  remoteAddress: string,
): Promise<Caller> {
  if ('apiKey' in credential) return apiKeys.verify(credential.apiKey, remoteAddress);
  if (accessTokens === undefined) throw new DomainError('unauthorized', 'access tokens are not taken here');
  return (await accessTokens.verify(credential.accessToken, remoteAddress)).caller;
}
