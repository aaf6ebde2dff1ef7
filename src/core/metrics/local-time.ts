/** Where days, weeks, months and hours of a time zone begin, with daylight saving time. Days are numbered from 1970-01-01, as the calendar has them. */

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

export const INTERVALS = ['minute', 'hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

/** By name in lower case, because ICU ignores case; it knows about 640. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timezone: string): Intl.DateTimeFormat {
  const name = timezone.toLowerCase();
  const known = formats.get(name) ?? new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  formats.set(name, known);
  return known;
}

/** Of local time before UTC, in milliseconds. */
function offsetAt(at: number, timezone: string): number {
  const [, sign, hours, minutes] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(formatOf(timezone).format(at)) ?? [];
  if (sign === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS);
}

/** Where days begin, in one time zone: `start` of a day is the first moment of it, which need not be 00:00. */
function calendarOf(timezone: string) {
  const offsets = new Map<number, number>();
  const offsetOn = (day: number): number => {
    const offset = offsets.get(day) ?? offsetAt(day * DAY_MS, timezone);
    offsets.set(day, offset);
    return offset;
  };
  const dayAt = (at: number): number => Math.floor((at + offsetAt(at, timezone)) / DAY_MS);
  const start = (day: number): number => {
    const [before, after] = [day * DAY_MS - offsetOn(day - 1), day * DAY_MS - offsetOn(day + 1)];
    if (before === after) return before;
    const [first, second] = before < after ? [before, after] : [after, before];
    return dayAt(first) >= day ? first : second;
  };
  return { dayAt, start };
}

/** Monday of the week. Day 0 was a Thursday. */
const mondayOf = (day: number): number => day - ((((day + 3) % 7) + 7) % 7);
const firstOfMonth = (day: number, later = 0): number => {
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1) / DAY_MS;
};

/**
 * Where the intervals begin that cover [from, to), and at last where the last one ends. Weeks begin on Mondays. Hours are counted from the
 * beginning of the day; where a change of the clock leaves part of one, it is the day's last.
 */
export function boundaries(from: number, to: number, interval: Interval, timezone: string): number[] {
  if (interval === 'minute') {
    const first = Math.floor(from / MINUTE_MS);
    return Array.from({ length: Math.ceil(to / MINUTE_MS) - first + 1 }, (_, n) => (first + n) * MINUTE_MS);
  }
  const { dayAt, start } = calendarOf(timezone);
  const floor = { hour: (day: number) => day, day: (day: number) => day, week: mondayOf, month: firstOfMonth }[
    interval
  ];
  const next = (day: number): number =>
    interval === 'month' ? firstOfMonth(day, 1) : day + (interval === 'week' ? 7 : 1);
  const found: number[] = [];
  for (let day = floor(dayAt(from)); ; day = next(day)) {
    const begin = start(day);
    // A day that the calendar left out has no length.
    if (found.at(-1) !== begin) found.push(begin);
    if (begin >= to) break;
    if (interval === 'hour')
      for (let hour = begin + HOUR_MS, end = start(day + 1); hour < end; hour += HOUR_MS) found.push(hour);
  }
  if (interval !== 'hour') return found;
  const first = found.findLastIndex((at) => at <= from);
  const last = found.findIndex((at) => at >= to);
  return found.slice(first, last + 1);
}
