/** Prometheus metrics in a registry of their own: one file for each subject. */
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { RequestMetrics } from '../../hooks/request-log.ts';
import { type ConnectionSources, connectionSeries } from './connection-series.ts';
import { type ContractSources, contractSeries } from './contract-series.ts';
import { createMetricsServer, type MetricsServer } from './metrics-server.ts';
import { type OracleSources, oracleSeries } from './oracle-series.ts';
import { refusalSeries } from './refusal-series.ts';
import { requestSeries } from './request-series.ts';
import { type ServiceSources, serviceSeries } from './service-series.ts';

export type MetricsSources = ServiceSources & ContractSources & OracleSources & ConnectionSources;

export interface Metrics extends RequestMetrics, MetricsServer {
  /** In Prometheus' text form. */
  text(): Promise<string>;
}

const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry();
  // Process metrics, garbage collection and event-loop lag among them.
  collectDefaultMetrics({ register: registry });
  // Gauges that are named like counters: the series by type say the same.
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const requests = requestSeries(registry);
  serviceSeries(registry, sources);
  const endContracts = contractSeries(registry, sources);
  oracleSeries(registry, sources);
  connectionSeries(registry, sources);
  const text = (): Promise<string> => registry.metrics();
  const server = createMetricsServer({ text, contentType: registry.contentType });

  return {
    ...requests,
    ...refusalSeries(registry),
    text,
    listen: server.listen,
    async close() {
      endContracts();
      registry.clear();
      await server.close();
    },
  };
}
