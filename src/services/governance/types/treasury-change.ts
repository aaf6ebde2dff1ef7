import type { WalletId } from '../../../core/ids.ts';
import type { Treasury } from '../treasury.ts';
import { assertTexts, type ProposalType } from './proposal-type.ts';

/** Of proposals that are made afterwards: each spends the treasury of its time. */
export const createTreasuryChange = ({ assertFree, appoint }: Treasury): ProposalType => ({
  async check(tx, { accountId }, parameters) {
    assertTexts(parameters, { required: ['wallet_id'] });
    await assertFree(tx, accountId, parameters.wallet_id as WalletId, 'parameters.wallet_id');
  },
  apply: (tx, dao, parameters, context) =>
    appoint(tx, dao, { walletId: parameters.wallet_id as WalletId, field: 'parameters.wallet_id' }, context),
});
