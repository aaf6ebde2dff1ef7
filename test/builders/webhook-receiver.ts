/** An endpoint on loopback: what it gets, checked by the library that receivers use. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Json } from './app.ts';

export interface Received {
  readonly id: string;
  readonly headers: Record<string, string>;
  readonly text: string;
  readonly body: Json;
}

export interface WebhookReceiver {
  readonly url: string;
  /** In order; those that were answered with success alone. */
  readonly taken: Received[];
  /** All that arrived. */
  readonly seen: Received[];
  /** What becomes of each request; unless said 200. */
  answer: (response: ServerResponse, received: Received) => void;
  close(): Promise<void>;
}

const collected = async (request: IncomingMessage): Promise<Received> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const headers = request.headers as Record<string, string>;
  return { id: headers['webhook-id'] ?? '', headers, text, body: JSON.parse(text) };
};

export async function startReceiver(host = '127.0.0.1'): Promise<WebhookReceiver> {
  const taken: Received[] = [];
  const seen: Received[] = [];
  const receiver = {
    answer: (response) => void response.writeHead(200).end('ok'),
  } as Pick<WebhookReceiver, 'answer'>;
  const server = createServer(async (request, response) => {
    const received = await collected(request);
    seen.push(received);
    receiver.answer(response, received);
    if (response.statusCode === 200 && response.writableEnded) taken.push(received);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, {
    url: `http://${host}:${port}/hook`,
    taken,
    seen,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

/** Throws where the signature does not hold. */
export const verified = ({ text, headers }: Received, secret: string): Json =>
  new Webhook(secret).verify(text, headers);
