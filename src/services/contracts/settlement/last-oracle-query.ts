/** Once more before the collateral goes back: an oracle may have spoken, and nobody told us. */

import type { AccountId, OracleId } from '../../../core/ids.ts';
import { createFairQueue } from '../../../scheduling/fair-queue.ts';
import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { OracleService } from '../../oracles/oracle-service.ts';

/** Asks all oracles of a contract at the same time. False where one could not be asked just now, since too many are. */
export type LastOracleQuery = (contract: ContractRecord, signal: AbortSignal) => Promise<boolean>;

/** Less than may be asked at once (src/engines/fetching), so that no refund is made since an oracle was not asked at all. */
const AT_ONCE = 24;
const AT_ONCE_FOR_ONE = 4;

export function createLastOracleQuery(deps: {
  oracles: Pick<OracleService, 'attestationsOf' | 'askForAttestation'>;
}): LastOracleQuery {
  const { oracles } = deps;
  const queue = createFairQueue({ all: AT_ONCE, ofAccount: AT_ONCE_FOR_ONE });

  async function wasAsked(accountId: AccountId, oracleId: OracleId, eventId: string, signal: AbortSignal) {
    const kept = await oracles.attestationsOf(accountId, oracleId, eventId);
    if (kept.length > 0) return true;
    const { failure } = await queue.take({ accountId, signal }, () =>
      oracles.askForAttestation(accountId, oracleId, eventId, signal),
    );
    return failure !== 'too_many' && failure !== 'aborted';
  }

  return async ({ accountId, oracleIds, eventIds }, signal) => {
    const asked = await Promise.all(
      oracleIds.map((oracleId, position) => wasAsked(accountId, oracleId, eventIds[position]!, signal)),
    );
    return asked.every((was) => was);
  };
}
