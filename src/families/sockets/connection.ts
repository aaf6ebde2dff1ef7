import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import { scopeAllows } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import { CHANNELS, isOwn, type OfferedChannel } from '../../core/events/channels.ts';
import type { FanOut } from '../../events/fan-out.ts';
import type { Caller } from '../../services/requests/request-context.ts';
import type { ClientMessage } from './client-message.ts';
import { createMessageBudget } from './message-budget.ts';
import type { OpenSockets } from './open-sockets.ts';
import { CLOSE, createOutbox, type SocketMetrics } from './outbox.ts';
import type { ServerMessage } from './server-message.ts';
import { clientError, SocketError } from './socket-error.ts';
import {
  type Listening,
  type ResumePoint,
  resumePoint,
  type Subscription,
  subscribeAnew,
  subscribeFrom,
  subscribeLive,
} from './subscription.ts';

/** Above this many unanswered messages the socket is not read. */
const MAX_WAITING = 32;

/** What one socket says, takes and lets in, of all that a connection can do. */
export interface Dialect<Presented> {
  /** Said at once. */
  readonly greeting?: object;
  /** How a client authenticates: told to one that has not. */
  readonly first: string;
  readonly parse: (text: string) => ClientMessage<Presented>;
  /** Absent: as it is. */
  readonly say?: (message: ServerMessage) => object;
  /** Asked again as long as the connection lasts. Throws DomainError. */
  readonly verify: (credential: Presented) => Promise<Caller>;
  /** Where there is room for one connection: false where it is another's. Absent: a client may show another credential later. */
  readonly seat?: (caller: Caller, credential: Presented) => Promise<boolean>;
  /** Whose notifications a caller hears. */
  readonly inboxOf: (caller: Caller) => Promise<string>;
}

interface ConnectionDeps<Presented> {
  readonly fanOut: FanOut;
  readonly dialect: Dialect<Presented>;
  /** Counts a failed authentication against the address, and records it. Throws `rate_limited` where there are too many: then it does not. */
  readonly refused: (error: DomainError) => Promise<void>;
  readonly sockets: OpenSockets;
  readonly clock: () => number;
  readonly log: Pick<Logger, 'error'>;
  readonly authenticateWithinMs: number;
  readonly messagesPerSecond: number;
  readonly metrics?: SocketMetrics;
}

export interface Connection {
  /** Verifies the credential again; closes with 4401 where it no longer stands, or may no longer listen to what it listens to. */
  recheck(): Promise<void>;
}

