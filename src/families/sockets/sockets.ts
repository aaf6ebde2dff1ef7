/** What all WebSockets of the process share: how many there are, what they are counted as, and that their credentials are looked at again. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import type { FindOrigin } from '../../core/request-signatures/authorities.ts';
import type { FanOut } from '../../events/fan-out.ts';
import { recordUnanswered } from '../../hooks/refusals/audit-refusals.ts';
import { HttpRefusal } from '../../hooks/refusals/errors.ts';
import type { RouteDeclaration } from '../../hooks/register-operations.ts';
import type { AddSeries } from '../../metrics/series.ts';
import type { RecordRefusal } from '../../services/audit/record-refusal.ts';
import { type Connection, type Dialect, openConnection } from './connection.ts';
import { createOpenSockets, SOCKET_BOUNDS, type SocketBounds } from './open-sockets.ts';
import type { SocketMetrics } from './outbox.ts';
import { socketSeries } from './socket-series.ts';

const AUTHENTICATE_WITHIN_MS = 10_000;
const MESSAGES_PER_SECOND = 100;
/** How long an expired credential may go on listening; one that was changed is looked at again at once. */
const RECHECK_EVERY_MS = 5_000;

export interface SocketsDeps {
  readonly fanOut: FanOut;
  /** Absent: failed authentications are answered and not recorded. */
  readonly recordRefusal?: RecordRefusal;
  /** Calls when credentials were changed, in any process. Returns the unsubscribe. */
  readonly onCredentials: (listener: () => void) => () => void;
  readonly clock: () => number;
  /** What a client's Host stands for. Absent: the service is known by none. */
  readonly originOf?: FindOrigin;
  readonly authenticateWithinMs?: number;
  readonly messagesPerSecond?: number;
  readonly socketBounds?: SocketBounds;
  readonly recheckEveryMs?: number;
  /** Absent: nobody is shown how many sockets there are. */
  readonly addSeries?: (series: AddSeries) => void;
}

/** Who has connected. */
export interface Peer {
  readonly socket: WebSocket;
  readonly address: string;
  /** The service's own that was called; null where the Host is none of them. */
  readonly origin: string | null;
}

/** What a family says of its socket. `declaration` is public to the hook layer: a client authenticates by a message, not by a header. */
export interface SocketRoute<Presented> {
  readonly path: string;
  readonly declaration: RouteDeclaration;
  readonly dialectFor: (peer: Peer) => Dialect<Presented>;
}

declare module 'fastify' {
  interface FastifyInstance {
    addSocket<Presented>(route: SocketRoute<Presented>): void;
  }
}

export function addSockets(app: FastifyInstance, deps: SocketsDeps): void {
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

  function connect<Presented>(socket: WebSocket, request: FastifyRequest, route: SocketRoute<Presented>): void {
    const origin = deps.originOf?.(request.host ?? '') ?? null;
    const connection = openConnection(socket, request.ip, {
      fanOut: deps.fanOut,
      dialect: route.dialectFor({ socket, address: request.ip, origin }),
      refused: async (error) => {
        await app.limiter.failedAuthentication(request);
        if (deps.recordRefusal !== undefined) await recordUnanswered(deps.recordRefusal, request, error);
      },
      sockets,
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
  }

  app.decorate('addSocket', <Presented>(route: SocketRoute<Presented>) => {
    app.route({
      method: 'GET',
      url: route.path,
      config: { declaration: route.declaration },
      handler: async () => {
        throw new HttpRefusal(426, 'unsupported', 'this is a WebSocket: connect with Upgrade: websocket', {
          headers: { upgrade: 'websocket', connection: 'upgrade' },
        });
      },
      wsHandler: (socket, request) => connect(socket, request, route),
    });
  });
}

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
