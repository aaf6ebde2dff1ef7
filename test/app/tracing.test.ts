import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { tracedComputing, tracedFetching } from '../../src/app/traced.ts';
import { createBitcoindSource } from '../../src/chain/bitcoind/create-bitcoind-source.ts';
import type { ClosableComputing } from '../../src/engines/computing/all-jobs.ts';
import { FetchFailed, type Fetching } from '../../src/engines/fetching/fetching.ts';
import { PSBT_EXAMPLE } from '../../src/families/psbt-examples.ts';
import { createOpenTelemetry } from '../../src/tracing/opentelemetry.ts';
import type { TracesSampler } from '../../src/tracing/tracing.ts';
import { startTestApp } from '../builders/app.ts';
import { eventually } from '../builders/service-process.ts';
import { startTraceCollector, type TraceCollector } from '../builders/trace-collector.ts';
import { collectedLog } from '../secrets/collected.ts';

async function collector(): Promise<TraceCollector> {
  const made = await startTraceCollector();
  onTestFinished(() => made.close());
  return made;
}

async function service(traces: TraceCollector, env: Record<string, string> = {}) {
  const lines: Record<string, unknown>[] = [];
  const log = collectedLog();
  const info = log.info.bind(log) as (facts: object, message: string) => void;
  log.info = ((facts: object, message: string) => {
    lines.push({ ...facts, message });
    info(facts, message);
  }) as typeof log.info;
  const app = await startTestApp({ log, env: { OTEL_EXPORTER_OTLP_ENDPOINT: traces.url, ...env } });
  let closed = false;
  const close = async () => {
    if (!closed) await app.close();
    closed = true;
  };
  onTestFinished(close);
  return { app, lines, close, url: await app.listen() };
}

const PARENT = '4bf92f3577b34da6a3ce929d0e0e4736';

it('a request is a span by its route, what it waits for is beneath it, and the log names the trace', async () => {
  const traces = await collector();
  const { app, lines, close, url } = await service(traces, { OTEL_SERVICE_NAME: 'payments' });
  const made = await app.post('/api/v1/wallets', { name: 'secretive', type: 'segwit', backup_type: 'none' });
  expect(made.status).toBe(201);
  const path = `/api/v1/wallets/${made.body.wallet_id}`;
  const read = await fetch(url + path, {
    headers: {
      authorization: `Bearer ${app.adminKey}`,
      'x-request-id': 'my-request-1',
      traceparent: `00-${PARENT}-00f067aa0ba902b7-01`,
    },
  });
  expect(read.status).toBe(200);
  await fetch(`${url}/api/v1/wallets/none`, { method: 'POST', body: '{', headers: { traceparent: 'nonsense' } });
  await fetch(`${url}/nowhere/${made.body.wallet_id}?api_key=hidden`);
  await close();

  const roots = traces.spans.filter(({ kind }) => kind === 2);
  const get = roots.find(({ name }) => name === 'GET /api/v1/wallets/:wallet_id');
  expect(get).toMatchObject({ traceId: PARENT, parentSpanId: '00f067aa0ba902b7', failed: false });
  expect(get?.attributes).toEqual({
    'http.request.method': 'GET',
    'http.route': '/api/v1/wallets/:wallet_id',
    'http.response.status_code': 200,
    'ashlar.request_id': 'my-request-1',
    'ashlar.operation': 'wallet.get',
    'ashlar.account_id': app.accountId,
  });
  const beneath = traces.spans.filter(({ parentSpanId }) => parentSpanId === get?.spanId);
  expect(beneath.map(({ name }) => name)).toContainEqual(expect.stringMatching(/^database wallets[.]/));
  expect(beneath.every(({ traceId, kind }) => traceId === PARENT && kind === 3)).toBe(true);

  const post = roots.find(({ name }) => name === 'POST /api/v1/wallets');
  const jobs = traces.spans.filter(({ name }) => name === 'database write');
  expect(jobs.map(({ parentSpanId }) => parentSpanId)).toContain(post?.spanId);
  expect(post?.parentSpanId).toBeNull();
  const nowhere = roots.find(({ name }) => name === 'GET');
  expect(nowhere?.attributes).toMatchObject({ 'http.response.status_code': 404 });
  expect(nowhere?.attributes).not.toHaveProperty('http.route');

  const line = lines.find(({ request_id }) => request_id === 'my-request-1');
  expect(line).toMatchObject({ message: 'request', trace_id: PARENT });
  expect(traces.resource).toMatchObject({ 'service.name': 'payments', 'service.version': expect.any(String) });
  for (const secret of [app.adminKey, 'secretive', 'hidden', made.body.wallet_id, '127.0.0.1']) {
    expect(traces.raw()).not.toContain(secret);
  }
});

