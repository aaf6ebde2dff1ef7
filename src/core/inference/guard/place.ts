import type { Secret, SecretKind } from './secret.ts';

/** A text that goes out, with what stands in the places of its secrets. */
interface Place {
  keep(text: string): string;
  /** A secret begins; `hide` takes it, in one or more pieces. */
  begin(kind: SecretKind): string;
  hide(text: string): string;
}

const standIn = (kind: SecretKind): string => `[redacted: ${kind}]`;

export const createTextPlace = (): Place => ({ keep: (text) => text, begin: standIn, hide: () => '' });

/** Where secrets are left out of JSON: its structure stays, a bare value (a number) becomes a string. */
export function createJsonPlace(): Place {
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
    keep(text) {
      for (const character of text) bare = !step(character) && !inString && isBare(character);
      return text;
    },
    begin(kind) {
      marker = standIn(kind);
      return '';
    },
    hide(text) {
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

/** `secrets` in order, none over another. */
export function redact(text: string, secrets: readonly Readonly<Secret>[], { json = false } = {}): string {
  const place = json ? createJsonPlace() : createTextPlace();
  let [clean, at] = ['', 0];
  for (const { start, end, kind } of secrets) {
    clean += place.keep(text.slice(at, start)) + place.begin(kind) + place.hide(text.slice(start, end));
    at = end;
  }
  return clean + place.keep(text.slice(at));
}
