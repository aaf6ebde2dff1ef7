import { type AddSeries, ageSeconds, counted, gauge, labelledGauge } from '../../metrics/series.ts';
import type { DeliveryCounts } from './deliveries.ts';

/** Connections of all accounts by state: their number, the most events that one is behind, and since when. */
interface ConnectionsOfState {
  readonly state: string;
  readonly count: number;
  readonly events: number;
  readonly oldestAt: number | null;
}

interface ConnectionSources {
  clock: () => number;
  connections(): Promise<readonly ConnectionsOfState[]>;
  deliveries(): DeliveryCounts;
}

const STATES = ['active', 'failing', 'stopped', 'disabled'];

export const connectionSeries =
  ({ clock, connections, deliveries }: ConnectionSources): AddSeries =>
  (registry) => {
    /** Of active connections. */
    const delivering = async () =>
      (await connections()).filter(({ state }) => state === 'active' || state === 'failing');
    labelledGauge(registry, {
      name: 'ashlar_connections',
      help: 'Outgoing connections of every account',
      label: 'state',
      values: async () => {
        const counts = new Map((await connections()).map(({ state, count }) => [state, count]));
        return STATES.map((state) => [state, counts.get(state) ?? 0] as const);
      },
      otherwise: STATES.map((state) => [state, null] as const),
    });
    gauge(registry, {
      name: 'ashlar_connections_lag_events',
      help: 'Sealed audit records that the one furthest behind has not delivered',
      value: async () => Math.max(0, ...(await delivering()).map(({ events }) => events)),
    });
    gauge(registry, {
      name: 'ashlar_connections_lag_seconds',
      help: 'Age of the oldest record that one of them has not delivered',
      value: async () => Math.max(0, ...(await delivering()).map(({ oldestAt }) => ageSeconds(oldestAt, clock()))),
    });
    counted(registry, {
      name: 'ashlar_connection_deliveries_total',
      help: 'Batches that this process tried to deliver, by result',
      label: 'result',
      values: () => Object.entries(deliveries()),
    });
    return undefined;
  };
