/** Prometheus metrics in a registry of their own: those of requests and the process. Services and families add theirs. */
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { RequestMetrics } from '../../hooks/request-log.ts';
import type { AddSeries } from '../../metrics/series.ts';
import { createMetricsServer, type MetricsServer } from './metrics-server.ts';
import { refusalSeries } from './refusal-series.ts';
import { requestSeries } from './request-series.ts';

export interface Metrics extends RequestMetrics, MetricsServer {
  add(...series: readonly AddSeries[]): void;
  /** In Prometheus' text form. */
  text(): Promise<string>;
}

const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

export function createMetrics(): Metrics {
  const registry = new Registry();
  // Process metrics, garbage collection and event-loop lag among them.
  collectDefaultMetrics({ register: registry });
  // Gauges that are named like counters: the series by type say the same.
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const requests = requestSeries(registry);
  const ends: (() => void)[] = [];
  const text = (): Promise<string> => registry.metrics();
  const server = createMetricsServer({ text, contentType: registry.contentType });

  return {
    ...requests,
    ...refusalSeries(registry),
    add(...series) {
      for (const one of series) ends.push(one(registry) ?? (() => {}));
    },
    text,
    listen: server.listen,
    async close() {
      for (const end of ends.splice(0)) end();
      registry.clear();
      await server.close();
    },
  };
}
