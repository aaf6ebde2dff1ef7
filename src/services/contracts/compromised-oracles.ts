/** Open contracts whose oracles have given their keys away: whoever has one attests what he likes. */

import type { AccountId } from '../../core/ids.ts';
import type { ContractRecord, ContractStatus } from '../../store/repositories/contract-rows.ts';
import type { Repositories } from '../../store/store.ts';
import { compromiseReason } from '../oracles/compromised-oracles.ts';

const OPEN: readonly ContractStatus[] = ['awaiting_approval', 'offered', 'accepted', 'signed', 'funded', 'confirmed'];

/** What is known against the oracles of each, of one account's, in words. */
export async function compromisedOraclesOf(
  read: Pick<Repositories, 'oracles'>,
  accountId: AccountId,
  contracts: readonly Pick<ContractRecord, 'status' | 'oracleIds'>[],
): Promise<string[][]> {
  const open = contracts.filter(({ status }) => OPEN.includes(status));
  const ids = [...new Set(open.flatMap(({ oracleIds }) => oracleIds))];
  const marked = ids.length === 0 ? [] : await read.oracles.compromised(accountId, ids);
  const said = new Map(marked.map((oracle) => [oracle.oracleId, compromiseReason(oracle)]));
  return contracts.map((contract) =>
    open.includes(contract) ? [...new Set(contract.oracleIds)].flatMap((oracleId) => said.get(oracleId) ?? []) : [],
  );
}
