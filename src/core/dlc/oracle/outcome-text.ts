import type { OracleEvent } from '../oracle-event.ts';

/** What was attested as records and callers write it: the text of an enumerated outcome, a number in decimals. */
export function outcomeText({ descriptor }: Pick<OracleEvent, 'descriptor'>, attested: readonly string[]): string {
  if (descriptor.kind === 'enum') return attested[0] ?? '';
  const negative = descriptor.signed && attested[0] === '-';
  const digits = descriptor.signed ? attested.slice(1) : attested;
  const value = digits.reduce((sum, digit) => sum * BigInt(descriptor.base) + BigInt(digit), 0n);
  return `${negative && value > 0n ? '-' : ''}${value}`;
}
