import { type AddSeries, counted, gauge, labelledGauge } from '../../metrics/series.ts';
import type { WebhooksOfState } from '../../store/repositories/webhooks.ts';
import type { DeliveryCounts } from './deliver-events.ts';

const STATES = ['active', 'failing', 'disabled'] as const;

export const webhookSeries =
  (sources: {
    webhooks(): Promise<readonly WebhooksOfState[]>;
    deliveries(): DeliveryCounts;
    lagMs(): number;
  }): AddSeries =>
  (registry) => {
    labelledGauge(registry, {
      name: 'ashlar_webhooks',
      help: 'Webhooks of every account',
      label: 'state',
      values: async () => {
        const counts = new Map((await sources.webhooks()).map(({ state, count }) => [state, count]));
        return STATES.map((state) => [state, counts.get(state) ?? 0] as const);
      },
      otherwise: STATES.map((state) => [state, null] as const),
    });
    gauge(registry, {
      name: 'ashlar_webhooks_lag_seconds',
      help: 'Age of the oldest event that this process has not tried to deliver',
      value: () => sources.lagMs() / 1000,
    });
    counted(registry, {
      name: 'ashlar_webhook_deliveries_total',
      help: 'Events that this process tried to deliver, by result',
      label: 'result',
      values: () => Object.entries(sources.deliveries()),
    });
    return undefined;
  };
