import { readSecrets, standIn } from './find-secrets.ts';
import type { Secret, SecretKind } from './secret.ts';

export interface Holdback {
  /** What may go out. */
  push(piece: string): string;
  /** The rest, after the last piece. */
  end(): string;
  /** With `stops`: what nothing goes out after. */
  stoppedBy(): SecretKind | null;
}

interface Manner {
  /** The text is JSON and stays so. */
  readonly json?: boolean;
  /** Ends before the first secret; otherwise each is redacted. */
  readonly stops?: boolean;
  readonly found?: (kind: SecretKind) => void;
}

/** Where secrets are left out of JSON: its structure stays, a bare value (a number) becomes a string. */
function createJsonPlace() {
  let [inString, escaped, bare] = [false, false, false];
  let marker = '';
  /** Whether the character is a string's content. */
  const step = (character: string): boolean => {
    if (!inString) {
      inString = character === '"';
      return false;
    }
    if (escaped) escaped = false;
    else if (character === '\\') escaped = true;
    else inString = character !== '"';
    return inString;
  };
  const isBare = (character: string) => !/[\s",:{}[\]]/.test(character);
  return {
    keep(text: string): string {
      for (const character of text) bare = !step(character) && !inString && isBare(character);
      return text;
    },
    begin(kind: SecretKind): void {
      marker = standIn(kind);
    },
    hide(text: string): string {
      let left = '';
      for (const character of text) {
        const content = step(character);
        if (content) {
          left += marker;
          marker = '';
        } else if (inString || !isBare(character)) {
          left += character;
          bare = false;
        } else {
          // After a sign no string can be.
          if (!bare) left += marker === '' ? 'null' : `"${marker}"`;
          else if (marker !== '') left += '0';
          marker = '';
          bare = true;
        }
      }
      return left;
    },
  };
}

/**
 * Of a text that comes in pieces, holds back the end that may still become a secret: at most 24 words of a phrase, or 256 characters as they
 * read once decoded. The pieces make no difference to what goes out in all.
 */
export function createHoldback({ json = false, stops = false, found: told }: Manner = {}): Holdback {
  const found: Secret[] = [];
  const shown = new Set<Secret>();
  const reader = readSecrets(found);
  const place = json ? createJsonPlace() : null;
  let raw = '';
  let [base, length] = [0, 0];
  let stopped: SecretKind | null = null;

  const take = (to: number): string => {
    const text = raw.slice(0, to - base);
    raw = raw.slice(to - base);
    base = to;
    return text;
  };
  const keep = (to: number): string => {
    const text = take(to);
    return place === null ? text : place.keep(text);
  };
  /** All secrets that begin before `open` are known. */
  const release = (open: number): string => {
    let out = '';
    found.sort((one, other) => one.start - other.start);
    for (const secret of found) {
      if (!shown.has(secret)) {
        if (secret.start >= open) break;
        shown.add(secret);
        if (secret.start >= base) {
          out += keep(secret.start);
          told?.(secret.kind);
          if (stops) {
            stopped = secret.kind;
            return out;
          }
          if (place === null) out += standIn(secret.kind);
          else place.begin(secret.kind);
        }
      }
      if (secret.end > base) {
        const hidden = take(secret.end);
        if (place !== null) out += place.hide(hidden);
      }
    }
    if (open > base) out += keep(open);
    // One that still grows ends where the text that is left begins, or later.
    for (let i = found.length - 1; i >= 0; i--) {
      const secret = found[i] as Secret;
      if (shown.has(secret) && secret.end < base) {
        found.splice(i, 1);
        shown.delete(secret);
      }
    }
    return out;
  };
  return {
    push(piece) {
      if (stopped !== null) return '';
      for (let i = 0; i < piece.length; i++, length++) reader.push(piece.charCodeAt(i), length, length + 1);
      raw += piece;
      return release(Math.min(reader.openFrom(), length));
    },
    end() {
      if (stopped !== null) return '';
      reader.end();
      return release(length);
    },
    stoppedBy: () => stopped,
  };
}
