import { DomainError, refuseAll } from '../../../core/errors.ts';
import { formatTokens, MAX_SUPPLY, parseTokens, tokens, tokensProblem } from '../../../core/governance/tokens.ts';
import type { DaoRecord } from '../../../store/repositories/governance.ts';
import type { Repositories } from '../../../store/store.ts';
import type { Holders } from '../holders.ts';
import { createMoves } from '../move-tokens.ts';
import { type AppliedType, assertTexts, type Given, refused } from './proposal-type.ts';

/**
 * As POST /tokens/mint does it, but by a vote: also where administrators may not. The parameters as they are kept name who has the address
 * when it is proposed: it may be another holder's by the time of execution.
 */
export function createTokenMint({ clock, holders }: { clock: () => number; holders: Holders }): AppliedType {
  const { move } = createMoves(clock);

  async function mint(tx: Repositories, dao: DaoRecord, parameters: Given) {
    assertTexts(parameters, { required: ['address', 'amount'], optional: ['reason', 'holder_id'] });
    const {
      address: named,
      amount,
      reason = null,
      holder_id: address = named,
    } = parameters as { address: string; amount: string; reason?: string; holder_id?: string };
    const problem = tokensProblem(amount) ?? (/[1-9]/.test(amount) ? null : 'must be above 0');
    const problems = problem === null ? [] : [refused('amount', problem)];
    const to = await holders.receiver(tx, dao.accountId, address).catch((error: unknown) => {
      if (!(error instanceof DomainError)) throw error;
      problems.push(error.at('parameters.address'));
      return null;
    });
    refuseAll(problems);
    const minted = parseTokens(amount);
    if (tokens(dao.supply + minted) > MAX_SUPPLY)
      throw new DomainError('too_large', `there can be at most ${formatTokens(MAX_SUPPLY)} tokens`, {
        field: 'parameters.amount',
      });
    return { ...to!, minted, reason };
  }

  return {
    async check(tx, dao, { holder_id: given, ...parameters }) {
      const { holderId } = await mint(tx, dao, parameters);
      if (given !== undefined && given !== holderId)
        throw refused('holder_id', `must be the holder with this address, ${holderId}, where it is given`);
      return { ...parameters, holder_id: holderId };
    },
    async apply(tx, dao, parameters) {
      const { holderId, address, minted: amount, reason } = await mint(tx, dao, parameters);
      await move(tx, dao, { type: 'mint', to: holderId, amount, reason });
      const minted = { holder_id: holderId, address, amount: formatTokens(amount), reason };
      const supply = formatTokens(tokens(dao.supply + amount));
      return { before: { supply: formatTokens(dao.supply) }, after: { supply, minted } };
    },
  };
}
