import { distance } from 'fastest-levenshtein';

/** Nothing that is longer is a slip of the hand. */
const MOST_CHARACTERS = 64;

/** Which of the known names was probably meant, written in another way or with up to three letters wrong, half of them at most; null where none is near. */
export function likely(given: string, known: readonly string[]): string | null {
  if (known.includes(given)) return given;
  if (given.length > MOST_CHARACTERS) return null;
  const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_ ]/g, '');
  const [nearest] = known
    .map((name) => ({ name, far: distance(plain(given), plain(name)) }))
    .sort((one, other) => one.far - other.far);
  return nearest !== undefined && nearest.far <= Math.min(3, nearest.name.length / 2) ? nearest.name : null;
}
