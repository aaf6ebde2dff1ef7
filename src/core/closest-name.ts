import { distance } from 'fastest-levenshtein';

/** Nothing that is longer is a slip of the hand. */
const MAX_CHARACTERS = 64;
/** A beginning that says which name it is. */
const MIN_BEGINNING = 4;

/**
 * Which of the known names was probably meant: the same in another way of writing; one with up to three letters wrong, a third of them at
 * most, where two that changed places count as one; or one that begins so. null where none is near.
 */
export function closestName(given: string, known: readonly string[]): string | null {
  if (known.includes(given)) return given;
  if (given.length > MAX_CHARACTERS) return null;
  const asked = normalizedName(given);
  let nearest: { name: string; far: number } | null = null;
  for (const name of known) {
    const far = farness(asked, normalizedName(name));
    if (far !== null && (nearest === null || far < nearest.far)) nearest = { name, far };
  }
  return nearest?.name ?? null;
}

/** In one way of writing: of fee_rate, feeRate and Fee-Rate, feerate. */
export const normalizedName = (name: string): string => name.toLowerCase().replaceAll(/[-_ ]/g, '');

/** Letters that are wrong, of a beginning half of one less; null where they are too many. */
function farness(asked: string, name: string): number | null {
  const most = Math.min(3, Math.floor(name.length / 3));
  if (asked.length >= MIN_BEGINNING && name.startsWith(asked)) return Math.min(name.length - asked.length, 3) - 0.5;
  // Asked first for what costs nothing.
  if (Math.abs(asked.length - name.length) > most) return null;
  const wrong = distance(asked, name);
  const far = wrong === 2 && sorted(asked) === sorted(name) ? 1 : wrong;
  return far <= most ? far : null;
}

const sorted = (text: string): string => [...text].sort().join('');
