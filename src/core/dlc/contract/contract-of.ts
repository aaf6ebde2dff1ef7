import { DomainError } from '../../errors.ts';
import { once } from '../../scripts/transaction-parts.ts';
import type { Dialect } from '../dialect.ts';
import type { ContractParty, OfferMessage } from '../dlc-messages.ts';
import { contractIdOf } from '../messages/contract-id.ts';
import { neighbourPayouts } from '../outcomes/neighbour-payouts.ts';
import { closingHasher } from '../transactions/closing-hash.ts';
import {
  cetOutputs,
  cetSequence,
  closingTerms,
  contractExecutionTransaction,
  LOCKTIME_SEQUENCE,
  refundTransaction,
} from '../transactions/closing-transactions.ts';
import { CONTRACT_TRANSACTION_VERSION } from '../transactions/contract-transaction.ts';
import { fundingTransaction } from '../transactions/funding-transaction.ts';
import { type ContractPart, contractParts } from './contract-parts.ts';
import type { DlcContract } from './dlc-contract.ts';
import { caseCountOf } from './shared-point.ts';

/**
 * Throws `contract_refused` where no contract comes of it: inputs that do not suffice, collaterals that are not the total. The contract
 * info is a valid one (validateContractInfo). `partsOf`: its parts, where they are known.
 */
export function contractOf(
  offer: OfferMessage,
  acceptParty: ContractParty,
  dialect: Dialect,
  partsOf: () => readonly ContractPart[] = () => contractParts(offer.contractInfo, dialect),
): DlcContract {
  const { totalCollateralSats } = offer.contractInfo;
  if (offer.party.collateralSats + acceptParty.collateralSats !== totalCollateralSats)
    throw new DomainError('contract_refused', 'collateral: the two collaterals are not the total of the contract info');
  const funding = fundingTransaction(offer, acceptParty, dialect);
  const terms = closingTerms({ offer, acceptParty, funding, dialect });
  const parts = once(partsOf);

  const partOf = (caseIndex: number): ContractPart => {
    const part = parts().findLast(({ firstCase }) => firstCase <= caseIndex);
    if (!part || part.cases[caseIndex - part.firstCase] === undefined)
      throw new RangeError(`the contract has no case ${caseIndex}`);
    return part;
  };
  const caseAt = (caseIndex: number) => {
    const { cases, firstCase } = partOf(caseIndex);
    return cases[caseIndex - firstCase] as (typeof cases)[number];
  };

  const version = CONTRACT_TRANSACTION_VERSION;
  const sequence = cetSequence(offer.cetLocktime, dialect);
  const hashCet = once(() => closingHasher(funding, { version, locktime: offer.cetLocktime, sequence }));
  const cetHashes = new Map<bigint, Uint8Array>();
  const cetHashPaying = (offerPayoutSats: bigint): Uint8Array => {
    let hash = cetHashes.get(offerPayoutSats);
    if (hash === undefined) {
      hash = hashCet()(cetOutputs(terms, offerPayoutSats));
      cetHashes.set(offerPayoutSats, hash);
    }
    return hash;
  };

  const refund = refundTransaction(terms);
  const refundHash = once(() => {
    const { locktime, outputs } = refund;
    return closingHasher(funding, { version, locktime, sequence: LOCKTIME_SEQUENCE })(outputs);
  });

  return {
    dialect,
    offer,
    acceptParty,
    contractId: contractIdOf(funding.txid, funding.vout, offer.temporaryContractId),
    totalCollateralSats,
    fundingTransaction: funding,
    fundingTxid: funding.txid,
    fundingVout: funding.vout,
    fundingAmountSats: funding.amountSats,
    fundingScript: funding.script,
    refundTransaction: refund,
    get caseCount() {
      return caseCountOf(parts());
    },
    get parts() {
      return parts();
    },
    caseAt,
    partOf,
    cetOf: (caseIndex) => contractExecutionTransaction(terms, caseAt(caseIndex).offerPayoutSats),
    cetPaying: (offerPayoutSats) => contractExecutionTransaction(terms, offerPayoutSats),
    cetHashOf: (caseIndex) => cetHashPaying(caseAt(caseIndex).offerPayoutSats),
    cetHashPaying,
    neighbourPayoutsOf(caseIndex) {
      const { offerPayoutSats } = caseAt(caseIndex);
      return neighbourPayouts(partOf(caseIndex).contractCase, totalCollateralSats, caseAt(caseIndex)).filter((sats) =>
        isRoundingError(sats - offerPayoutSats, totalCollateralSats),
      );
    },
    refundHash,
    encryptionPointOf: (caseIndex) => partOf(caseIndex).encryptionPoint(caseAt(caseIndex).attested),
  };
}

/**
 * So far off a signature was believed until only a satoshi was (rounding-tolerance.ts): contracts of then settle by what was signed.
 */
const isRoundingError = (sats: bigint, totalSats: bigint): boolean => (sats < 0n ? -sats : sats) * 100n <= totalSats;
