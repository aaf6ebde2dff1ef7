import type { ContractPart } from './contract-parts.ts';

/**
 * Two cases (by index) that pay differently and whose signatures are encrypted under one point, or under a point and its negative: what
 * opens one CET opens the other, and whoever is quicker chooses. null where there are none. Of 100,000 cases it takes a few seconds.
 */
export function sharedPoint(parts: readonly ContractPart[]): readonly [number, number] | null {
  const known = new Map<string, { readonly caseIndex: number; readonly offerPayoutSats: bigint }>();
  for (const { cases, firstCase, encryptionPoint } of parts) {
    for (const [at, { attested, offerPayoutSats }] of cases.entries()) {
      const caseIndex = firstCase + at;
      // By x alone: the scalar of the negative is the negative scalar.
      const x = Buffer.from(encryptionPoint(attested).subarray(1, 33)).toString('latin1');
      const before = known.get(x);
      if (before === undefined) known.set(x, { caseIndex, offerPayoutSats });
      else if (before.offerPayoutSats !== offerPayoutSats) return [before.caseIndex, caseIndex];
    }
  }
  return null;
}
