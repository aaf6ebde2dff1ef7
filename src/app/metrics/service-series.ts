import { Gauge, type Registry } from 'prom-client';

export interface ServiceSources {
  queueDepth(): number;
  /** The followed height and its distance from the tip; null where unknown. */
  follower(): Promise<{ height: number | null; lag: number | null }>;
}

/** The writer and the follower. */
export function serviceSeries(registry: Registry, { queueDepth, follower }: ServiceSources): void {
  new Gauge({
    name: 'ashlar_writer_queue_depth',
    help: 'Jobs that wait for the database writer',
    registers: [registry],
    collect() {
      this.set(queueDepth());
    },
  });
  // While the chain does not answer, the last known values stand.
  const asked = () => follower().catch(() => ({ height: null, lag: null }));
  const height = new Gauge({
    name: 'ashlar_follower_height',
    help: 'Last block whose effects are in the database',
    registers: [registry],
    async collect() {
      const known = await asked();
      if (known.height !== null) this.set(known.height);
    },
  });
  const lag = new Gauge({
    name: 'ashlar_follower_lag_blocks',
    help: 'Blocks between the follower and the tip of its source',
    registers: [registry],
    async collect() {
      const known = await asked();
      if (known.lag !== null) this.set(known.lag);
    },
  });
  // Unknown is not zero.
  for (const gauge of [height, lag]) gauge.set(Number.NaN);
}
