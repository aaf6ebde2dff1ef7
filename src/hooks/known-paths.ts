/** Paths by their patterns, for telling a wrong method from a wrong path. Only refusals look here. */
import { closestName } from '../core/closest-name.ts';

interface KnownPath {
  segments: string[];
  methods: Set<string>;
}

const PREFIX = /^(api|v\d)$/;
const MISSPELT = 1;
/** Nothing that is farther off was meant. */
const FARTHEST = 2.5;
const MAX_SEGMENTS = 12;
const MAX_SHOWN_LENGTH = 64;
/** Of a file's name: what it is called goes before it. */
const ENDING = /\.[a-z]{2,4}$/;

interface Meant {
  readonly far: number;
  readonly path: string;
}

export class KnownPaths {
  readonly #byPattern = new Map<string, KnownPath>();

  add(pattern: string, methods: readonly string[]): void {
    const known = this.#byPattern.get(pattern) ?? { segments: pattern.split('/').slice(1), methods: new Set() };
    for (const method of methods) known.methods.add(method);
    this.#byPattern.set(pattern, known);
  }

  /**
   * The known path that was probably meant, with what was asked for in the place of its parameters: segments may be misspelt, missing or too
   * many. null where none is near.
   */
  closest(path: string): string | null {
    const asked = path.replace(/\/$/, '').split('/').slice(1);
    if (asked.length > MAX_SEGMENTS) return null;
    const near = this.#near(asked);
    let nearest: Meant | null = null;
    for (const { segments } of this.#byPattern.values()) {
      // A path that shares nothing but its beginning and what could be any id is another.
      const noun = segments.findLast((segment) => !isParameter(segment)) as string;
      if (PREFIX.test(noun) || !near.has(noun)) continue;
      const meant = alignment(segments, asked, near);
      if (meant.far <= FARTHEST && (nearest === null || meant.far < nearest.far)) nearest = meant;
    }
    return nearest?.path ?? null;
  }

  /** The methods that a path has, sorted; empty where the path is unknown. */
  methodsOf(path: string): string[] {
    const asked = path.split('/').slice(1);
    const methods = new Set<string>();
    for (const { segments, methods: known } of this.#byPattern.values()) {
      if (segments.length !== asked.length) continue;
      if (segments.every((segment, i) => (isParameter(segment) ? asked[i] !== '' : segment === asked[i]))) {
        for (const method of known) methods.add(method);
      }
    }
    return [...methods].sort();
  }

  /** Segments of patterns, and which of the asked ones may stand for each. */
  #near(asked: readonly string[]): Map<string, Set<string>> {
    const near = new Map<string, Set<string>>();
    const bare = new Map(asked.map((one) => [one, one.replace(ENDING, '')]));
    const known = new Set([...this.#byPattern.values()].flatMap(({ segments }) => segments));
    for (const segment of known) {
      if (isParameter(segment)) continue;
      const standing = asked.filter((one) => closestName(one, [segment]) !== null || bare.get(one) === segment);
      if (standing.length > 0) near.set(segment, new Set(standing));
    }
    return near;
  }
}

/** How the asked segments come to be a pattern's with the least that was wrong. */
function alignment(pattern: readonly string[], asked: readonly string[], near: Map<string, Set<string>>): Meant {
  let row: Meant[] = [{ far: 0, path: '' }];
  for (const one of asked) row.push(after(row.at(-1) as Meant, tooMuch(one, near), ''));
  for (const segment of pattern) {
    const shown = isParameter(segment) ? `{${segment.slice(1)}}` : segment;
    const next = [after(row[0] as Meant, missing(segment), shown)];
    for (const [at, one] of asked.entries()) {
      const wrong = wrongness(segment, one, near);
      const given = isParameter(segment) && one !== '' && one.length <= MAX_SHOWN_LENGTH ? one : shown;
      next.push(
        least([
          ...(wrong === null ? [] : [after(row[at] as Meant, wrong, given)]),
          after(row[at + 1] as Meant, missing(segment), shown),
          after(next[at] as Meant, tooMuch(one, near), ''),
        ]),
      );
    }
    row = next;
  }
  return row.at(-1) as Meant;
}

const after = ({ far, path }: Meant, wrong: number, segment: string): Meant => ({
  far: far + wrong,
  path: segment === '' ? path : `${path}/${segment}`,
});

const least = (ways: readonly Meant[]): Meant => ways.reduce((best, way) => (way.far < best.far ? way : best));

/** What a path begins with is left out more easily than the rest. */
const missing = (segment: string): number => (PREFIX.test(segment) ? 0.5 : isParameter(segment) ? 1 : 1.5);

/** What is no name of ours may be an id, and whose it is nobody can tell: it is not passed over. */
function tooMuch(asked: string, near: Map<string, Set<string>>): number {
  if (PREFIX.test(asked)) return 0.5;
  if (asked === '') return 1;
  return near.has(asked) ? 1.5 : FARTHEST + 1;
}

/** null: the one cannot stand for the other. */
function wrongness(segment: string, asked: string, near: Map<string, Set<string>>): number | null {
  if (isParameter(segment)) return asked === '' ? 0.5 : PREFIX.test(asked) ? null : 0;
  if (segment === asked) return 0;
  return near.get(segment)?.has(asked) ? MISSPELT : null;
}

const isParameter = (segment: string): boolean => segment.startsWith(':');
