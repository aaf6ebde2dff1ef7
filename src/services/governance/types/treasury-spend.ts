import { placeOf } from '../../../core/address-book/entry-rules.ts';
import { btcProblem, parseBtc } from '../../../core/amount.ts';
import { DomainError } from '../../../core/errors.ts';
import { feeChoiceProblem, parseFeeChoice } from '../../../core/fee-rate.ts';
import type { WalletId } from '../../../core/ids.ts';
import type { Network } from '../../../core/network.ts';
import type { Treasury } from '../treasury.ts';
import { assertKnown, type Given, type PayingType, refused, type TreasuryPayment } from './proposal-type.ts';

const MOST_RECIPIENTS = 100;

/** The parameters as they are kept name the treasury of the time: no other wallet ever pays it. */
export function createTreasurySpend({ network, treasury }: { network: Network; treasury: Treasury }): PayingType {
  function recipientAt(given: unknown, index: number): TreasuryPayment['recipients'][number] {
    const field = `recipients[${index}]`;
    const { address, amount, ...rest } = ((typeof given === 'object' ? given : null) ?? {}) as Given;
    const [unknown] = Object.keys(rest);
    if (unknown !== undefined)
      throw refused(`${field}.${unknown.slice(0, 100)}`, 'is unknown: there are address, amount');
    if (typeof address !== 'string') throw refused(`${field}.address`, 'must be an address');
    const problem = typeof amount !== 'string' ? 'must be a decimal amount of BTC, as text' : btcProblem(amount);
    if (problem !== null) throw refused(`${field}.amount`, problem);
    try {
      return { address: placeOf(address, network).address, amount: parseBtc(amount as string) };
    } catch (error) {
      throw error instanceof DomainError ? error.at(`parameters.${field}.address`) : error;
    }
  }

  function pays({ recipients, fee_rate: feeRate = 'auto', wallet_id: walletId }: Given): TreasuryPayment {
    if (!Array.isArray(recipients) || recipients.length === 0 || recipients.length > MOST_RECIPIENTS)
      throw refused('recipients', `must be a list of 1 to ${MOST_RECIPIENTS} recipients, each with address and amount`);
    const problem = typeof feeRate === 'string' ? feeChoiceProblem(feeRate) : 'must be a text';
    if (problem !== null) throw refused('fee_rate', problem);
    return {
      ...{ walletId: walletId as WalletId, feeRate: parseFeeChoice(feeRate as string) },
      recipients: recipients.map(recipientAt),
    };
  }

  return {
    async check(tx, { accountId }, parameters) {
      assertKnown(parameters, ['recipients', 'fee_rate', 'wallet_id']);
      const walletId = await treasury.current(tx, accountId);
      if (walletId === null)
        throw new DomainError('state_conflict', 'there is no treasury: PUT /v1/governance/dao/treasury sets one');
      const { wallet_id: named = walletId } = parameters;
      if (named !== walletId) throw refused('wallet_id', `must be the treasury, ${walletId}, where it is given`);
      const { recipients } = pays({ ...parameters, wallet_id: walletId });
      if (recipients.some(({ amount }) => amount === 0n)) throw refused('recipients', 'must each get more than 0');
      return { ...parameters, wallet_id: walletId };
    },
    pays,
  };
}
