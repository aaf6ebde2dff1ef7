/** Prometheus metrics in a registry of their own, and the small server that shows them. */
import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { RequestMetrics } from '../hooks/request-log.ts';

export interface MetricsSources {
  queueDepth(): number;
  /** The followed height and its distance from the tip; null where unknown. */
  follower(): Promise<{ height: number | null; lag: number | null }>;
}

export interface Metrics extends RequestMetrics {
  /** In Prometheus' text form. */
  text(): Promise<string>;
  /** Serves `/metrics`. An error of listening names its `variable`. */
  listen(host: string, port: number): Promise<void>;
  close(): Promise<void>;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry();
  // Process metrics, garbage collection and event-loop lag among them.
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'ashlar_request_seconds',
    help: 'Requests by operation id and status: their count and how long they took',
    labelNames: ['operation', 'status'],
    buckets: SECONDS,
    registers: [registry],
  });
  new Gauge({
    name: 'ashlar_writer_queue_depth',
    help: 'Jobs that wait for the database writer',
    registers: [registry],
    collect() {
      this.set(sources.queueDepth());
    },
  });
  const height = new Gauge({
    name: 'ashlar_follower_height',
    help: 'Last block whose effects are in the database',
    registers: [registry],
  });
  const lag = new Gauge({
    name: 'ashlar_follower_lag_blocks',
    help: 'Blocks between the follower and the tip of its source',
    registers: [registry],
  });
  /** Looking a series up by its labels costs more than counting in it. */
  const seriesByName = new Map<string, ReturnType<typeof requests.labels>>();
  // Unknown is not zero.
  height.set(Number.NaN);
  lag.set(Number.NaN);
  let server: Server | null = null;

  async function text(): Promise<string> {
    // While the chain does not answer, the last known values stand.
    const follower = await sources.follower().catch(() => ({ height: null, lag: null }));
    if (follower.height !== null) height.set(follower.height);
    if (follower.lag !== null) lag.set(follower.lag);
    return registry.metrics();
  }

  return {
    observe(operation, status, seconds) {
      const name = `${operation} ${status}`;
      let series = seriesByName.get(name);
      if (series === undefined) {
        series = requests.labels(operation, String(status));
        seriesByName.set(name, series);
      }
      series.observe(seconds);
    },
    text,
    listen(host, port) {
      const listening = createServer((request, response) => {
        if (request.method !== 'GET' || request.url !== '/metrics') {
          response.writeHead(404).end();
          return;
        }
        text().then(
          (body) => response.writeHead(200, { 'content-type': registry.contentType }).end(body),
          () => response.writeHead(500).end(),
        );
      });
      server = listening;
      return new Promise((resolve, reject) => {
        const refused = (error: Error): void => reject(Object.assign(error, { variable: 'METRICS_PORT' }));
        listening.once('error', refused).listen(port, host, () => resolve());
      });
    },
    async close() {
      const open = server;
      server = null;
      registry.clear();
      if (open === null) return;
      open.closeAllConnections();
      await new Promise((resolve) => open.close(resolve));
    },
  };
}
