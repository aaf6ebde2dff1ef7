/** What is never forwarded to a model nor answered by one. */
export type SecretKind =
  | 'WIF private key'
  | 'extended private key'
  | 'private key in hex'
  | 'nsec private key'
  | 'PEM private key'
  | 'JWK private key'
  | 'BIP39 phrase'
  | 'API key'
  | 'token'
  | 'JSON Web Token'
  | 'webhook secret'
  | 'second factor'
  | 'card number';

/** Offsets of UTF-16 code units. `end` grows while what follows belongs to it. */
export interface Secret {
  readonly start: number;
  end: number;
  readonly kind: SecretKind;
}

/** Takes a character, and where it stands in the text as it was written. */
export type Sink = (code: number, start: number, end: number) => void;

/**
 * Reads a text once, character by character, so that it makes no difference in which pieces it comes. What it finds it adds to a list;
 * whatever it still finds begins at `openFrom()` or later.
 */
export interface Detector {
  readonly push: Sink;
  end(): void;
  openFrom(): number;
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

const WORD = new Uint8Array(65_536);
for (let code = 0; code < 65_536; code++) {
  if (code < 0xd800 || code > 0xdfff) WORD[code] = /[\p{L}\p{M}\p{N}]/u.test(String.fromCharCode(code)) ? 1 : 0;
}
/** Letters and digits of any script. */
export const isWord = (code: number): boolean => WORD[code] === 1;

export { isDigit };
