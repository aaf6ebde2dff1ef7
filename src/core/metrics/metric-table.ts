/** The metrics there are: what each counts, in which unit, and what it can be grouped by. */
import { percentile } from './latency.ts';

export const GROUPS = ['wallet', 'status', 'credential', 'type', 'label'] as const;
export type Group = (typeof GROUPS)[number];

export const UNITS = ['count', 'btc', 'ratio', 'ms', 'number'] as const;
export type Unit = (typeof UNITS)[number];

export const SOURCES = ['transaction', 'balance', 'contract', 'approval', 'request'] as const;
export type MetricSource = (typeof SOURCES)[number];

/** Of an account's own (custom-metric.ts). */
export type CustomName = `custom.${string}`;

/** Of records of one type and status. */
export interface Sums {
  readonly type: string;
  readonly status: string;
  readonly items: bigint;
  readonly amountSats: bigint;
  readonly feeSats: bigint;
}

export interface Metric {
  readonly unit: Unit;
  readonly source: MetricSource | CustomName;
  readonly groups: readonly Group[];
  readonly meaning: string;
  /** What all changes up to the end of an interval come to, not those within it. */
  readonly level?: true;
  /** How many rows a bucket has at least where there is much. */
  readonly kinds: number;
  /** In units of the last decimal that there is; null where nothing can be said. */
  of(sums: readonly Sums[]): bigint | null;
}

/** Signed, and not given up, replaced or overtaken since. */
const LIVE: readonly string[] = ['signed', 'broadcast', 'confirmed'];
const live = (sums: readonly Sums[], ...types: string[]): readonly Sums[] =>
  sums.filter(({ type, status }) => LIVE.includes(status) && types.includes(type));
const total = (sums: readonly Sums[], of: 'items' | 'amountSats' | 'feeSats'): bigint =>
  sums.reduce((sum, one) => sum + one[of], 0n);

const DECIMALS: Readonly<Record<Unit, number>> = { count: 0, btc: 8, ratio: 6, ms: 0, number: 8 };

/** As the wire has it. */
export function formatValue(value: bigint, unit: Unit): string {
  const decimals = DECIMALS[unit];
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0');
  const fraction = decimals === 0 ? '' : `.${digits.slice(-decimals)}`;
  return `${value < 0n ? '-' : ''}${digits.slice(0, digits.length - decimals)}${fraction}`;
}

/** Rounded down. */
const ratio = (part: bigint, whole: bigint): bigint =>
  whole === 0n ? 0n : (part * 10n ** BigInt(DECIMALS.ratio)) / whole;

const feesPaid = (sums: readonly Sums[]): bigint => total(live(sums, 'outgoing', 'internal'), 'feeSats');
const volumeOut = (sums: readonly Sums[]): bigint => total(live(sums, 'outgoing'), 'amountSats');

const transactions = { source: 'transaction', groups: ['wallet', 'status', 'type'], kinds: 1 } as const;
/** The type is the bound of the duration's class. */
const requests = { source: 'request', groups: ['status', 'credential'], kinds: 15 } as const;
const LIVE_ONES = 'that are signed, broadcast or confirmed';

export const METRICS = {
  transactions: {
    ...{ ...transactions, unit: 'count', meaning: 'Transactions of every status' },
    of: (sums) => total(sums, 'items'),
  },
  volume_in: {
    ...{ ...transactions, unit: 'btc', meaning: 'What incoming transactions brought that are broadcast or confirmed' },
    of: (sums) => total(live(sums, 'incoming'), 'amountSats'),
  },
  volume_out: {
    ...{ ...transactions, unit: 'btc', meaning: `What outgoing transactions pay ${LIVE_ONES}, without fees` },
    of: (sums) => volumeOut(sums),
  },
  deposits: {
    ...{ ...transactions, unit: 'count', meaning: 'Incoming transactions that are broadcast or confirmed' },
    of: (sums) => total(live(sums, 'incoming'), 'items'),
  },
  balance: {
    ...{ source: 'balance', groups: ['wallet'], kinds: 1, unit: 'btc', level: true },
    meaning: 'Coins in blocks, without those that blocks spend, at the end of the interval',
    of: (sums) => total(sums, 'amountSats'),
  },
  fees_paid: {
    ...{ ...transactions, unit: 'btc', meaning: `Fees of the account's own transactions ${LIVE_ONES}` },
    of: (sums) => feesPaid(sums),
  },
  fee_share: {
    ...{ ...transactions, unit: 'ratio', meaning: 'fees_paid divided by volume_out; 0 where nothing was paid' },
    of: (sums) => ratio(feesPaid(sums), volumeOut(sums)),
  },
  contracts: {
    ...{
      source: 'contract',
      groups: ['status'],
      kinds: 1,
      unit: 'count',
      meaning: 'Contracts by the time of their offer',
    },
    of: (sums) => total(sums, 'items'),
  },
  contract_collateral: {
    ...{
      source: 'contract',
      groups: ['status'],
      kinds: 1,
      unit: 'btc',
      meaning: 'The total collateral of these contracts',
    },
    of: (sums) => total(sums, 'amountSats'),
  },
  approvals: {
    ...{
      ...transactions,
      source: 'approval',
      kinds: 15,
      unit: 'count',
      meaning: 'Approvals by the time of the request',
    },
    of: (sums) => total(sums, 'items'),
  },
  requests: {
    ...{ ...requests, unit: 'count', meaning: 'Requests that were answered to credentials of the account' },
    of: (sums) => total(sums, 'items'),
  },
  error_share: {
    ...{ ...requests, unit: 'ratio', meaning: 'Of these the share that was answered with a status of 500 or more' },
    of: (sums) =>
      ratio(
        total(
          sums.filter(({ status }) => status === 'error'),
          'items',
        ),
        total(sums, 'items'),
      ),
  },
  latency_p95: {
    ...{ ...requests, unit: 'ms', meaning: 'How long 95 % of these took at most, rounded up by half an octave' },
    of: (sums) =>
      percentile(
        95n,
        sums.map(({ type, items }) => ({ bound: Number(type), items })),
      ),
  },
} as const satisfies Record<string, Metric>;
/** Of an answer with this HTTP status. */
export const requestStatus = (status: number): 'ok' | 'refused' | 'error' =>
  status >= 500 ? 'error' : status >= 400 ? 'refused' : 'ok';

export type MetricName = keyof typeof METRICS;
export const METRIC_NAMES = Object.keys(METRICS) as [MetricName, ...MetricName[]];
