/** Tokens of a DAO as requests see and move them. */
import { DomainError } from '../../core/errors.ts';
import { formatTokens, type Tokens } from '../../core/governance/tokens.ts';
import type { Page, PageRequest } from '../../store/records.ts';
import type { EntryRecord } from '../../store/repositories/governance.ts';
import type { Repositories } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { Daos, GovernanceDeps } from './daos.ts';
import type { Ends } from './ends.ts';
import type { Holders } from './holders.ts';
import { type HolderTokens, withLocked } from './locked.ts';
import { createMoves } from './move-tokens.ts';

interface Movement {
  /** A holder's address or id. */
  readonly address: string;
  readonly amount: Tokens;
}

export function createTokenService({
  store: { read },
  clock,
  daos,
  holders,
  ends,
}: GovernanceDeps & { daos: Daos; holders: Holders; ends: Ends }) {
  const { move } = createMoves(clock);

  /** Whose burning leaves everybody else's share of the power to decide as it was, or is the holder's own. Throws `state_conflict`. */
  async function assertMayBurn(tx: Repositories, holderId: string, context: RequestContext): Promise<void> {
    const self = await holders.self(tx, context);
    if (self.holderId === holderId || !(await holders.stands(tx, context.accountId, holderId))) return;
    const message = 'admin_mint is false: of others, tokens are burned only once they are deleted or revoked';
    throw new DomainError('state_conflict', message, { field: 'address' });
  }

  /** Where changes of rules wait for approval, this does: tokens decide. */
  const byAdmin = (
    type: 'mint' | 'burn',
    { address, amount, reason }: Movement & { reason: string },
    context: RequestContext,
  ): Promise<EntryRecord> =>
    daos.change(context, async (tx, dao) => {
      if (type === 'mint' && !dao.parameters.admin_mint)
        throw new DomainError('state_conflict', 'admin_mint is false: tokens are minted by proposals only');
      const { holderId, address: shown } =
        type === 'mint'
          ? await holders.receiver(tx, context.accountId, address)
          : await holders.named(tx, context.accountId, address, 'address');
      if (type === 'burn' && !dao.parameters.admin_mint) await assertMayBurn(tx, holderId, context);
      const side = type === 'mint' ? { to: holderId } : { from: holderId };
      const result = await move(tx, dao, { type, ...side, amount, reason });
      const after = { type, holder_id: holderId, address: shown, amount: formatTokens(amount), reason };
      return { result, target: holderId, change: { before: null, after } };
    });

  return {
    async balance(context: RequestContext): Promise<HolderTokens> {
      await daos.of(context.accountId);
      await ends.endDue(context.accountId);
      return withLocked(read, await holders.self(read, context));
    },

    supply: ({ accountId }: RequestContext) => daos.of(accountId),

    /** Newest first: of the holder with this address or id, or of all. Throws as `holders.get` does. */
    async history(
      name: string | undefined,
      page: PageRequest,
      { accountId }: RequestContext,
    ): Promise<Page<EntryRecord>> {
      const dao = await daos.of(accountId);
      const of = name === undefined ? dao : await holders.named(read, accountId, name, 'query.address');
      return read.governance.entries(of, page);
    },

    /** Throws `not_found`, `too_large`, `state_conflict`. */
    mint: (given: Movement & { reason: string }, context: RequestContext) => byAdmin('mint', given, context),
    /** Throws `not_found`, `insufficient_funds`, `state_conflict`. */
    async burn(given: Movement & { reason: string }, context: RequestContext): Promise<EntryRecord> {
      await ends.endDue(context.accountId);
      return byAdmin('burn', given, context);
    },

    /** Answers the giver's entry. Throws `not_found`, `state_conflict`, `insufficient_funds`, `invalid_value`. */
    async transfer({ address, amount }: Movement, context: RequestContext): Promise<EntryRecord> {
      await ends.endDue(context.accountId);
      return daos.change(context, async (tx, dao) => {
        const { holderId: from } = await holders.self(tx, context);
        const { holderId: to } = await holders.receiver(tx, context.accountId, address);
        if (from === to)
          throw new DomainError('invalid_value', 'must be another holder: these tokens are yours', {
            field: 'address',
          });
        const result = await move(tx, dao, { type: 'transfer', from, to, amount, reason: null });
        return { result, target: to };
      });
    },
  };
}
export type TokenService = ReturnType<typeof createTokenService>;
