import { MAX_SATS } from '../../amount.ts';
import { hex } from '../../bytes.ts';
import { DomainError } from '../../errors.ts';
import { p2wsh } from '../../scripts/output-scripts.ts';
import type { Dialect } from '../dialect.ts';
import type { ContractParty, OfferMessage } from '../dlc-messages.ts';
import { type FeeShare, feeShare, type PartyFees, partyFees } from './contract-fees.ts';
import {
  type ContractOutput,
  type ContractTransaction,
  contractTransaction,
  DUST_LIMIT_SATS,
  sumOf,
} from './contract-transaction.ts';
import { type FundingCoin, fundingCoins, type Side } from './funding-coins.ts';
import { fundingScript } from './funding-script.ts';

export interface FundingTransaction extends ContractTransaction {
  readonly inputs: readonly FundingCoin[];
  /** Where the 2-of-2 output is. */
  readonly vout: number;
  /** Of the 2-of-2 output: total collateral and both sides' closing fees. */
  readonly amountSats: bigint;
  /** The 2-of-2 witness script. */
  readonly script: Uint8Array;
  readonly fees: Readonly<Record<Side, PartyFees>>;
  /** What was left of each side's inputs; below the dust limit no output is made of it. */
  readonly changeSats: Readonly<Record<Side, bigint>>;
}

/**
 * Inputs and outputs by ascending serial id, locktime 0 (dlcspecs Transactions.md). Change below the dust limit goes to the fee, as
 * rust-dlc and dlcdevkit do; the document asks for more inputs then. Throws `contract_refused` where a side's inputs do not suffice.
 */
export function fundingTransaction(
  offer: OfferMessage,
  acceptParty: ContractParty,
  dialect: Dialect,
): FundingTransaction {
  const totalSats = offer.party.collateralSats + acceptParty.collateralSats;
  const offered = partyFunding('offer', offer.party, offer.feeRateSatVb, totalSats, dialect);
  const accepted = partyFunding('accept', acceptParty, offer.feeRateSatVb, totalSats, dialect);
  const amountSats = totalSats + offered.fees.closingFeeSats + accepted.fees.closingFeeSats;
  const script = fundingScript(offer.party.fundingPublicKey, acceptParty.fundingPublicKey);
  const funding: ContractOutput = { scriptPubKey: hex(p2wsh(script)), amountSats };
  const outputs = bySerialId([
    { serialId: offer.fundOutputSerialId, output: funding },
    { serialId: offer.party.changeSerialId, output: changeOutput(offer.party, offered.changeSats) },
    { serialId: acceptParty.changeSerialId, output: changeOutput(acceptParty, accepted.changeSats) },
  ])
    .map(({ output }) => output)
    .filter((output) => output.amountSats >= DUST_LIMIT_SATS);
  const inputs = bySerialId([...offered.coins, ...accepted.coins]);
  const feeSats = sumOf(inputs) - sumOf(outputs);
  return {
    ...contractTransaction({ locktime: 0, inputs, outputs, feeSats }),
    inputs,
    vout: outputs.indexOf(funding),
    amountSats,
    script,
    fees: { offer: offered.fees, accept: accepted.fees },
    changeSats: { offer: offered.changeSats, accept: accepted.changeSats },
  };
}

/** What one side brings, pays and has left. Throws `contract_refused`. */
export function partyFunding(
  side: Side,
  party: ContractParty,
  feeRateSatVb: bigint,
  totalCollateralSats: bigint,
  dialect: Dialect,
) {
  const share = feeShare(party.collateralSats, totalCollateralSats, dialect);
  if (share === 'none') requireNoInputs(side, party);
  const coins = fundingCoins(side, party);
  const fees = feesOf(party, feeRateSatVb, share);
  const neededSats = party.collateralSats + fees.fundingFeeSats + fees.closingFeeSats;
  const broughtSats = sumOf(coins);
  if (broughtSats < neededSats || broughtSats > MAX_SATS)
    throw new DomainError(
      'contract_refused',
      `funding_amount: the ${side}'s funding inputs hold ${broughtSats} satoshis; collateral and fees take ${neededSats}`,
      { field: `${side}.funding_inputs` },
    );
  return { coins, fees, changeSats: broughtSats - neededSats };
}

function feesOf(party: ContractParty, feeRateSatVb: bigint, share: FeeShare): PartyFees {
  const inputs = party.fundingInputs.map(({ redeemScript, maxWitnessLength }) => ({
    redeemScriptLength: redeemScript.length,
    maxWitnessLength,
  }));
  const lengths = { payoutScriptLength: party.payoutScript.length, changeScriptLength: party.changeScript.length };
  return partyFees({ inputs, ...lengths }, feeRateSatVb, share);
}

/** dlcdevkit takes no inputs of a side without collateral: nobody would pay for them. */
function requireNoInputs(side: Side, party: ContractParty): void {
  if (party.fundingInputs.length > 0)
    throw new DomainError(
      'contract_refused',
      `funding_inputs: the ${side} brings no collateral and may bring no inputs`,
      {
        field: `${side}.funding_inputs`,
      },
    );
}

const changeOutput = ({ changeScript }: ContractParty, amountSats: bigint): ContractOutput => ({
  scriptPubKey: Buffer.from(changeScript).toString('hex'),
  amountSats,
});

/** Ascending; equal ones, which the checks refuse, as they stand. */
const bySerialId = <T extends { readonly serialId: bigint }>(items: readonly T[]): T[] =>
  [...items].sort((a, b) => (a.serialId < b.serialId ? -1 : a.serialId > b.serialId ? 1 : 0));
