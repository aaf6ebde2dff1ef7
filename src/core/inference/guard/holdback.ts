import { readSecrets } from './find-secrets.ts';
import { createJsonPlace, createTextPlace } from './place.ts';
import type { Secret, SecretKind } from './secret.ts';

export interface Holdback {
  /** What may go out. */
  push(piece: string): string;
  /** The rest, after the last piece. */
  end(): string;
}

interface Manner {
  /** The text is JSON and stays so. */
  readonly json?: boolean;
  readonly found?: (kind: SecretKind) => void;
}

/**
 * Of a text that comes in pieces, holds back the end that may still become a secret: at most 24 words of a phrase, or 256 characters as they
 * read once decoded. The pieces make no difference to what goes out in all.
 */
export function createHoldback({ json = false, found: told }: Manner = {}): Holdback {
  const found: Secret[] = [];
  const shown = new Set<Secret>();
  const reader = readSecrets(found);
  const place = json ? createJsonPlace() : createTextPlace();
  let raw = '';
  let [base, length] = [0, 0];

  const take = (to: number): string => {
    const text = raw.slice(0, to - base);
    raw = raw.slice(to - base);
    base = to;
    return text;
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
          out += place.keep(take(secret.start));
          told?.(secret.kind);
          out += place.begin(secret.kind);
        }
      }
      if (secret.end > base) out += place.hide(take(secret.end));
    }
    if (open > base) out += place.keep(take(open));
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
      for (let i = 0; i < piece.length; i++, length++) reader.push(piece.charCodeAt(i), length, length + 1);
      raw += piece;
      return release(Math.min(reader.openFrom(), length));
    },
    end() {
      reader.end();
      return release(length);
    },
  };
}
