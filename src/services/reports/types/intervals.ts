/** The time of a report in days, weeks or months, so few that rows and charts of them have a bound. */
import { boundaries, DAY_MS } from '../../../core/metrics/local-time.ts';
import type { ReportSource } from '../report-type.ts';

/** Bitcoin is younger than so many months. */
const GENESIS = Date.parse('2009-01-03T00:00:00Z');

type Span = Pick<ReportSource, 'from' | 'to' | 'timezone'>;

/** Where they begin, and at last where the last ends; `of` tells in which a time is. */
export function intervalsOf({ from, to, timezone }: Span, most: number) {
  const first = Math.max(from, GENESIS);
  const days = (to - first) / DAY_MS;
  const interval = days <= most ? 'day' : days / 7 <= most ? 'week' : 'month';
  const starts = boundaries(first, Math.max(to, first + 1), interval, timezone);
  return {
    starts,
    of(at: number): number {
      let [low, high] = [0, starts.length - 2];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if ((starts[middle] as number) <= at) low = middle;
        else high = middle - 1;
      }
      return low;
    },
  };
}

const MOST_BARS = 62;

/** Adds up satoshis for a chart: a picture, not a figure. */
export function barsOf(span: Span, title: string) {
  const { starts, of } = intervalsOf(span, MOST_BARS);
  const sums = starts.slice(1).map(() => 0n);
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: span.timezone });
  return {
    add: (at: number, amountSats: bigint): void => {
      const n = of(at);
      sums[n] = (sums[n] ?? 0n) + amountSats;
    },
    chart: () => ({
      ...{ title, unit: 'BTC' },
      points: sums.map((sum, n) => ({ label: format.format(starts[n]), value: Number(sum) / 1e8 })),
    }),
  };
}
