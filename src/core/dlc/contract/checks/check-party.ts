import { ecc } from '../../../keys/ecc.ts';
import type { Dialect } from '../../dialect.ts';
import type { ContractParty, OfferMessage } from '../../dlc-messages.ts';
import type { FundingCoin, Side } from '../../transactions/funding-coins.ts';
import { partyFunding } from '../../transactions/funding-transaction.ts';
import { checkDuplicates, checkFundingInputs } from './check-funding-inputs.ts';
import type { CheckList } from './check-list.ts';
import { scriptProblem } from './script-standardness.ts';

export interface PartyChecks {
  readonly list: CheckList;
  readonly side: Side;
  readonly party: ContractParty;
  readonly offer: OfferMessage;
  readonly dialect: Dialect;
  /** The other side's coins, where the message is the accepter's. */
  readonly others: readonly FundingCoin[];
}

/** What holds of each side alike: key, scripts, inputs, and that these suffice for collateral and fees. Answers the coins, null in doubt. */
export function checkParty({ list, side, party, offer, dialect, others }: PartyChecks): FundingCoin[] | null {
  list.judge('funding_key', isCompressed(party.fundingPublicKey) ? null : 'is no compressed public key');
  list.judge('payout_script', scriptProblem(party.payoutScript));
  list.judge('change_script', scriptProblem(party.changeScript));
  const coins = checkFundingInputs(list, side, party);
  if (coins === null) {
    list.skip('duplicate_inputs', 'not all inputs are known');
    list.skip('funding_amount', 'not all inputs are known');
    return null;
  }
  checkDuplicates(list, coins, others);
  const { contractInfo, feeRateSatVb } = offer;
  list.attempt('funding_amount', () =>
    partyFunding(side, party, feeRateSatVb, contractInfo.totalCollateralSats, dialect),
  );
  return coins;
}

const isCompressed = (key: Uint8Array): boolean => key.length === 33 && ecc.isPoint(key);
