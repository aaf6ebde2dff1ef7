/** Series whose values are asked for at each scrape. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ContractMetrics } from '../../services/contracts/contract-metrics.ts';

interface Described {
  readonly name: string;
  readonly help: string;
}

export type Value = number | null | undefined;

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
      const known = await Promise.resolve()
        .then(value)
        .catch(() => null);
      this.set(known ?? Number.NaN);
    },
  });
}

/** The same, a series for each value of a label; none where what they are cannot be asked. */
export function labelledGauge(
  registry: Registry,
  described: Described & { readonly label: string; readonly values: () => Promise<Iterable<readonly [string, Value]>> },
): void {
  const { name, help, label, values } = described;
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    async collect() {
      this.reset();
      const known = await values().catch(() => []);
      for (const [one, value] of known) this.set({ [label]: one }, value ?? Number.NaN);
    },
  });
}

/** What the database says. */
export function databaseGauge(
  registry: Registry,
  metrics: () => Promise<ContractMetrics>,
  described: Described & { readonly value: (metrics: ContractMetrics) => number | null },
): void {
  gauge(registry, { ...described, value: () => metrics().then(described.value) });
}

/** The same, a series for each value of a label; while the database does not answer, NaN for each. */
export function databaseGauges<V extends string>(
  registry: Registry,
  metrics: () => Promise<ContractMetrics>,
  described: Described & {
    readonly label: string;
    readonly of: readonly V[];
    readonly values: (metrics: ContractMetrics) => ReadonlyMap<V, number>;
  },
): void {
  const values = async () => {
    const known = await metrics().then(described.values, () => null);
    return described.of.map((value) => [value, known === null ? null : (known.get(value) ?? 0)] as const);
  };
  labelledGauge(registry, { ...described, values });
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
