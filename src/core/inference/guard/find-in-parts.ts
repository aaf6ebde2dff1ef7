import { apart, findSecrets } from './find-secrets.ts';
import type { Secret } from './secret.ts';

export interface PartsParams {
  readonly texts: readonly string[];
  /** Parts that one wrote who may have cut a secret up, as lists of their places: they are read together, too. */
  readonly together: readonly (readonly number[])[];
}

export interface PartSecret extends Secret {
  readonly part: number;
}

/** What of `secret` is in which of the parts that were joined. */
function* inParts(secret: Readonly<Secret>, places: readonly { part: number; from: number; to: number }[]) {
  for (const { part, from, to } of places) {
    const [start, end] = [Math.max(secret.start, from) - from, Math.min(secret.end, to) - from];
    if (start < end) yield { part, start, end, kind: secret.kind };
  }
}

/** The secrets of several texts, also those that begin in one and end in another, in the order of the parts. */
export function findInParts({ texts, together }: PartsParams): PartSecret[] {
  const found: PartSecret[] = [];
  const read = (parts: readonly number[], between: string) => {
    let whole = '';
    const places = parts.map((part) => {
      if (whole !== '') whole += between;
      const from = whole.length;
      whole += texts[part];
      return { part, from, to: whole.length };
    });
    for (const secret of findSecrets(whole)) found.push(...inParts(secret, places));
  };
  read([...texts.keys()], '\n');
  for (const parts of together) {
    if (parts.length < 2) continue;
    read(parts, '');
    if (parts.some((part, i) => part !== i)) read(parts, '\n');
  }
  return [...texts.keys()].flatMap((part) => apart(found.filter((secret) => secret.part === part)));
}

export const secretsJobs = { 'secrets.find': findInParts };

/** Worst texts of so many characters take less than 10 ms. */
const FEW = 1_000;
export const isShortPrompt = ({ texts, together }: PartsParams): boolean => {
  const size = (parts: readonly number[]) => parts.reduce((sum, part) => sum + (texts[part] ?? '').length, 0);
  return size([...texts.keys()]) + together.reduce((sum, parts) => sum + 2 * size(parts), 0) <= FEW;
};
