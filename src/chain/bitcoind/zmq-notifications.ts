import type { Logger } from 'pino';
import { createOutage, type Outage } from '../../outages/outage.ts';
import type { ChainNotification } from '../chain-source.ts';

/** What is used of the optional package `zeromq`; declared here so that it may be absent when this is compiled. */
interface Subscriber extends AsyncIterable<Buffer[]> {
  connect(url: string): void;
  subscribe(...topics: string[]): void;
  close(): void;
  readonly events: { on(event: string, listener: (told: { address: string }) => void): void };
}
interface ZeroMq {
  Subscriber: new (options: Record<string, unknown>) => Subscriber;
}

const PACKAGE = 'zeromq';

/**
 * Subscribes to a node's hashblock and rawtx publications. The socket reconnects by itself, and lost messages do not matter: a notification
 * only makes the follower look sooner. Answers a function that ends it.
 */
export function listenToZmq(
  urls: readonly string[],
  onNotification: (notification: ChainNotification) => void,
  log: Pick<Logger, 'info' | 'warn'>,
): () => void {
  if (urls.length === 0) return () => {};
  let closed = false;
  let socket: Subscriber | null = null;

  async function run(): Promise<void> {
    let zeromq: ZeroMq;
    try {
      zeromq = (await import(PACKAGE)) as ZeroMq;
    } catch {
      log.warn('the optional package zeromq is not installed: the node is polled only');
      return;
    }
    if (closed) return;
    socket = new zeromq.Subscriber({ reconnectInterval: 500, reconnectMaxInterval: 5_000, linger: 0 });
    const outages = new Map(urls.map((url) => [url, outageOf(url)]));
    for (const event of ['connect:retry', 'disconnect']) {
      socket.events.on(event, ({ address }) => {
        if (!closed) outages.get(address)?.began(new Error(`no connection to ${address}`));
      });
    }
    socket.events.on('connect', ({ address }) => outages.get(address)?.ended());
    for (const url of urls) socket.connect(url);
    socket.subscribe('hashblock', 'rawtx');
    for await (const [topic, body] of socket) {
      if (closed) return;
      if (topic?.toString('latin1') === 'hashblock') onNotification({ type: 'block' });
      else if (body) onNotification({ type: 'transaction', raw: body });
    }
  }

  const outageOf = (url: string): Outage =>
    createOutage({
      ...{ part: 'zmq', log, clock: Date.now },
      began: `the node's ZMQ at ${url} is away: it is polled only`,
      ended: `the node's ZMQ at ${url} is back`,
    });

  run().catch((error: unknown) => {
    if (!closed) log.warn({ err: error }, 'the ZMQ subscription ended: the node is polled only');
  });
  return () => {
    closed = true;
    socket?.close();
  };
}
