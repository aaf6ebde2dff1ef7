/** Hours of rules in local time. */
import { expect, it, vi } from 'vitest';
import { endOfHours, isTimezone, withinHours } from '../../../src/core/policies/hours.ts';

const berlin = (from: string, to: string, days?: readonly 'sunday'[] | readonly 'saturday'[]) => ({
  timezone: 'Europe/Berlin',
  from,
  to,
  ...(days && { days }),
});
const holds = (hours: Parameters<typeof withinHours>[0], at: string) => withinHours(hours, Date.parse(at)) !== null;

it.each([
  // Clocks go forward at 01:00Z on 29 March 2026: 02:00 to 03:00 is not there.
  ['2026-03-29T00:59:59Z', '01:30', '02:00', true],
  ['2026-03-29T00:59:59Z', '02:00', '03:00', false],
  ['2026-03-29T01:00:00Z', '02:00', '03:00', false],
  ['2026-03-29T01:00:00Z', '03:00', '04:00', true],
  ['2026-03-29T01:00:00Z', '02:30', '03:30', true],
  // They go back at 01:00Z on 25 October 2026: 02:00 to 03:00 is there twice.
  ['2026-10-25T00:00:00Z', '02:00', '03:00', true],
  ['2026-10-25T01:00:00Z', '02:00', '03:00', true],
  ['2026-10-25T01:59:59Z', '02:00', '03:00', true],
  ['2026-10-25T02:00:00Z', '02:00', '03:00', false],
  // The same local hours in winter and in summer.
  ['2026-01-15T07:59:59Z', '09:00', '17:00', false],
  ['2026-01-15T08:00:00Z', '09:00', '17:00', true],
  ['2026-07-15T06:59:59Z', '09:00', '17:00', false],
  ['2026-07-15T07:00:00Z', '09:00', '17:00', true],
  ['2026-07-15T15:00:00Z', '09:00', '17:00', false],
  ['2026-07-15T15:00:00Z', '09:00', '09:00', true],
])('at %s, %s to %s in Berlin: %s', (at, from, to, expected) => expect(holds(berlin(from, to), at)).toBe(expected));

it.each([
  // 31 October 2026 is a Saturday: its night ends on Sunday, in another month.
  ['2026-10-31T20:59:59Z', ['saturday'], false],
  ['2026-10-31T21:00:00Z', ['saturday'], true],
  ['2026-11-01T04:59:59Z', ['saturday'], true],
  ['2026-11-01T05:00:00Z', ['saturday'], false],
  ['2026-11-01T04:59:59Z', ['sunday'], false],
  ['2026-11-01T21:00:00Z', ['sunday'], true],
  ['2027-01-02T21:00:00Z', ['saturday'], true],
  // The nights in which clocks change: it ends at 06:00 by the clock, seven or nine hours after it began.
  ['2026-03-29T03:59:59Z', ['saturday'], true],
  ['2026-03-29T04:00:00Z', ['saturday'], false],
  ['2026-10-25T04:59:59Z', ['saturday'], true],
  ['2026-10-25T05:00:00Z', ['saturday'], false],
  // 28 February 2026 is a Saturday, and so is 29 February 2020: both nights end in March.
  ['2026-03-01T04:59:59Z', ['saturday'], true],
  ['2026-03-01T05:00:00Z', ['saturday'], false],
  ['2020-02-29T21:00:00Z', ['saturday'], true],
  ['2020-03-01T04:59:59Z', ['saturday'], true],
  ['2027-01-01T21:00:00Z', ['saturday'], false],
] as const)('hours past midnight belong to the day they began: %s on %s: %s', (at, days, expected) =>
  expect(holds(berlin('22:00', '06:00', [...days] as ['saturday']), at)).toBe(expected));

it('says the local time', () => {
  expect(withinHours(berlin('22:00', '06:00'), Date.parse('2026-11-01T04:05:00Z'))).toBe(
    'Sunday 05:05 in Europe/Berlin',
  );
  expect(withinHours({ timezone: 'Asia/Kathmandu', from: '00:00', to: '00:00' }, 0)).toBe(
    'Thursday 05:30 in Asia/Kathmandu',
  );
});

it('knows time zones by name', () => {
  expect(['Europe/Berlin', 'UTC', 'America/Argentina/Ushuaia'].map(isTimezone)).toEqual([true, true, true]);
  expect(['', '+02:00', 'Europe/Bremen', 'x'.repeat(100)].map(isTimezone)).toEqual([false, false, false, false]);
});

it('makes one format of a time zone, however its name is spelled', () => {
  const made = vi.spyOn(Intl, 'DateTimeFormat');
  const name = 'Pacific/Rarotonga';
  const spellings = Array.from(name, (_, i) => name.slice(0, i).toUpperCase() + name.slice(i).toLowerCase());
  const hours = { from: '00:00', to: '00:00' };
  for (const timezone of spellings) {
    expect(isTimezone(timezone)).toBe(true);
    expect(withinHours({ timezone, ...hours }, 0)).toBe(`Wednesday 13:30 in ${timezone}`);
  }
  expect(made).toHaveBeenCalledTimes(1);
  made.mockRestore();
  // The Kelvin sign is a k in lower case.
  expect(['Europe/\u212Ayiv', 'Europe/Kyiv\0', 'Europe/Kyiv'].map(isTimezone)).toEqual([false, false, true]);
});

it('ends hours at a gap shorter than the change of the clock before it', () => {
  const hours = { timezone: 'America/Santiago', from: '13:45', to: '13:15' };
  const end = endOfHours(hours, Date.parse('2026-09-05T23:59:00Z'));
  expect(new Date(end).toISOString()).toBe('2026-09-06T16:15:00.000Z');
});

it.each([
  ['2026-01-15T22:00:00Z', '22:00', '07:00', '2026-01-16T06:00:00Z'],
  ['2026-01-15T22:00:30.5Z', '22:00', '07:05', '2026-01-16T06:05:00Z'],
  ['2026-01-15T06:00:00Z', '22:00', '07:00', '2026-01-15T06:00:00Z'],
  // The nights in which clocks change.
  ['2026-03-28T21:00:00Z', '22:00', '07:00', '2026-03-29T05:00:00Z'],
  ['2026-10-24T20:00:00Z', '22:00', '07:00', '2026-10-25T06:00:00Z'],
  // 02:30 is not there, and is there twice.
  ['2026-03-28T23:00:00Z', '22:00', '02:30', '2026-03-29T01:00:00Z'],
  ['2026-10-24T23:00:00Z', '22:00', '02:30', '2026-10-25T00:30:00Z'],
  ['2026-10-25T01:10:00Z', '22:00', '02:30', '2026-10-25T01:30:00Z'],
])('at %s hours from %s to %s in Berlin end at %s', (at, from, to, end) =>
  expect(new Date(endOfHours(berlin(from, to), Date.parse(at))).toISOString().replace('.000', '')).toBe(end));
