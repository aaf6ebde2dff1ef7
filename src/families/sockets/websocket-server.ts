import type { IncomingMessage } from 'node:http';
import websocket from '@fastify/websocket';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { fastifyPlugin as fp } from 'fastify-plugin';
import type { WebSocketServer } from 'ws';
import { CLOSE } from './outbox.ts';
import { addSockets, type SocketsDeps } from './sockets.ts';

const LARGEST_MESSAGE_BYTES = 8 * 1024;
/** How long a peer may take to answer a close frame (a slow reader first has to read what lies before it). */
const CLOSE_TIMEOUT_MS = 10_000;
const STOP_WITHIN_MS = 1_000;
const HEARTBEAT_MS = 30_000;

/**
 * The WebSocket server of the process, for every family's sockets: small messages only, a ping every 30 s (a peer that has not
 * answered the one before is dropped), and at shutdown a close frame, then the end.
 */
export const websocketServer = fp(
  async (app, { heartbeatMs = HEARTBEAT_MS, ...deps }: SocketsDeps & { heartbeatMs?: number }) => {
    let heartbeat: NodeJS.Timeout | undefined;
    await app.register(websocket, {
      options: { maxPayload: LARGEST_MESSAGE_BYTES, closeTimeout: CLOSE_TIMEOUT_MS } as { maxPayload: number },
      errorHandler(error, socket, request) {
        // Reset connections and oversized or malformed frames are the peer's doing; ws closes such sockets itself.
        request.log.debug({ err: error }, 'a socket failed');
        if (socket.readyState === socket.OPEN) socket.terminate();
      },
      preClose(done) {
        clearInterval(heartbeat);
        const server = this.websocketServer;
        for (const socket of server.clients) socket.close(CLOSE.goingAway, 'the service is stopping');
        // Without this a stalled peer would hold up the stop.
        setTimeout(() => {
          for (const socket of server.clients) socket.terminate();
        }, STOP_WITHIN_MS).unref();
        server.close();
        done();
      },
    });
    heartbeat = beat(app.websocketServer, heartbeatMs);
    tellHeaders(app);
    endRefused(app);
    addSockets(app, deps);
  },
  { name: 'websocket-server' },
);

/** The answer 101 is the library's own: what the hooks said of the request is put into it. */
function tellHeaders(app: FastifyInstance): void {
  const answers = new WeakMap<IncomingMessage, FastifyReply>();
  app.addHook('preHandler', (request, reply, done) => {
    if (request.ws) answers.set(request.raw, reply);
    done();
  });
  app.websocketServer.on('headers', (lines: string[], request: IncomingMessage) => {
    for (const [name, value] of Object.entries(answers.get(request)?.getHeaders() ?? {}))
      lines.push(`${name}: ${value}`);
  });
}

/** Nobody reads a socket whose upgrade a hook refused: left open it would never end, nor let the service stop. */
function endRefused(app: FastifyInstance): void {
  app.addHook('onResponse', (request, _, done) => {
    const { raw } = request;
    if (!request.ws && (raw as { upgrade?: boolean }).upgrade === true) raw.socket.destroySoon();
    done();
  });
}

function beat(server: WebSocketServer, everyMs: number): NodeJS.Timeout {
  const answered = new WeakSet<object>();
  server.on('connection', (socket) => {
    answered.add(socket);
    socket.on('pong', () => answered.add(socket));
  });
  return setInterval(() => {
    for (const socket of server.clients) {
      if (!answered.delete(socket)) socket.terminate();
      else if (socket.readyState === socket.OPEN) socket.ping();
    }
  }, everyMs).unref();
}
