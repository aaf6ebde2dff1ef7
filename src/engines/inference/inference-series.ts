import { Counter, Gauge, Histogram, type Metric } from 'prom-client';
import { type AddSeries, gauge, labelledGauge } from '../../metrics/series.ts';
import type { UpstreamFailure } from './upstream-failed.ts';

const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export type InferenceResult = UpstreamFailure | 'answered' | 'cancelled';

/** Counts questions to upstreams. */
export interface InferenceCounts {
  /** Answers what tells of the end. */
  began(upstream: string): (result: InferenceResult) => void;
  notBegun(upstream: string, result: InferenceResult): void;
  firstByte(upstream: string, seconds: number): void;
}

export function createInferenceCounts(): InferenceCounts & { readonly metrics: readonly Metric[] } {
  const labelNames = ['upstream'] as const;
  const requests = new Counter({
    name: 'ashlar_inference_requests_total',
    help: 'Requests to the upstreams of AI_CONFIG by how they ended',
    labelNames: [...labelNames, 'result'],
    registers: [],
  });
  const inFlight = new Gauge({
    name: 'ashlar_inference_in_flight',
    help: 'Requests to an upstream that are under way',
    ...{ labelNames, registers: [] },
  });
  const firstByte = new Histogram({
    name: 'ashlar_inference_first_byte_seconds',
    help: 'From a request to an upstream to the first piece of its answer',
    ...{ labelNames, registers: [], buckets: SECONDS },
  });
  return {
    began(upstream) {
      inFlight.inc({ upstream });
      return (result) => {
        inFlight.dec({ upstream });
        requests.inc({ upstream, result });
      };
    },
    notBegun: (upstream, result) => requests.inc({ upstream, result }),
    firstByte: (upstream, seconds) => firstByte.observe({ upstream }, seconds),
    metrics: [requests, inFlight, firstByte],
  };
}

/** `circuits`: of each upstream, whether it is open. `stale`: the configuration's file is wrong, and the former one holds. */
export const inferenceSeries =
  (deps: {
    metrics: readonly Metric[];
    circuits: () => Iterable<readonly [string, boolean]>;
    stale: () => boolean;
  }): AddSeries =>
  (registry) => {
    for (const metric of deps.metrics) registry.registerMetric(metric);
    labelledGauge(registry, {
      ...{ name: 'ashlar_inference_circuit_open', label: 'upstream' },
      help: '1: the upstream failed several times in a row and is not asked for a while',
      values: async () => [...deps.circuits()].map(([upstream, isOpen]) => [upstream, Number(isOpen)] as const),
    });
    gauge(registry, {
      name: 'ashlar_inference_config_stale',
      help: '1: the file of AI_CONFIG was wrong when it was read again, and the former configuration holds',
      value: () => Number(deps.stale()),
    });
    return undefined;
  };