/** One client: its messages in order, its subscriptions, and the rules under which it is closed. */
export function openConnection<Presented>(
  socket: WebSocket,
  remoteAddress: string,
  deps: ConnectionDeps<Presented>,
): Connection {
  const { fanOut, dialect, log } = deps;
  const outbox = createOutbox(socket, deps.metrics, dialect.say);
  const budget = createMessageBudget(deps.messagesPerSecond, deps.clock);
  const subscriptions = new Map<OfferedChannel, Subscription>();
  /** null stands for a binary frame. */
  const waiting: (string | null)[] = [];
  const counted = deps.sockets.open(remoteAddress, () => {
    outbox.close(CLOSE.tooMany, 'too many connections wait for their authentication');
    // A peer that does not answer the close frame would keep its descriptor.
    socket.terminate();
  });
  let working = false;
  let identity: { credential: Presented; caller: Caller } | null = null;

  const deadline = setTimeout(() => {
    outbox.close(CLOSE.unauthorized, 'not authenticated in time');
  }, deps.authenticateWithinMs);

  function fail(error: unknown): void {
    const told = clientError(error);
    if (told) {
      outbox.say({ type: 'error', error: told });
      return;
    }
    // What was not delivered can be resumed; a socket that silently lacks something can't.
    log.error({ err: error }, 'a socket was closed by a fault');
    outbox.close(CLOSE.internal, 'internal error: reconnect and resume');
  }

  async function refuse(error: unknown): Promise<never> {
    if (isRefusal(error)) {
      await deps.refused(error).catch((tooMany: Error) => {
        outbox.close(CLOSE.tooMany, 'too many failed authentications from this address');
        throw tooMany;
      });
    }
    throw error;
  }

  async function authenticate(credential: Presented): Promise<void> {
    if (identity && dialect.seat)
      throw new SocketError('invalid_request', 'the connection is authenticated already: open a new one');
    const caller = await dialect.verify(credential).catch(refuse);
    if (identity && identity.caller.accountId !== caller.accountId) {
      throw new SocketError('invalid_request', 'the connection is authenticated for another account: open a new one');
    }
    if (identity && identity.caller.credential.id !== caller.credential.id && [...subscriptions.keys()].some(isOwn)) {
      throw new SocketError(
        'invalid_request',
        `the connection listens to the notifications of ${identity.caller.credential.id}: unsubscribe first, or open a new one`,
      );
    }
    if (!outbox.open) return;
    const tooMany = counted.authenticated(caller);
    if (tooMany !== null) return outbox.close(CLOSE.tooMany, tooMany);
    clearTimeout(deadline);
    if (dialect.seat && !(await dialect.seat(caller, credential)))
      return outbox.close(CLOSE.conflict, 'this credential has another connection open');
    identity = { credential, caller };
    outbox.say({ type: 'authenticated' });
  }

  async function subscribe({
    channel,
    after,
    at,
    times,
  }: Extract<ClientMessage<Presented>, { type: 'subscribe' }>): Promise<void> {
    const { caller } = authenticated();
    const { accountId, credential } = caller;
    const missing = missingScope(caller, channel);
    if (missing !== null) {
      throw new SocketError('forbidden', `this channel needs the scope ${missing}, which the credential does not have`);
    }
    const subject = isOwn(channel) ? await dialect.inboxOf(caller) : credential.id;
    const to = { accountId, channel, subject, times: (times ?? at) !== undefined };
    const point = after === undefined ? null : await resumePoint(fanOut, BigInt(after), at);
    if (!outbox.open) return;
    // A second subscription takes the place of the first, which stays where the second is refused.
    subscriptions.get(channel)?.cancel();
    subscriptions.set(channel, begin(to, point));
  }

  function begin(to: Listening, point: ResumePoint | 'lost' | null): Subscription {
    if (point === null) return subscribeLive(fanOut, to, outbox);
    return point === 'lost' ? subscribeAnew(fanOut, to, outbox) : subscribeFrom(fanOut, to, point, outbox, fail);
  }

  function authenticated(): { caller: Caller } {
    if (identity) return identity;
    throw new SocketError('unauthorized', dialect.first);
  }

  async function handle(text: string): Promise<void> {
    const message = dialect.parse(text);
    switch (message.type) {
      case 'auth':
        return authenticate(message.credential);
      case 'subscribe':
        return subscribe(message);
      case 'unsubscribe':
        authenticated();
        subscriptions.get(message.channel)?.cancel();
        subscriptions.delete(message.channel);
        return outbox.say({ type: 'unsubscribed', channel: message.channel });
      case 'ping':
        return outbox.say({ type: 'pong' });
    }
  }

  /** One message after the other, so that a client may send auth and subscribe at once. */
  async function work(): Promise<void> {
    if (working) return;
    working = true;
    for (let text = waiting.shift(); text !== undefined && outbox.open; text = waiting.shift()) {
      try {
        if (text === null) throw new SocketError('invalid_request', 'binary frames are not taken: send JSON as text');
        await handle(text);
      } catch (error) {
        fail(error);
      }
      if (socket.isPaused && waiting.length < MAX_WAITING) socket.resume();
    }
    working = false;
  }

  function withinBudget(): boolean {
    if (budget.spend()) return true;
    outbox.close(CLOSE.tooMany, `more than ${deps.messagesPerSecond} messages in a second`);
    return false;
  }

  socket.on('message', (data, binary) => {
    if (!outbox.open || !withinBudget()) return;
    waiting.push(binary ? null : String(data));
    if (waiting.length >= MAX_WAITING) socket.pause();
    work().catch(fail);
  });
  socket.on('ping', withinBudget);
  socket.on('close', () => {
    counted.closed();
    clearTimeout(deadline);
    waiting.length = 0;
    for (const subscription of subscriptions.values()) subscription.cancel();
    subscriptions.clear();
  });

  if (dialect.greeting) outbox.greet(dialect.greeting);
  return {
    async recheck() {
      if (!identity || !outbox.open) return;
      try {
        identity.caller = await dialect.verify(identity.credential);
        for (const channel of subscriptions.keys()) {
          const missing = missingScope(identity.caller, channel);
          if (missing !== null) outbox.close(CLOSE.unauthorized, `the credential no longer has the scope ${missing}`);
        }
      } catch (error) {
        if (isRefusal(error)) outbox.close(CLOSE.unauthorized, error.message);
        // Where the database does not answer, the credential stands until it does.
      }
    },
  };
}

const isRefusal = (error: unknown): error is DomainError =>
  error instanceof DomainError && (error.code === 'unauthorized' || error.code === 'forbidden');

/** null where the caller may listen. */
function missingScope({ credential }: Caller, channel: OfferedChannel): string | null {
  const { access } = CHANNELS[channel];
  if (isOwn(channel) && credential.kind === 'person') return null;
  return access === null || scopeAllows(credential.scopes, access.scope) ? null : access.scope;
}
