/** A collector of traces: takes OTLP over HTTP in JSON, and can be away, refuse, or hang. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { freePort } from './service-process.ts';

interface WireValue {
  stringValue?: string;
  intValue?: number | string;
  boolValue?: boolean;
}
interface WireSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  status: { code?: number };
  attributes: { key: string; value: WireValue }[];
}

interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  name: string;
  /** 2: server, 3: client (OTLP's SpanKind). */
  kind: number;
  failed: boolean;
  attributes: Record<string, unknown>;
}

export interface TraceCollector {
  readonly url: string;
  readonly spans: CollectedSpan[];
  /** Of the last batch: the resource's attributes. */
  readonly resource: Record<string, unknown>;
  /** All that was sent, as it came. */
  raw(): string;
  batches(): number;
  /** How it takes what comes next. */
  answer(how: 'takes' | 'refuses' | 'hangs'): void;
  close(): Promise<void>;
}

const STATUS_ERROR = 2;

function plain(attributes: WireSpan['attributes']): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.boolValue ?? Number(value.intValue)]),
  );
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  const resource: Record<string, unknown> = {};
  let how: 'takes' | 'refuses' | 'hangs' = 'takes';
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (how === 'hangs') return;
    if (how === 'refuses' || request.url !== '/v1/traces') return void response.writeHead(400).end();
    bodies.push(body);
    for (const { resource: of, scopeSpans } of JSON.parse(body).resourceSpans) {
      Object.assign(resource, plain(of.attributes));
      for (const { spans: some } of scopeSpans) {
        for (const { status, parentSpanId, ...span } of some as WireSpan[]) {
          const failed = status.code === STATUS_ERROR;
          spans.push({ ...span, parentSpanId: parentSpanId || null, failed, attributes: plain(span.attributes) });
        }
      }
    }
    response.setHeader('content-type', 'application/json').end('{}');
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    ...{ spans, resource },
    raw: () => bodies.join('\n'),
    batches: () => bodies.length,
    answer: (next) => {
      how = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
