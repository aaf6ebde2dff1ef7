import type { ContractCase, ContractInfo } from '../contract-info.ts';

/**
 * Whether a contract has no more than so many adaptor signatures, as told by its terms without going through them; where that does not
 * tell, it is not small.
 */
export function isSmall({ cases }: ContractInfo, most: number): boolean {
  return cases.reduce((sum, contractCase) => sum + atMost(contractCase), 0) <= most;
}

function atMost({ descriptor, oracleInfo }: ContractCase): number {
  const outcomes = descriptor.kind === 'enumerated' ? descriptor.payouts.length : 2 ** descriptor.digits;
  if (oracleInfo.kind === 'single') return outcomes;
  // Of oracles whose values may differ there are many ways to agree.
  if (descriptor.kind === 'numeric') return Number.POSITIVE_INFINITY;
  return outcomes * choices(oracleInfo.announcements.length, oracleInfo.threshold);
}

/** How many sets of so many there are. */
function choices(all: number, chosen: number): number {
  let product = 1;
  for (let at = 0; at < Math.min(chosen, all - chosen); at++) {
    product = (product * (all - at)) / (at + 1);
    if (product > 1e9) break;
  }
  return product;
}
