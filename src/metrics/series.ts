/** Prometheus series whose values are asked for at each scrape. Whoever has the values registers their series. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Registers its series; answers what ends them, where something has to. */
export type AddSeries = (registry: Registry) => (() => void) | undefined;

interface Described {
  readonly name: string;
  readonly help: string;
}

export type Value = number | null | undefined;

/** Of what is since `at` (epoch milliseconds); 0 where there is none, and where another machine's clock is ahead. */
export const ageSeconds = (at: number | null, now: number): number => (at === null ? 0 : Math.max(0, now - at) / 1000);

/** A scrape must not wait for a database or node that hangs. */
export const SCRAPE_WAITS_MS = 1_000;

/** `otherwise` where it fails, or is not there in time. */
const asked = <T>(value: () => T | Promise<T>, otherwise: T): Promise<T> =>
  Promise.race([
    Promise.resolve()
      .then(value)
      .catch(() => otherwise),
    sleep(SCRAPE_WAITS_MS, otherwise, { ref: false }),
  ]);

/** null or a failure is NaN: unknown is not zero. */
export function gauge(
  registry: Registry,
  described: Described & { readonly value: () => Value | Promise<Value> },
): void {
  const { name, help, value } = described;
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      this.set((await asked(value, null)) ?? Number.NaN);
    },
  });
}

/** The same, a series for each value of a label; `otherwise`, none unless said, where they cannot be asked. */
export function labelledGauge(
  registry: Registry,
  described: Described & {
    readonly label: string;
    readonly values: () => Promise<Iterable<readonly [string, Value]>>;
    readonly otherwise?: Iterable<readonly [string, Value]>;
  },
): void {
  const { name, help, label, values, otherwise = [] } = described;
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    async collect() {
      this.reset();
      for (const [one, value] of await asked(values, otherwise)) this.set({ [label]: one }, value ?? Number.NaN);
    },
  });
}

/** What the database says. */
export function databaseGauge<M>(
  registry: Registry,
  metrics: () => Promise<M>,
  described: Described & { readonly value: (metrics: M) => number | null },
): void {
  gauge(registry, { ...described, value: () => metrics().then(described.value) });
}

/** The same, a series for each value of a label; while the database does not answer, NaN for each. */
export function databaseGauges<M, V extends string>(
  registry: Registry,
  metrics: () => Promise<M>,
  described: Described & {
    readonly label: string;
    readonly of: readonly V[];
    readonly values: (metrics: M) => ReadonlyMap<V, number>;
  },
): void {
  const { of } = described;
  const values = async () => {
    const known = described.values(await metrics());
    return of.map((value) => [value, known.get(value) ?? 0] as const);
  };
  labelledGauge(registry, { ...described, values, otherwise: of.map((value) => [value, null]) });
}

/** What this process has counted elsewhere since it began. */
export function counted(
  registry: Registry,
  described: Described & { readonly label: string; readonly values: () => Iterable<readonly [string, number]> },
): void {
  const { name, help, label, values } = described;
  new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [value, amount] of values()) this.inc({ [label]: value }, amount);
    },
  });
}
