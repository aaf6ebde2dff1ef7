/** A DAO at a glance: counters that changes keep, however many have voted. */
import type { RequestContext } from '../requests/request-context.ts';
import type { Daos } from './daos.ts';
import type { Ends } from './ends.ts';
import type { Treasury } from './treasury.ts';

export const createDaoStatus =
  ({ daos, ends, treasury }: { daos: Daos; ends: Ends; treasury: Treasury }) =>
  async ({ accountId }: RequestContext) => {
    await ends.endDue(accountId);
    const dao = await daos.of(accountId);
    return { ...dao, treasuryBalanceSats: await treasury.balanceSats(accountId) };
  };
