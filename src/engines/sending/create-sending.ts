/** The sender on Node's sockets. Each call has a connection of its own; no proxy of the environment is used. */
import { hash } from 'node:crypto';
import http from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import { createAddressRules } from '../fetching/addresses.ts';
import { hostProblem, urlProblem } from '../fetching/url-problem.ts';
import { createDialing, type DialingOptions } from './dial.ts';
import { type HttpReply, type HttpSend, type S3Send, SendFailed, type Sending, type SendOptions } from './sending.ts';

const VARIABLE = 'OUTBOUND_ALLOWED_NETWORKS';
const HEADER_BYTES = 16 * 1024;
const REPLY_BYTES = 16 * 1024;
const PUBLIC = createAddressRules([]);
/** SHA-256 of nothing. */
const EMPTY = hash('sha256', '', 'hex');

/** `totalMs`: a call, whatever it does. */
export function createSending(options: DialingOptions & { readonly totalMs?: number }): Sending {
  const { totalMs = 20_000 } = options;
  const { rules, dial } = createDialing(options);
  const bounded = (given: SendOptions): SendOptions => ({
    ...given,
    signal: AbortSignal.any([given.signal, AbortSignal.timeout(totalMs)]),
  });

  async function send(
    { method, url: text, headers, body, ca, replyBytes }: HttpSend,
    given: SendOptions,
  ): Promise<HttpReply> {
    const problem = urlProblem(text, rules, VARIABLE, 'https://siem.example.com');
    if (problem !== null) throw new SendFailed('resolve', `the URL ${problem}`);
    const url = new URL(text);
    const bounds = bounded(given);
    const secure = url.protocol === 'https:';
    const port = Number(url.port === '' ? (secure ? 443 : 80) : url.port);
    const socket = await dial({ hostname: url.hostname, port, tls: secure ? { ca } : null }, bounds);
    await given.turn?.();
    const opened = rules.names(url.hostname) || !PUBLIC.allows(url.hostname, socket.remoteAddress ?? '');
    return withSocket(socket, bounds.signal, async () => {
      const request = http.request({
        ...{ createConnection: () => socket, method, path: url.pathname + url.search, maxHeaderSize: HEADER_BYTES },
        headers: {
          ...{ host: url.host, 'user-agent': 'ashlar', 'accept-encoding': 'identity' },
          ...headers,
          ...(body !== null && { 'content-length': String(body.length) }),
        },
      });
      request.end(body ?? undefined);
      const reply = await replyOf(request, replyBytes);
      await given.turn?.();
      return { ...reply, opened };
    });
  }

  return {
    urlProblem: (url) => urlProblem(url, rules, VARIABLE, 'https://siem.example.com'),
    hostProblem: (hostname, port) => hostProblem({ hostname, port }, rules, VARIABLE),
    http: send,
    async s3(request, given) {
      const { url, headers } = await signed(request);
      return send({ method: request.method, url, headers, body: request.body?.bytes ?? null, ca: request.ca }, given);
    },
    async syslog({ hostname, port, tls }, frames, given) {
      const bounds = bounded(given);
      const socket = await dial({ hostname, port, tls }, bounds);
      await withSocket(socket, bounds.signal, () => written(socket, frames));
    },
  };
}

/** The socket is destroyed with the end of `work`, and `work` ends with the signal. */
async function withSocket<T>(socket: Socket, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const end = (): void => void socket.destroy();
  signal.addEventListener('abort', end);
  try {
    if (signal.aborted) end();
    return await work();
  } catch (error) {
    if (error instanceof SendFailed && !signal.aborted) throw error;
    throw new SendFailed('deliver', signal.aborted ? 'it took too long' : 'the connection broke off');
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

function replyOf(request: http.ClientRequest, wanted?: number): Promise<Omit<HttpReply, 'opened'>> {
  const most = wanted ?? REPLY_BYTES;
  return new Promise((resolve, reject) => {
    request.once('error', reject);
    let isAnswered = false;
    // Without an answer: the caller must not wait for one.
    request.once('close', () => isAnswered || reject(new Error('closed')));
    request.once('upgrade', () => reject(new SendFailed('deliver', 'it answers with a change of the protocol (101)')));
    request.once('response', (response) => {
      isAnswered = true;
      const chunks: Buffer[] = [];
      let size = 0;
      const done = (): void => {
        const body = Buffer.concat(chunks).subarray(0, most).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      };
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        // What is said beyond is not waited for: the status has decided.
        if (size >= most) done();
      });
      const broken = wanted === undefined ? reject : done;
      response.once('end', done).once('error', broken);
      response.once('close', () => broken(new Error('closed')));
    });
  });
}

/** The other side's orderly close says that it has read all. */
function written(socket: Socket, frames: readonly Buffer[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let ended = false;
    socket.once('end', () => {
      ended = true;
    });
    socket.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        /ALERT|CERT/.test(error.code ?? '')
          ? new SendFailed(
              'authenticate',
              `the server does not take the client certificate, or wants one (${error.code})`,
            )
          : new SendFailed(
              'deliver',
              'the connection broke off before the server had closed it: it may not have read all',
            ),
      ),
    );
    socket.once('close', () =>
      ended ? resolve() : reject(new SendFailed('deliver', 'the server did not close the connection in order')),
    );
    socket.resume();
    // As fast as the other side takes them: encrypting a whole batch would hold the event loop up.
    Readable.from(frames).pipe(socket);
  });
}

async function signed(request: S3Send): Promise<{ url: string; headers: Record<string, string> }> {
  const { method, endpoint, region, bucket, key, headers, body, accessKeyId, secretAccessKey } = request;
  const path = [bucket, ...key.split('/')].map(encodeURIComponent).join('/');
  const url = `${endpoint.replace(/\/+$/, '')}/${path}`;
  const made = await new AwsV4Signer({
    ...{ method, url, accessKeyId, secretAccessKey, region, service: 's3' },
    headers: { ...headers, 'X-Amz-Content-Sha256': body === null ? EMPTY : body.sha256.toString('hex') },
  }).sign();
  return { url: made.url.toString(), headers: Object.fromEntries(made.headers.entries()) };
}
