/** A way to the service that a test can cut: what a client sees when the network between is gone. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  /** Ends all connections, and takes no others until it is mended. */
  cut(): void;
  mend(): void;
  /** The next WebSocket ends behind the first text to the client that matches. Resolves when it has. */
  endNextSocketAfter(text: RegExp): Promise<void>;
  close(): Promise<void>;
}

export async function startTcpProxy(port: number, to: number): Promise<TcpProxy> {
  const open = new Set<Socket>();
  let whole = true;
  let next: { text: RegExp; ended: () => void } | null = null;

  function passOn(here: Socket, there: Socket): void {
    let end: typeof next = null;
    let told = '';
    here.on('data', (data) => {
      if (next !== null && /^upgrade: websocket/im.test(data.toString('latin1'))) {
        end = next;
        next = null;
      }
      there.write(data);
    });
    there.on('data', (data) => {
      const before = told.length;
      if (end !== null) told += data.toString('latin1');
      const found = end?.text.exec(told);
      if (!end || !found) {
        here.write(data);
        return;
      }
      there.destroy();
      here.end(data.subarray(0, found.index + found[0].length - before), end.ended);
    });
    here.on('close', () => there.destroy());
    there.on('close', () => here.end());
  }

  const server = createServer((here) => {
    if (!whole) return here.destroy();
    const there = connect(to, '127.0.0.1');
    for (const socket of [here, there]) {
      open.add(socket);
      socket.on('error', () => {}).on('close', () => open.delete(socket));
    }
    return passOn(here, there);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');

  function cut(): void {
    whole = false;
    for (const socket of open) socket.destroy();
  }
  return {
    cut,
    mend() {
      whole = true;
    },
    endNextSocketAfter: (text) =>
      new Promise((ended) => {
        next = { text, ended };
      }),
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
