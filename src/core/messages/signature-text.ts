import { ByteCursor } from '../blocks/byte-cursor.ts';
import { MalformedDataError } from '../blocks/malformed-data-error.ts';

/** `bip137` is the old compact signature with a header byte for a segwit address, which BIP322 advises against. */
export type MessageFormat = 'simple' | 'full' | 'proof-of-funds' | 'legacy' | 'bip137';

const PREFIXES: readonly (readonly [string, MessageFormat])[] = [
  ['smp', 'simple'],
  ['ful', 'full'],
  ['pof', 'proof-of-funds'],
];
export const COMPACT_SIZE = 65;

/** Base64 (RFC 4648 §4, padded) behind a prefix of BIP322. */
export function readSignatureText(text: string) {
  const found = PREFIXES.find(([name]) => text.startsWith(name));
  // "smp" and the rest are base64 digits, too, but no simple or compact signature begins with them.
  const encoded = found ? text.slice(3) : text;
  const bytes = Buffer.from(encoded, 'base64');
  return {
    /** null where there is no prefix: then a compact signature, or a simple one as before BIP322 was finished. */
    prefix: found?.[1] ?? null,
    /** null where it is no base64. */
    bytes: bytes.toString('base64') === encoded ? bytes : null,
  };
}

export const writeSignatureText = (format: MessageFormat, bytes: Uint8Array): string =>
  (PREFIXES.find(([, name]) => name === format)?.[0] ?? '') + Buffer.from(bytes).toString('base64');

/** A witness stack (BIP144) and nothing after it; null where the bytes are anything else. */
export function parseWitness(bytes: Uint8Array): Uint8Array[] | null {
  try {
    const cursor = new ByteCursor(bytes);
    const count = cursor.count(1, 'the witness item count');
    const witness = Array.from({ length: count }, () => cursor.take(cursor.compactSize('a length'), 'a witness item'));
    return cursor.remaining === 0 ? witness : null;
  } catch (error) {
    if (error instanceof MalformedDataError) return null;
    throw error;
  }
}
