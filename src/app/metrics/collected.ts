/** Series whose values are asked for at each scrape. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ContractFigures } from '../../services/contracts/contract-figures.ts';

interface Described {
  readonly name: string;
  readonly help: string;
}

/** What the database says; while it does not answer, NaN: unknown is not zero. */
export function databaseGauge(
  registry: Registry,
  figures: () => Promise<ContractFigures>,
  described: Described & { readonly value: (figures: ContractFigures) => number | null },
): void {
  const { name, help, value } = described;
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      this.set((await figures().then(value, () => null)) ?? Number.NaN);
    },
  });
}

/** The same, a series for each value of a label. */
export function databaseGauges<V extends string>(
  registry: Registry,
  figures: () => Promise<ContractFigures>,
  described: Described & {
    readonly label: string;
    readonly of: readonly V[];
    readonly values: (figures: ContractFigures) => ReadonlyMap<V, number>;
  },
): void {
  const { name, help, label, of, values } = described;
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    async collect() {
      const known = await figures().then(values, () => null);
      for (const value of of) this.set({ [label]: value }, known === null ? Number.NaN : (known.get(value) ?? 0));
    },
  });
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
