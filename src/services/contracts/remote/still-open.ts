/** Who answers late may know how the contract ends: before each signature of ours it must still be open. */

import { locktimeProblem } from '../../../core/dlc/contract/checks/check-locktimes.ts';
import type { CheckContext } from '../../../core/dlc/contract/contract-checks.ts';
import type { OfferMessage } from '../../../core/dlc/dlc-messages.ts';
import { DomainError } from '../../../core/errors.ts';
import type { ContractRecord } from '../../../store/interfaces/contracts.ts';
import type { OracleService } from '../../oracles/oracle-service.ts';

/**
 * Throws `contract_refused` where an oracle has attested one of the events, as far as is known here or at its URL, or where the refund is
 * not locked any more. Of an oracle without URL nobody can be asked.
 */
export async function requireStillOpen(
  oracles: Pick<OracleService, 'attestationsOf' | 'fetchAttestation'>,
  { accountId, oracleIds, eventIds }: Pick<ContractRecord, 'accountId' | 'oracleIds' | 'eventIds'>,
  offer: OfferMessage,
  tip: CheckContext['tip'],
): Promise<void> {
  const locked = locktimeProblem(offer, tip);
  if (locked !== null) throw refused('locktimes', locked);
  for (const [position, oracleId] of oracleIds.entries()) {
    const eventId = eventIds[position]!;
    const [kept] = await oracles.attestationsOf(accountId, oracleId, eventId);
    if (kept) throw attested(oracleId, eventId);
  }
  for (const [position, oracleId] of oracleIds.entries()) {
    const eventId = eventIds[position]!;
    if (await oracles.fetchAttestation(accountId, oracleId, eventId)) throw attested(oracleId, eventId);
  }
}

const attested = (oracleId: string, eventId: string): DomainError =>
  refused(
    'attested',
    `oracle ${oracleId} has attested event ${eventId}: whoever answers now knows how the contract ends`,
  );

const refused = (check: string, why: string): DomainError =>
  new DomainError('contract_refused', `${check}: ${why}`, { field: 'contract_id' });
