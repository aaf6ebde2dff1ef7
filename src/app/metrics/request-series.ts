import { Histogram, type Registry } from 'prom-client';
import type { RequestMetrics } from '../../hooks/request-log.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function requestSeries(registry: Registry): Pick<RequestMetrics, 'observe'> {
  const requests = new Histogram({
    name: 'ashlar_request_seconds',
    help: 'Requests by operation id and status: their count and how long they took',
    labelNames: ['operation', 'status'],
    buckets: SECONDS,
    registers: [registry],
  });
  /** Looking a series up by its labels costs more than counting in it. */
  const seriesByName = new Map<string, ReturnType<typeof requests.labels>>();
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
  };
}
