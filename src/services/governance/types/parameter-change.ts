import { changedParameters } from '../../../core/governance/parameters.ts';
import type { Network } from '../../../core/network.ts';
import type { AppliedType } from './proposal-type.ts';

/** Of proposals that are made afterwards: each has a copy of the parameters of its time. */
export const createParameterChange = (network: Network): AppliedType => ({
  async check(_tx, dao, parameters) {
    changedParameters(dao.parameters, parameters, network);
    return parameters;
  },
  async apply(tx, { accountId, parameters: before }, parameters) {
    const after = changedParameters(before, parameters, network);
    await tx.governance.updateDao(accountId, { parameters: after });
    return { before, after };
  },
});
