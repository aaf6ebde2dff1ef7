/** A JSON-RPC proxy before a node, through which a test fails or holds single methods: the moments that no kill hits by chance. */
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';

type Fault = 'hold' | 'drop';

export interface RpcProxy {
  readonly url: string;
  /** Calls of `method` never reach the node: held open, or the connection is dropped. */
  fault(method: string, fault: Fault): void;
  heal(): void;
  /** How often each method went through, faults included. */
  calls(method: string): number;
  close(): Promise<void>;
}

/** `target` is the node's URL without userinfo; the caller's Authorization passes through. */
export async function startRpcProxy(target: string): Promise<RpcProxy> {
  const faults = new Map<string, Fault>();
  const counts = new Map<string, number>();
  const held = new Set<ServerResponse>();
  const node = new URL(target);

  const server = createServer((incoming, outgoing) => {
    void readAll(incoming).then((body) => {
      const methods = methodsOf(body);
      for (const method of methods) counts.set(method, (counts.get(method) ?? 0) + 1);
      const fault = methods.map((method) => faults.get(method)).find((found) => found !== undefined);
      if (fault === 'drop') return incoming.socket.destroy();
      if (fault === 'hold') return held.add(outgoing);
      const onward = httpRequest(
        { host: node.hostname, port: node.port, path: incoming.url, method: 'POST', headers: incoming.headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
        },
      );
      onward.on('error', () => incoming.socket.destroy());
      return onward.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');

  return {
    url: `http://127.0.0.1:${address.port}`,
    fault: (method, fault) => void faults.set(method, fault),
    heal: () => {
      faults.clear();
      for (const response of held) response.destroy();
      held.clear();
    },
    calls: (method) => counts.get(method) ?? 0,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function methodsOf(body: Buffer): string[] {
  const call = JSON.parse(body.toString('utf8')) as { method: string } | { method: string }[];
  return (Array.isArray(call) ? call : [call]).map(({ method }) => method);
}
