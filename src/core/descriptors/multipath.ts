import { DomainError } from '../errors.ts';

/** BIP389 sets no bound; ours keeps the work of one text in proportion to its length. */
const MAX_PATHS = 8;

/**
 * The descriptors that one with `/<0;1>/` steps stands for: the first with every first value, and so on. All tuples have the same
 * number of values, and a key has one at most. Throws `invalid_descriptor`.
 */
export function expandMultipath(descriptor: string): string[] {
  const tuples = [...descriptor.matchAll(/\/<([^<>]*)>/g)].map((match) => (match[1] as string).split(';'));
  if (tuples.length === 0) {
    if (/[<>;]/.test(descriptor)) throw invalid('a multipath step is written /<0;1>');
    return [descriptor];
  }
  if (/\[[^[\]]*</.test(descriptor))
    throw invalid('a multipath step stands behind an extended key (BIP389), not within the brackets of its origin');
  for (const steps of tuples) {
    if (steps.some((step) => !/^(0|[1-9]\d{0,9})[h'H]?$/.test(step))) {
      throw invalid('a multipath step holds plain numbers below 2147483648, as in /<0;1>');
    }
    if (steps.length < 2 || new Set(steps).size !== steps.length) {
      throw invalid('a multipath step has two or more values, all different');
    }
  }
  const count = (tuples[0] as string[]).length;
  if (count > MAX_PATHS) throw invalid(`a multipath step has at most ${MAX_PATHS} values here`);
  if (tuples.some((steps) => steps.length !== count))
    throw invalid('all multipath steps have the same number of values');
  if (/\/<[^<>]*>[^,(){}]*\/</.test(descriptor)) throw invalid('a key has at most one multipath step');
  if (/musig\([^()]*<[^()]*\)\//.test(descriptor))
    throw invalid('musig() has its multipath step behind it or within it; with steps behind it, not within (BIP390)');
  return Array.from({ length: count }, (_, choice) =>
    descriptor.replace(/\/<([^<>]*)>/g, (_match, body: string) => `/${body.split(';')[choice]}`),
  );
}

const invalid = (message: string): DomainError => new DomainError('invalid_descriptor', message);
