/** The buckets that sums are kept in, and which of them make up a stretch of time. */

const MINUTE_MS = 60_000;
/** Lengths in minutes. Offsets of time zones have been whole quarters of an hour for as long as there are coins. */
const LENGTHS = [1_440, 60, 15, 1] as const;
/** Of what adds up to a level, also one of 64 days: all that came before is a few of each. */
const LENGTHS_OF_LEVELS = [92_160, ...LENGTHS] as const;
/** There have been no coins before. */
export const GENESIS = Date.parse('2009-01-03T00:00:00Z');
/** Buckets of a minute are kept for so long. */
export const MINUTES_KEPT_MS = 7 * 86_400_000;
/** Those of requests, and of an account's own metrics. */
export const REQUESTS_KEPT_MS = 100 * 86_400_000;

/** Buckets of one length (minutes), from `first` up to `end` (minutes since the epoch), that are added to the `at`th stretch, or taken off it. */
export interface Piece {
  readonly at: number;
  readonly minutes: number;
  readonly first: number;
  readonly end: number;
  readonly sign: 1 | -1;
}

const bucketsIn = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, { minutes, first, end }) => sum + (end - first) / minutes, 0);

/** [first, end) by buckets that lie in it, the longest in the middle. */
function within(
  first: number,
  end: number,
  [minutes = 1, ...shorter]: readonly number[] = LENGTHS,
): Omit<Piece, 'at'>[] {
  if (first >= end) return [];
  const [inner, outer] = [Math.ceil(first / minutes) * minutes, Math.floor(end / minutes) * minutes];
  if (inner >= outer) return within(first, end, shorter);
  const middle = { minutes, first: inner, end: outer, sign: 1 } as const;
  return [...within(first, inner, shorter), middle, ...within(outer, end, shorter)];
}

const DAY = LENGTHS[0];

/** What lies between the nearest beginning of a day and this minute: to be taken off what begins here, and added to what ends here. */
function edge(minute: number, sign: 1 | -1): { day: number; pieces: Omit<Piece, 'at'>[] } {
  const day = Math.round(minute / DAY) * DAY;
  const [first, end] = [Math.min(day, minute), Math.max(day, minute)];
  const signed = (minute > day ? sign : -sign) as 1 | -1;
  return { day, pieces: within(first, end).map((piece) => ({ ...piece, sign: signed })) };
}

/** [from, to) by whole days, more or less what lies between the beginnings of days and its ends. */
function byDays(from: number, to: number): Omit<Piece, 'at'>[] {
  const [begin, finish] = [edge(from, -1), edge(to, 1)];
  if (begin.day >= finish.day) return [];
  return [...begin.pieces, { minutes: DAY, first: begin.day, end: finish.day, sign: 1 }, ...finish.pieces];
}

/**
 * [from, to) by as few buckets as there are. Both are whole quarters of an hour, or minutes that are kept. A day of Zurich is a day of UTC, and an
 * hour before it, without its last: three buckets where 24 hours lie in it. So only where no more than `most` do, which are read at once.
 */
export function piecesOf(at: number, from: number, to: number, most: number): Piece[] {
  const [first, end] = [from / MINUTE_MS, to / MINUTE_MS];
  const [plain, signed] = [within(first, end) as Piece[], byDays(first, end) as Piece[]];
  const count = bucketsIn(signed);
  const fewest = count > 0 && count <= most && count < bucketsIn(plain) ? signed : plain;
  return fewest.map((piece) => ({ ...piece, at }));
}

/** All before it: what a level has come to. */
export const piecesBefore = (at: number, from: number): Piece[] =>
  within(GENESIS / MINUTE_MS, from / MINUTE_MS, LENGTHS_OF_LEVELS).map((piece) => ({ ...piece, at }));

/** Pieces in parts of at most so many buckets each. What makes up a stretch is in one part, if it fits there. */
export function inParts(pieces: readonly Piece[], most: number): Piece[][] {
  const parts: Piece[][] = [[]];
  let room = most;
  const next = (): void => {
    parts.push([]);
    room = most;
  };
  for (const stretch of Map.groupBy(pieces, ({ at }) => at).values()) {
    const count = bucketsIn(stretch);
    if (count > room && count <= most) next();
    for (const piece of stretch)
      for (let { first } = piece; first < piece.end; ) {
        if (room === 0) next();
        const end = Math.min(piece.end, first + room * piece.minutes);
        parts.at(-1)?.push({ ...piece, first, end });
        room -= (end - first) / piece.minutes;
        first = end;
      }
  }
  return parts;
}
