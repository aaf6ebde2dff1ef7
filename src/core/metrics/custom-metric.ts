/** Metrics of an account's own: names, values and labels of their points, and what their sums come to. */
import type { CustomName, Metric, Sums } from './metric-table.ts';

export const KINDS = ['counter', 'gauge'] as const;
export type Kind = (typeof KINDS)[number];

/** Of an account. */
export const MOST_NAMES = 50;
/** Of an account: its names with each set of labels that points of them had. */
export const MOST_SERIES = 200;
/** Of an account, taken in a day (UTC). */
export const MOST_POINTS = 50_000;
export const MOST_LABELS = 5;
/** So late a point may be, */
export const LATEST_MS = 7 * 86_400_000;
/** and so early, since clocks differ. */
export const EARLIEST_MS = 300_000;

const PREFIX = 'custom.';
export const CUSTOM_NAME = /^custom\.[a-z][a-z0-9_]{0,63}$/;
export const customName = (name: string): CustomName => `${PREFIX}${name}`;
export const isCustom = (name: string): name is CustomName => name.startsWith(PREFIX);

/** 19 digits, so that sums of as many points as are kept stay exact in 64 bits, the whole and the fraction apart. */
export const VALUE = /^-?\d{1,11}(\.\d{1,8})?$/;
const SCALE = 100_000_000n;

/** Whole units, and hundred-millionths of one, both of the value's sign. */
export function partsOf(value: string): { whole: bigint; fraction: bigint } {
  const [, sign, whole = '0', fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(value) ?? [];
  const signed = (digits: string): bigint => (sign === '-' ? -BigInt(digits) : BigInt(digits));
  return { whole: signed(whole), fraction: signed(fraction.padEnd(8, '0')) };
}

export type Labels = Readonly<Record<string, string>>;
/** The same text for the same labels. */
export const labelsKey = (labels: Labels): string =>
  JSON.stringify(Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1)));
export const labelsOf = (key: string): ReadonlyMap<string, string> => new Map(JSON.parse(key));

const sumOf = (sums: readonly Sums[]): bigint =>
  sums.reduce((sum, { amountSats, feeSats }) => sum + amountSats * SCALE + feeSats, 0n);
const points = (sums: readonly Sums[]): bigint => sums.reduce((sum, { items }) => sum + items, 0n);

const OF_KIND = {
  counter: { meaning: 'A counter of the account: what its points add up to', of: sumOf },
  gauge: {
    meaning: 'A gauge of the account: the mean of its points, rounded towards zero; null where there are none',
    of: (sums: readonly Sums[]) => (points(sums) === 0n ? null : sumOf(sums) / points(sums)),
  },
};

/** Whole units are its amount, fractions its fee, and the number of its labels' set its type. */
export const customMetric = (source: CustomName, kind: Kind, series: number): Metric => ({
  ...{ unit: 'number', source, groups: ['label'], kinds: series },
  ...OF_KIND[kind],
});
