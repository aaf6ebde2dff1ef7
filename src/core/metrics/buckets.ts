/** The buckets that sums are kept in, and which of them make up a stretch of time. */

const MINUTE_MS = 60_000;
/** Lengths in minutes. Offsets of time zones have been whole quarters of an hour for as long as there are coins. */
const LENGTHS = [1_440, 60, 15, 1] as const;
/** Buckets of a minute are kept for so long. */
export const MINUTES_KEPT_MS = 7 * 86_400_000;
/** Of requests. */
export const REQUESTS_KEPT_MS = 100 * 86_400_000;

/** Buckets of one length (minutes), from `first` up to `end` (minutes since the epoch), that belong to the `at`th stretch. */
export interface Piece {
  readonly at: number;
  readonly minutes: number;
  readonly first: number;
  readonly end: number;
}

/** [from, to) by as few buckets as there are, the longest in the middle. Both are whole quarters of an hour, or minutes that are kept. */
export function piecesOf(at: number, from: number, to: number): Piece[] {
  const cover = (first: number, end: number, [minutes = 1, ...shorter]: readonly number[]): Piece[] => {
    if (first >= end) return [];
    const [inner, outer] = [Math.ceil(first / minutes) * minutes, Math.floor(end / minutes) * minutes];
    if (inner >= outer) return cover(first, end, shorter);
    return [...cover(first, inner, shorter), { at, minutes, first: inner, end: outer }, ...cover(outer, end, shorter)];
  };
  return cover(from / MINUTE_MS, to / MINUTE_MS, LENGTHS);
}

/** Pieces in parts of at most so many buckets each. */
export function inParts(pieces: readonly Piece[], most: number): Piece[][] {
  const parts: Piece[][] = [[]];
  let room = most;
  for (const piece of pieces) {
    for (let { first } = piece; first < piece.end; ) {
      if (room === 0) {
        parts.push([]);
        room = most;
      }
      const end = Math.min(piece.end, first + room * piece.minutes);
      parts.at(-1)?.push({ ...piece, first, end });
      room -= (end - first) / piece.minutes;
      first = end;
    }
  }
  return parts;
}
