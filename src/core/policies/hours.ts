/** Local times of day and days of the week, with daylight saving time. */
import type { PolicyConditions } from './policy.ts';
import { WEEKDAYS } from './policy.ts';

export type Hours = NonNullable<PolicyConditions['hours']>;

interface Zone {
  readonly format: Intl.DateTimeFormat;
  /** The last minute that was asked for: the rules of an account ask for the same one. */
  last?: { readonly minuteAt: number; readonly time: LocalTime };
}

/**
 * By name in lower case, because ICU ignores case: it knows about 640 names, at 27 KB each. Creating a format costs fifteen times as much as
 * using it.
 */
const zones = new Map<string, Zone>();

/** Throws RangeError where there is no such time zone. */
function zoneOf(timezone: string): Zone {
  const name = timezone.toLowerCase();
  const known = zones.get(name);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const made: Zone = { format };
  zones.set(name, made);
  return made;
}

/** Offsets ("+02:00") are refused: they have no daylight saving time. */
export function isTimezone(text: string): boolean {
  if (!/^[A-Za-z][\w+/-]{0,63}$/.test(text)) return false;
  try {
    return zoneOf(text) !== undefined;
  } catch {
    return false;
  }
}

interface LocalTime {
  /** 0: Monday. */
  readonly weekday: number;
  /** Minutes since local midnight, as the clock shows it. */
  readonly minute: number;
}

/** Offsets have been whole minutes for as long as there are coins. */
function localTime(at: number, timezone: string): LocalTime {
  const zone = zoneOf(timezone);
  const minuteAt = Math.floor(at / 60_000);
  if (zone.last?.minuteAt !== minuteAt) zone.last = { minuteAt, time: formattedTime(at, zone.format) };
  return zone.last.time;
}

function formattedTime(at: number, format: Intl.DateTimeFormat): LocalTime {
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const weekday = (WEEKDAYS as readonly string[]).indexOf(String(parts.get('weekday')).toLowerCase());
  return { weekday, minute: Number(parts.get('hour')) * 60 + Number(parts.get('minute')) };
}

/** "HH:MM" */
const minuteOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

const MINUTES_OF_A_DAY = 1_440;
const MINUTE_MS = 60_000;
/** Beyond the largest change of a clock. */
const NEAR_MINUTES = 150;
const twoDigits = (value: number): string => String(value).padStart(2, '0');

/**
 * The local time ("Tuesday 14:05 in Europe/Berlin") if it is within the hours, else null. Hours past midnight belong to the day on which they
 * began; where `to` is `from`, they are the whole day.
 */
export function withinHours({ timezone, days, from, to }: Hours, at: number): string | null {
  const { weekday, minute } = localTime(at, timezone);
  const [start, end] = [minuteOf(from), minuteOf(to)];
  const holds = (day: number, time: number) =>
    (days === undefined || days.includes(WEEKDAYS[day % 7] as (typeof WEEKDAYS)[number])) &&
    time >= start &&
    time < (end > start ? end : end + MINUTES_OF_A_DAY);
  if (!holds(weekday, minute) && !holds(weekday + 6, minute + MINUTES_OF_A_DAY)) return null;
  const name = WEEKDAYS[weekday] as string;
  const clock = `${twoDigits(Math.floor(minute / 60))}:${twoDigits(minute % 60)}`;
  return `${name[0]?.toUpperCase()}${name.slice(1)} ${clock} in ${timezone}`;
}

/**
 * When the hours that hold at this time are over, epoch milliseconds; `at` itself where none hold. `from` and `to` must differ. Where the clock
 * goes forward over `to`, they end with that.
 */
export function endOfHours(hours: Hours, at: number): number {
  const { timezone, to } = hours;
  const holds = (time: number): boolean => withinHours(hours, time) !== null;
  if (!holds(at)) return at;
  let end = at - (at % MINUTE_MS);
  while (holds(end)) {
    const left = (minuteOf(to) - localTime(end, timezone).minute + MINUTES_OF_A_DAY) % MINUTES_OF_A_DAY;
    // Not by a leap that a change of the clock could make too long: what is between two such hours may be short.
    end += (left > NEAR_MINUTES ? left - NEAR_MINUTES : 1) * MINUTE_MS;
  }
  return end;
}
