import { formatBtc } from '../../amount.ts';
import { DomainError } from '../../errors.ts';
import { type FeeRate, feeFor } from '../../fee-rate.ts';
import { closingHasher } from '../transactions/closing-hash.ts';
import {
  type ContractOutput,
  type ContractTransaction,
  contractTransaction,
  DUST_LIMIT_SATS,
  type SignedContractTransaction,
  sumOf,
} from '../transactions/contract-transaction.ts';
import { otherSide, type Side } from '../transactions/funding-coins.ts';
import type { DlcContract } from './dlc-contract.ts';
import { closingVsize } from './fee-stress.ts';
import { signedClosing, signHash } from './spend-funding.ts';

export interface CooperativeClose {
  readonly transaction: ContractTransaction;
  /** What both sides sign with their funding keys: BIP143, SIGHASH_ALL. */
  readonly hash: Uint8Array;
  /** What each side gets; 0 where its output would be below the dust limit and is not made. */
  readonly paidSats: Readonly<Record<Side, bigint>>;
}

const FINAL_SEQUENCE = 0xffffffff;

/**
 * Spends the funding output to both payout scripts at once: no locktime, no oracle. The split is of the collateral. The closing fees that the
 * funding output holds besides pay this transaction's fee; what is over, or missing, is shared in halves (an odd satoshi is the
 * accepter's). A share below the dust limit, before or after that, is not paid, as in CETs: it goes to the fee, and the other side has what
 * is over or missing alone. Throws `invalid_value` (field offer_payout) beyond the collateral, `fee_too_high` where nothing would be
 * left to pay.
 */
export function cooperativeClose(
  contract: DlcContract,
  { offerPayoutSats, feeRate }: { readonly offerPayoutSats: bigint; readonly feeRate: FeeRate },
): CooperativeClose {
  const { totalCollateralSats } = contract;
  if (offerPayoutSats < 0n || offerPayoutSats > totalCollateralSats)
    throw new DomainError(
      'invalid_value',
      `offer_payout must be between 0 and the collateral, ${formatBtc(totalCollateralSats)} BTC`,
      { field: 'offer_payout' },
    );
  const shares = { offer: offerPayoutSats, accept: totalCollateralSats - offerPayoutSats };
  const paidSats = paidToBoth(contract, shares, feeRate) ?? paidToOne(contract, shares, feeRate);
  const transaction = closing(contract, paidSats);
  const { version, locktime, outputs } = transaction;
  const hash = closingHasher(contract.fundingTransaction, { version, locktime, sequence: FINAL_SEQUENCE })(outputs);
  return { transaction, hash, paidSats };
}

type Amounts = Readonly<Record<Side, bigint>>;

/** null where one of them would be left with dust. */
function paidToBoth(contract: DlcContract, shares: Amounts, feeRate: FeeRate): Amounts | null {
  if (!isMade(shares.offer) || !isMade(shares.accept)) return null;
  const overSats = spareSats(contract) - feeOf(contract, shares, feeRate);
  const paid = { offer: shares.offer + half(overSats), accept: shares.accept + overSats - half(overSats) };
  return isMade(paid.offer) && isMade(paid.accept) ? paid : null;
}

/** To the side with the larger share. */
function paidToOne(contract: DlcContract, shares: Amounts, feeRate: FeeRate): Amounts {
  const side = shares.offer > shares.accept ? 'offer' : 'accept';
  const lostSats = shares[otherSide(side)];
  const alone = { offer: 0n, accept: 0n, [side]: shares[side] };
  const overSats = spareSats(contract) - feeOf(contract, alone, feeRate);
  // What the other side loses helps with the fee, and is nobody's gain.
  const paid = shares[side] + (overSats >= 0n ? overSats : smaller(0n, overSats + lostSats));
  if (!isMade(paid))
    throw new DomainError('fee_too_high', 'nothing would be left of the contract at this fee rate', {
      field: 'fee_rate',
    });
  return { ...alone, [side]: paid };
}

/** Both sides' closing fees. */
const spareSats = ({ fundingAmountSats, totalCollateralSats }: DlcContract): bigint =>
  fundingAmountSats - totalCollateralSats;

const feeOf = (contract: DlcContract, paid: Amounts, feeRate: FeeRate): bigint =>
  feeFor(feeRate, closingVsize(contract, closing(contract, paid)));

/** Compact, 64 bytes. The key is the caller's to zero. */
export const signClose = ({ hash }: CooperativeClose, privateKey: Uint8Array): Uint8Array => signHash(hash, privateKey);

/** With both signatures, run through the interpreter. Throws `contract_refused`. */
export const signedClose = (
  contract: DlcContract,
  { transaction }: CooperativeClose,
  signatures: Readonly<Record<Side, Uint8Array>>,
): SignedContractTransaction => signedClosing(contract, transaction, signatures);

/** Outputs by payout serial id, as CETs have them. */
function closing(contract: DlcContract, paid: Amounts): ContractTransaction {
  const { offer, acceptParty, fundingTxid: txid, fundingVout: vout, fundingAmountSats } = contract;
  const output = (script: Uint8Array, amountSats: bigint): ContractOutput => ({
    scriptPubKey: Buffer.from(script).toString('hex'),
    amountSats,
  });
  const offered = output(offer.party.payoutScript, paid.offer);
  const accepted = output(acceptParty.payoutScript, paid.accept);
  const offererFirst = offer.party.payoutSerialId < acceptParty.payoutSerialId;
  const outputs = (offererFirst ? [offered, accepted] : [accepted, offered]).filter(({ amountSats }) =>
    isMade(amountSats),
  );
  const inputs = [{ txid, vout, sequence: FINAL_SEQUENCE, scriptSig: new Uint8Array(0) }];
  return contractTransaction({ locktime: 0, inputs, outputs, feeSats: fundingAmountSats - sumOf(outputs) });
}

const isMade = (amountSats: bigint): boolean => amountSats >= DUST_LIMIT_SATS;
const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/** Rounded down, below zero too. */
const half = (amountSats: bigint): bigint => amountSats >> 1n;
