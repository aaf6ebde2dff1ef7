/** What is asked of a JSON text before it is parsed. */

/** Objects and arrays within each other. The deepest request of ours has five. */
const MAX_DEPTH = 32;

/**
 * Why a text that may be JSON is not worth parsing ("has …"), or null. Also what JSON.parse would quietly change is refused: of two equal
 * names it keeps the last, and half a surrogate pair can't be stored, nor can NUL (`nul`: taken in strings, not in names). Iterative: a deep text must not exhaust the stack.
 */
export function jsonProblem(text: string, { nul = false }: { nul?: boolean } = {}): string | null {
  /** The names in each open object; null for an array. */
  const open: (Set<string> | null)[] = [];
  let nameIsNext = false;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: {
        const end = endOfString(text, i + 1);
        const inner = text.slice(i + 1, end);
        const value = inner.includes('\\') ? unescaped(inner) : inner;
        if (value?.includes('\0') && !(nul && !nameIsNext)) return 'has a NUL character (\\u0000) in a string';
        if (value?.isWellFormed() === false) return 'has half a surrogate pair (\\ud800 to \\udfff) in a string';
        const names = open.at(-1);
        if (nameIsNext && names && value !== null) {
          if (names.has(value)) return `has the field ${value.slice(0, 100)} twice in one object`;
          names.add(value);
        }
        nameIsNext = false;
        i = end;
        break;
      }
      case 0x7b:
      case 0x5b: {
        const isObject = text[i] === '{';
        if (open.push(isObject ? new Set() : null) > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`;
        nameIsNext = isObject;
        break;
      }
      case 0x7d:
      case 0x5d:
        open.pop();
        nameIsNext = false;
        break;
      case 0x2c:
        nameIsNext = open.at(-1) instanceof Set;
    }
  }
  return null;
}

/** Where the closing quote stands; the text's length where there is none. */
function endOfString(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (character === 0x22) return i;
    if (character === 0x5c) i++;
  }
  return text.length;
}

/** What a JSON string with escapes says; null where it is none, which the parser tells. */
function unescaped(inner: string): string | null {
  try {
    return JSON.parse(`"${inner}"`) as string;
  } catch {
    return null;
  }
}
