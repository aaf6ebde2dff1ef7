import { detectCards } from './cards.ts';
import { detectBase64, detectHexText } from './encoded.ts';
import { detectHexKeys } from './hex-keys.ts';
import { detectPhrases } from './phrases.ts';
import { detectPrefixed } from './prefixed.ts';
import { readPlain } from './read-plain.ts';
import type { Detector, Secret } from './secret.ts';

/** Encodings within encodings: Base64 of Base64, hex of Base64, and so on. */
const MAX_DEPTH = 2;

const earliest = (detectors: readonly Detector[]): number => {
  let from = Number.POSITIVE_INFINITY;
  for (const detector of detectors) from = Math.min(from, detector.openFrom());
  return from;
};

/** Adds what it finds, in any order and one over the other. */
export function readSecrets(found: Secret[], depth = 0): Detector {
  const detectors = [detectPrefixed(found), detectPhrases(found), detectHexKeys(found), detectCards(found)];
  if (depth < MAX_DEPTH) {
    const read = () => readSecrets(found, depth + 1);
    detectors.push(detectBase64(read), detectHexText(read));
  }
  const plain = readPlain((code, start, end) => {
    for (const detector of detectors) detector.push(code, start, end);
  });
  return {
    push: plain.push,
    end() {
      plain.end();
      for (const detector of detectors) detector.end();
    },
    openFrom: () => Math.min(plain.openFrom(), earliest(detectors)),
  };
}

/** In order, none over another. */
export function apart<S extends Secret>(found: readonly S[]): S[] {
  const clear: S[] = [];
  for (const secret of found.toSorted((one, other) => one.start - other.start)) {
    const last = clear.at(-1);
    if (last !== undefined && secret.start < last.end) last.end = Math.max(last.end, secret.end);
    else clear.push(secret);
  }
  return clear;
}

/** The secrets of a text, in order, none over another. */
export function findSecrets(text: string): readonly Readonly<Secret>[] {
  const found: Secret[] = [];
  const reader = readSecrets(found);
  for (let i = 0; i < text.length; i++) reader.push(text.charCodeAt(i), i, i + 1);
  reader.end();
  return apart(found);
}
