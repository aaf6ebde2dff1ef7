/** The metrics there are: what each counts, in which unit, and what it can be grouped by. */
import { formatBtc } from '../amount.ts';

export const GROUPS = ['wallet', 'status', 'type'] as const;
export type Group = (typeof GROUPS)[number];

export const UNITS = ['count', 'btc', 'ratio'] as const;
export type Unit = (typeof UNITS)[number];

export const SOURCES = ['transaction', 'contract', 'approval'] as const;
export type MetricSource = (typeof SOURCES)[number];

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
  readonly source: MetricSource;
  readonly groups: readonly Group[];
  readonly meaning: string;
  /** The value, as the wire has it. */
  of(sums: readonly Sums[]): string;
}

/** Signed, and not given up, replaced or overtaken since. */
const LIVE: readonly string[] = ['signed', 'broadcast', 'confirmed'];
const live = (sums: readonly Sums[], ...types: string[]): readonly Sums[] =>
  sums.filter(({ type, status }) => LIVE.includes(status) && types.includes(type));
const total = (sums: readonly Sums[], of: 'items' | 'amountSats' | 'feeSats'): bigint =>
  sums.reduce((sum, one) => sum + one[of], 0n);

const RATIO_DIGITS = 6;
/** Rounded down. */
function ratio(part: bigint, whole: bigint): string {
  const scaled = whole === 0n ? 0n : (part * 10n ** BigInt(RATIO_DIGITS)) / whole;
  const digits = scaled.toString().padStart(RATIO_DIGITS + 1, '0');
  return `${digits.slice(0, -RATIO_DIGITS)}.${digits.slice(-RATIO_DIGITS)}`;
}

const feesPaid = (sums: readonly Sums[]): bigint => total(live(sums, 'outgoing', 'internal'), 'feeSats');
const volumeOut = (sums: readonly Sums[]): bigint => total(live(sums, 'outgoing'), 'amountSats');

const transactions = { source: 'transaction', groups: GROUPS } as const;
const LIVE_ONES = 'that are signed, broadcast or confirmed';

export const METRICS = {
  transactions: {
    ...{ ...transactions, unit: 'count', meaning: 'Transactions of every status' },
    of: (sums) => `${total(sums, 'items')}`,
  },
  volume_in: {
    ...{ ...transactions, unit: 'btc', meaning: 'What incoming transactions brought that are broadcast or confirmed' },
    of: (sums) => formatBtc(total(live(sums, 'incoming'), 'amountSats')),
  },
  volume_out: {
    ...{ ...transactions, unit: 'btc', meaning: `What outgoing transactions pay ${LIVE_ONES}, without fees` },
    of: (sums) => formatBtc(volumeOut(sums)),
  },
  deposits: {
    ...{ ...transactions, unit: 'count', meaning: 'Incoming transactions that are broadcast or confirmed' },
    of: (sums) => `${total(live(sums, 'incoming'), 'items')}`,
  },
  fees_paid: {
    ...{ ...transactions, unit: 'btc', meaning: `Fees of the account's own transactions ${LIVE_ONES}` },
    of: (sums) => formatBtc(feesPaid(sums)),
  },
  fee_share: {
    ...{ ...transactions, unit: 'ratio', meaning: 'fees_paid divided by volume_out; 0 where nothing was paid' },
    of: (sums) => ratio(feesPaid(sums), volumeOut(sums)),
  },
  contracts: {
    ...{ source: 'contract', groups: ['status'], unit: 'count', meaning: 'Contracts by the time of their offer' },
    of: (sums) => `${total(sums, 'items')}`,
  },
  contract_collateral: {
    ...{ source: 'contract', groups: ['status'], unit: 'btc', meaning: 'The total collateral of these contracts' },
    of: (sums) => formatBtc(total(sums, 'amountSats')),
  },
  approvals: {
    ...{ source: 'approval', groups: GROUPS, unit: 'count', meaning: 'Approvals by the time of the request' },
    of: (sums) => `${total(sums, 'items')}`,
  },
} as const satisfies Record<string, Metric>;
export type MetricName = keyof typeof METRICS;
export const METRIC_NAMES = Object.keys(METRICS) as [MetricName, ...MetricName[]];