it('what a request with a body waits for belongs to it, however slowly the body comes in', async () => {
  const traces = await collector();
  const { app, close, url } = await service(traces);
  const body = JSON.stringify({ psbt: PSBT_EXAMPLE.psbt });
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /api/psbt/v2/decode HTTP/1.1\r\nHost: ${app.host}\r\nAuthorization: Bearer ${app.adminKey}\r\nContent-Type: application/json\r\n` +
      `Connection: close\r\nContent-Length: ${body.length}\r\ntraceparent: 00-${PARENT}-00f067aa0ba902b7-01\r\n\r\n`,
  );
  await eventually('the request is under way', async () => app.app.http.server.listening);
  for (const part of body) socket.write(part);
  socket.resume();
  await once(socket, 'close');
  await close();
  const root = traces.spans.find(({ kind }) => kind === 2);
  expect(root?.attributes).toMatchObject({ 'http.response.status_code': 200 });
  const job = traces.spans.find(({ name }) => name === 'worker psbt.inspect');
  expect(job).toMatchObject({ traceId: PARENT, parentSpanId: root?.spanId });
});

const adapter = (traces: TraceCollector, sampler: TracesSampler = { kind: 'always_on', ratio: 1 }) => {
  const told: { level: string; facts: object; message: string }[] = [];
  const say = (level: string) => (facts: object, message: string) => void told.push({ level, facts, message });
  const log = { warn: say('warn'), info: say('info') };
  const tracing = createOpenTelemetry({
    ...{ endpoint: traces.url, serviceName: 'ashlar', version: '1', sampler, log, clock: Date.now },
    sentEveryMs: 5,
  });
  const request = (work: () => Promise<unknown>) => {
    const span = tracing.beginRequest({});
    return new Promise<void>((resolve) => {
      span.enter(
        () =>
          void work().then(
            () => resolve(),
            () => resolve(),
          ),
      );
    }).then(() => span.end('GET /x', {}, null));
  };
  return { tracing, told, request };
};

it('node, workers and strangers are beneath the request; outside of one there is no span', async () => {
  const traces = await collector();
  const { tracing, request } = adapter(traces);
  const { inSpan } = tracing;
  const node = createServer((_, response) => response.end('{"id":0,"result":{"size":1},"error":null}'));
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  const { port } = node.address() as { port: number };
  const chain = createBitcoindSource({
    ...{ rpcUrl: `http://user:hunter2@127.0.0.1:${port}`, network: 'regtest', log: collectedLog(), inSpan },
  });
  onTestFinished(async () => {
    await chain.close();
    node.close();
  });
  const computing = tracedComputing({ run: async () => 'made' } as unknown as ClosableComputing, inSpan);
  const get = async () => {
    throw new FetchFailed('timed_out');
  };
  const fetching = tracedFetching({ problem: () => null, get } as Fetching, inSpan);
  const work = async () => {
    await chain.mempoolInfo().catch(() => {});
    await computing.run('psbt.combine', {} as never, { accountId: 'a' });
    await fetching.get('https://oracle.example/v1?token=hunter2');
  };
  await work().catch(() => {});
  await request(work);
  await tracing.close();

  const [root] = traces.spans.filter(({ kind }) => kind === 2);
  const beneath = traces.spans.filter(({ kind }) => kind !== 2);
  expect(new Set(beneath.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([root?.spanId]));
  const names = beneath.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['rpc getmempoolinfo', 'worker psbt.combine', 'GET']));
  expect(names.filter((name) => name === 'GET')).toHaveLength(1);
  expect(beneath.find(({ name }) => name === 'GET')).toMatchObject({
    failed: true,
    attributes: { 'server.address': 'oracle.example', 'error.type': 'FetchFailed' },
  });
  expect(traces.raw()).not.toContain('hunter2');
});

it('what goes on when its request has ended, and what is not sampled, leaves no span', async () => {
  const traces = await collector();
  const { tracing, request } = adapter(traces);
  let later: () => Promise<void> = async () => {};
  await request(async () => {
    const run = Promise.withResolvers<void>();
    const done = run.promise.then(() => tracing.inSpan('late', {}, async () => {}));
    later = () => {
      run.resolve();
      return done;
    };
  });
  await later();
  await tracing.close();
  expect(traces.spans.map(({ name }) => name)).toEqual(['GET /x']);

  const none = adapter(traces, { kind: 'parentbased_traceidratio', ratio: 0 });
  await none.request(() => none.tracing.inSpan('unsampled', {}, async () => {}));
  none.tracing.beginRequest({ traceparent: `00-${PARENT}-00f067aa0ba902b7-01` }).end('followed', {}, null);
  await none.tracing.close();
  expect(traces.spans.map(({ name }) => name)).toEqual(['GET /x', 'followed']);
});

it('an unreachable collector is logged once, delays nothing and uses bounded memory; its return is logged too', async () => {
  const traces = await collector();
  const { tracing, told, request } = adapter(traces);
  traces.answer('refuses');
  await eventually('it is told of', async () => {
    await request(async () => {});
    return told.length > 0;
  });
  // Several batches later nothing more was said.
  for (let round = 0; round < 3_000; round++) await request(async () => {});
  traces.answer('takes');
  await eventually('spans are taken again', async () => {
    await request(async () => {});
    return told.length > 1;
  });
  const host = new URL(traces.url).host;
  expect(told).toEqual([
    {
      level: 'warn',
      facts: expect.objectContaining({ part: 'tracing', host }),
      message: expect.stringMatching(/dropped/),
    },
    { level: 'info', facts: { part: 'tracing', host, seconds: expect.any(Number) }, message: expect.any(String) },
  ]);

  traces.answer('hangs');
  const before = traces.spans.length;
  for (let round = 0; round < 10_000; round++) await request(async () => {});
  const begun = Date.now();
  await tracing.close();
  // One second is the bound; a machine that is four times slower has four.
  expect(Date.now() - begun).toBeLessThan(4_000);
  expect(traces.spans.length).toBe(before);
});
