import type { WalletId } from '../../../core/ids.ts';
import type { Treasury } from '../treasury.ts';
import { type AppliedType, assertTexts } from './proposal-type.ts';

/** Of proposals that are made afterwards: each spends the treasury of its time. */
export const createTreasuryChange = ({ assertFree, appoint }: Treasury): AppliedType => ({
  async check(tx, { accountId }, parameters) {
    assertTexts(parameters, { required: ['wallet_id'] });
    await assertFree(tx, accountId, parameters.wallet_id as WalletId, 'parameters.wallet_id');
    return parameters;
  },
  async apply(tx, dao, { wallet_id: walletId }, context) {
    const named = { walletId: walletId as WalletId, field: 'parameters.wallet_id' };
    const { before, after } = await appoint(tx, dao, named, context);
    return { before: before ?? { wallet_id: null }, after };
  },
});
