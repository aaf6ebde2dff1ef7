import { placeOf } from '../../../core/address-book/entry-rules.ts';
import { btcProblem, parseBtc } from '../../../core/amount.ts';
import { DomainError, refuseAll } from '../../../core/errors.ts';
import { feeChoiceProblem, parseFeeChoice } from '../../../core/fee-rate.ts';
import type { WalletId } from '../../../core/ids.ts';
import type { Network } from '../../../core/network.ts';
import type { Treasury } from '../treasury.ts';
import { type Given, type PayingType, refused, type TreasuryPayment, unknownAmong } from './proposal-type.ts';

const MOST_RECIPIENTS = 100;

/** The parameters as they are kept name the treasury of the time: no other wallet ever pays it. */
export function createTreasurySpend({ network, treasury }: { network: Network; treasury: Treasury }): PayingType {
  /** Adds what is wrong with it to `problems`. */
  function recipientAt(given: unknown, index: number, problems: DomainError[]) {
    const field = `recipients[${index}]`;
    const { address, amount, ...rest } = ((typeof given === 'object' ? given : null) ?? {}) as Given;
    for (const name of Object.keys(rest).slice(0, 1))
      problems.push(refused(`${field}.${name.slice(0, 100)}`, 'is unknown: there are address, amount'));
    const paid = { address: '', amount: 0n };
    try {
      if (typeof address !== 'string') throw new DomainError('invalid_value', 'must be an address');
      paid.address = placeOf(address, network).address;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      problems.push(error.at(`parameters.${field}.address`));
    }
    const problem = typeof amount !== 'string' ? 'must be a decimal amount of BTC, as text' : btcProblem(amount);
    if (problem === null) paid.amount = parseBtc(amount as string);
    else problems.push(refused(`${field}.amount`, problem));
    return paid;
  }

  function pays(parameters: Given): TreasuryPayment {
    const { recipients: given, fee_rate: feeRate = 'auto', wallet_id: walletId } = parameters;
    if (!Array.isArray(given) || given.length === 0 || given.length > MOST_RECIPIENTS)
      throw refused('recipients', `must be a list of 1 to ${MOST_RECIPIENTS} recipients, each with address and amount`);
    const problem = typeof feeRate === 'string' ? feeChoiceProblem(feeRate) : 'must be a text';
    const problems = unknownAmong(parameters, ['recipients', 'fee_rate', 'wallet_id']);
    if (problem !== null) problems.push(refused('fee_rate', problem));
    const recipients = given.map((one, index) => recipientAt(one, index, problems));
    refuseAll(problems);
    return { walletId: walletId as WalletId, feeRate: parseFeeChoice(feeRate as string), recipients };
  }

  return {
    async check(tx, { accountId }, parameters) {
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
