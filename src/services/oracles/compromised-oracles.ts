/** Oracles that are known to have given their keys away: two events with one nonce, or two outcomes of one event. */
import { DomainError } from '../../core/errors.ts';
import type { OracleRecord } from '../../store/repositories/oracles.ts';

type Marks = Pick<OracleRecord, 'oracleId' | 'nonceReusedAt' | 'equivocatedAt'>;

/** Throws `contract_refused` where one of them is marked. */
export function requireUncompromised(oracles: readonly Marks[], field: string): void {
  for (const oracle of oracles) {
    const said = compromiseReason(oracle);
    if (said === null) continue;
    const slug = oracle.nonceReusedAt === null ? 'equivocated' : 'nonce_reused';
    throw new DomainError('contract_refused', `${slug}: ${said}`, { field });
  }
}

/** In words; null where nothing is known against it. */
export function compromiseReason({ oracleId, nonceReusedAt, equivocatedAt }: Marks): string | null {
  if (nonceReusedAt !== null)
    return `oracle ${oracleId} announced two events with one nonce: who sees it attest both has its key`;
  if (equivocatedAt !== null)
    return `oracle ${oracleId} attested two outcomes of one event: whoever has seen both has its key`;
  return null;
}
