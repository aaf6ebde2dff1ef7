/** Tokens that a holder lets others vote with. They stay its own, and can be taken back at any time. */
import { roleReaches } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import { formatTokens, type Tokens } from '../../core/governance/tokens.ts';
import { type Id, newId } from '../../core/ids.ts';
import type { Page, PageRequest } from '../../store/records.ts';
import type { DelegationRecord } from '../../store/repositories/delegations.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { Daos, GovernanceDeps } from './daos.ts';
import type { Ends } from './ends.ts';
import { tell } from './governance-events.ts';
import type { Holders } from './holders.ts';
import { createMoves } from './move-tokens.ts';

export type { DelegationRecord };

/** Of a holder: a vote may take back from each of them. */
const MAX_DELEGATIONS = 100;

const changeOf = ({ delegationId, holderId, delegateId, amount }: DelegationRecord, revoked: boolean) => ({
  ...{ event: 'delegation_changed' as const, delegation_id: delegationId, holder_id: holderId },
  ...{ delegate_id: delegateId, amount: formatTokens(amount), revoked },
});

export function createDelegations({
  store: { read },
  clock,
  randomBytes,
  daos,
  holders,
  ends,
}: GovernanceDeps & { daos: Daos; holders: Holders; ends: Ends }) {
  const { delegate } = createMoves(clock);

  return {
    /** Throws `not_found`, `state_conflict`, `invalid_value`, `insufficient_funds`. */
    async give(
      { delegateAddress, amount }: { delegateAddress: string; amount: Tokens },
      context: RequestContext,
    ): Promise<DelegationRecord> {
      await ends.endDue(context.accountId);
      return daos.change(context, async (tx, dao) => {
        const { accountId } = dao;
        const { holderId, address: holderAddress } = await holders.self(tx, context);
        const to = await holders.receiver(tx, accountId, delegateAddress, 'delegate_address');
        if (holderId === to.holderId)
          throw new DomainError('invalid_value', 'must be another holder: you vote with these tokens anyway', {
            field: 'delegate_address',
          });
        if ((await tx.delegations.countGiven(accountId, holderId)) >= MAX_DELEGATIONS)
          throw new DomainError(
            'state_conflict',
            `a holder has at most ${MAX_DELEGATIONS} delegations: DELETE /v1/governance/tokens/delegations/{delegation_id} ends one`,
          );
        const sides = { from: holderId, to: to.holderId, amount };
        const { seq: fromSeq, createdAt } = await delegate(tx, dao, { type: 'delegate', ...sides });
        const result: DelegationRecord = {
          ...{ accountId, delegationId: newId('dlg', randomBytes), holderId, holderAddress, amount },
          ...{ delegateId: to.holderId, delegateAddress: to.address },
          ...{ fromSeq, createdAt },
        };
        await tx.delegations.insert(result);
        await tell(tx, accountId, changeOf(result, false));
        return { result, target: result.delegationId };
      });
    },

    /** One's own; an administrator, also that of a holder who was deleted or revoked. Throws `not_found`. */
    end: (delegationId: Id<'dlg'>, context: RequestContext): Promise<undefined> =>
      daos.change(context, async (tx, dao) => {
        const found = await tx.delegations.find(dao.accountId, delegationId);
        const { holderId } = await holders.self(tx, context);
        const mayEnd =
          found?.holderId === holderId ||
          (found &&
            roleReaches(context.credential.role, 'admin') &&
            !(await holders.stands(tx, dao.accountId, found.holderId)));
        if (!found || !mayEnd)
          throw new DomainError('not_found', 'you have no such delegation', { field: 'delegation_id' });
        const { holderId: from, delegateId: to, amount } = found;
        await delegate(tx, dao, { type: 'undelegate', from, to, amount });
        await tx.delegations.end(found);
        await tell(tx, dao.accountId, changeOf(found, true));
        return { result: undefined, target: delegationId };
      }),

    /** That stand, newest first: given or received by whoever asks, or by the holder with this address or id. Throws as `holders.get` does. */
    async list(
      { address, direction }: { address: string | undefined; direction: 'given' | 'received' },
      page: PageRequest,
      context: RequestContext,
    ): Promise<Page<DelegationRecord>> {
      const { accountId } = context;
      await daos.of(accountId);
      const { holderId } =
        address === undefined
          ? await holders.self(read, context)
          : await holders.named(read, accountId, address, 'query.address');
      const of = direction === 'given' ? { holderId } : { delegateId: holderId };
      return read.delegations.list({ accountId, ...of }, page);
    },
  };
}
export type Delegations = ReturnType<typeof createDelegations>;
