/** Days, weeks, months and hours of time zones, and the kept buckets that make them up. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inParts, type Piece, piecesOf } from '../../../src/core/metrics/buckets.ts';
import { boundaries, type Interval } from '../../../src/core/metrics/local-time.ts';

const at = (text: string): number => Date.parse(text);
const found = (from: string, to: string, interval: Interval, timezone: string): string[] =>
  boundaries(at(from), at(to), interval, timezone).map((time) => new Date(time).toISOString().slice(0, 16));

describe('boundaries', () => {
  it.each<[string, Interval, string, string, string[]]>([
    // The clock goes forward on March 29th: that day has 23 hours.
    ...([
      [
        'Europe/Zurich',
        'day',
        '2026-03-28T12:00Z',
        '2026-03-30T12:00Z',
        ['03-27T23:00', '03-28T23:00', '03-29T22:00', '03-30T22:00'],
      ],
      ['Europe/Zurich', 'day', '2026-10-25T00:00Z', '2026-10-26T00:00Z', ['10-24T22:00', '10-25T23:00', '10-26T23:00']],
      [
        'America/New_York',
        'week',
        '2026-03-05T12:00Z',
        '2026-03-12T00:00Z',
        ['03-02T05:00', '03-09T04:00', '03-16T04:00'],
      ],
      [
        'Asia/Kathmandu',
        'day',
        '2026-06-01T00:00Z',
        '2026-06-02T00:00Z',
        ['05-31T18:15', '06-01T18:15', '06-02T18:15'],
      ],
      ['Asia/Kolkata', 'hour', '2026-06-01T00:00Z', '2026-06-01T01:00Z', ['05-31T23:30', '06-01T00:30', '06-01T01:30']],
      [
        'Australia/Sydney',
        'month',
        '2026-09-30T00:00Z',
        '2026-10-31T14:00Z',
        ['08-31T14:00', '09-30T14:00', '10-31T13:00', '11-30T13:00'],
      ],
      // In Beirut 00:00 of March 29th is left out; in Santiago 23:00 comes twice on April 4th.
      ['Asia/Beirut', 'day', '2026-03-28T12:00Z', '2026-03-29T12:00Z', ['03-27T22:00', '03-28T22:00', '03-29T21:00']],
      [
        'America/Santiago',
        'day',
        '2026-04-04T12:00Z',
        '2026-04-05T12:00Z',
        ['04-04T03:00', '04-05T04:00', '04-06T04:00'],
      ],
      // By half an hour: the last hour of the day has 30 minutes.
      [
        'Australia/Lord_Howe',
        'hour',
        '2026-10-04T11:00Z',
        '2026-10-04T13:30Z',
        ['10-04T10:30', '10-04T11:30', '10-04T12:30', '10-04T13:00', '10-04T14:00'],
      ],
      ['UTC', 'minute', '2026-01-01T00:00:30Z', '2026-01-01T00:02Z', ['01-01T00:00', '01-01T00:01', '01-01T00:02']],
    ] as [string, Interval, string, string, string[]][]),
  ])('%s, each %s', (timezone, interval, from, to, expected) => {
    expect(found(from, to, interval, timezone)).toEqual(expected.map((time) => `2026-${time}`));
  });

  it('skip a day that the calendar left out', () => {
    expect(found('2011-12-29T12:00Z', '2011-12-31T09:00Z', 'day', 'Pacific/Apia')).toEqual([
      ...['2011-12-29T10:00', '2011-12-30T10:00', '2011-12-31T10:00'],
    ]);
  });

  it('cover what is asked for, ever later, as the zone shows it', () => {
    const zone = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/St_Johns',
      'Asia/Kathmandu',
      'Pacific/Chatham',
      'Africa/Casablanca',
      'Africa/Cairo',
    );
    const time = fc.integer({ min: at('2009-01-03T00:00Z'), max: at('2030-01-01T00:00Z') });
    fc.assert(
      fc.property(
        zone,
        fc.constantFrom<Interval>('day', 'week', 'month'),
        time,
        fc.integer({ min: 1, max: 200 }),
        (timezone, interval, from, days) => {
          const to = from + days * 86_400_000;
          const all = boundaries(from, to, interval, timezone);
          expect(all[0]).toBeLessThanOrEqual(from);
          expect(all.at(-1)).toBeGreaterThanOrEqual(to);
          expect(all.at(-2)).toBeLessThan(to);
          const format = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone });
          const date = (one: number) => format.format(one);
          for (const [n, one] of all.entries()) {
            if (n > 0) expect(one).toBeGreaterThan(all[n - 1]!);
            expect(date(one) > date(one - 1)).toBe(true);
            if (interval === 'month') expect(date(one).slice(8)).toBe('01');
            if (interval === 'week') expect(new Date(date(one)).getUTCDay()).toBe(1);
          }
        },
      ),
    );
  });
});

const bucketsOf = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, { minutes, first, end }) => sum + (end - first) / minutes, 0);

it('a stretch of time is made of few buckets, which come to each moment of it once and to no other', () => {
  const quarter = 15;
  fc.assert(
    fc.property(
      fc.nat(2_000_000),
      fc.integer({ min: 1, max: 40_000 }),
      fc.integer({ min: 1, max: 50 }),
      (begin, length, most) => {
        const [from, to] = [begin * quarter, (begin + length) * quarter];
        const pieces = piecesOf(3, from * 60_000, to * 60_000, most);
        const changes = new Map<number, number>();
        for (const { at: stretch, minutes, first, end, sign } of pieces) {
          expect([stretch, first % minutes, end % minutes, first < end]).toEqual([3, 0, 0, true]);
          changes.set(first, (changes.get(first) ?? 0) + sign);
          changes.set(end, (changes.get(end) ?? 0) - sign);
        }
        const changed = [...changes].filter(([, by]) => by !== 0);
        expect(new Map(changed)).toEqual(
          new Map([
            [from, 1],
            [to, -1],
          ]),
        );
        expect(bucketsOf(pieces)).toBeLessThanOrEqual(length / 96 + 2 * (3 + 23));
        const parts = inParts(pieces, most);
        for (const part of parts) expect(bucketsOf(part)).toBeLessThanOrEqual(most);
        // Read at different times, what is taken off might be more than there was.
        if (pieces.some(({ sign }) => sign < 0)) expect(parts).toHaveLength(1);
        expect(bucketsOf(parts.flat())).toBe(bucketsOf(pieces));
      },
    ),
  );
});

it('days of time zones are made of days of UTC and the hours between, all of a day in one part', () => {
  const days = (timezone: string, most: number) => {
    const all = boundaries(at('2026-11-01T12:00Z'), at('2026-11-29T12:00Z'), 'day', timezone);
    return inParts(
      all.slice(1).flatMap((end, n) => piecesOf(n, all[n]!, end, most)),
      most,
    );
  };
  expect(bucketsOf(days('Europe/Zurich', 150).flat())).toBe(29 * 3);
  expect(bucketsOf(days('Asia/Kathmandu', 150).flat())).toBe(29 * 17);
  for (const parts of [days('Europe/Zurich', 4), days('Asia/Kathmandu', 20)]) {
    const whole = parts.map((part) => part.map(({ at: day }) => day));
    expect(whole.flatMap((day) => [...new Set(day)])).toHaveLength(29);
  }
});
