/** What spends the funding output: CETs and the refund (dlcspecs Transactions.md). */
import type { Dialect } from '../dialect.ts';
import type { ContractParty, OfferMessage } from '../dlc-messages.ts';
import {
  type ContractOutput,
  type ContractTransaction,
  contractTransaction,
  DUST_LIMIT_SATS,
  sumOf,
} from './contract-transaction.ts';
import type { Side } from './funding-coins.ts';
import type { FundingTransaction } from './funding-transaction.ts';

export interface ClosingTerms {
  readonly offer: OfferMessage;
  readonly acceptParty: ContractParty;
  readonly funding: Pick<FundingTransaction, 'txid' | 'vout' | 'amountSats'>;
  readonly dialect: Dialect;
  /** hex; once for thousands of CETs. */
  readonly payoutScripts: Readonly<Record<Side, string>>;
}

export const closingTerms = (parts: Omit<ClosingTerms, 'payoutScripts'>): ClosingTerms => ({
  ...parts,
  payoutScripts: { offer: scriptHex(parts.offer.party), accept: scriptHex(parts.acceptParty) },
});

/** Locktime counts, replacement is not signalled. */
export const LOCKTIME_SEQUENCE = 0xfffffffe;
const FINAL_SEQUENCE = 0xffffffff;
const NO_SCRIPT = new Uint8Array(0);

/** dlcdevkit's bit 0 of contract_flags: the refund gives everything to the accepter. dlcspecs defines no flag. */
const REFUND_TO_ACCEPTER = 1;

/** dlcspecs has 0xfffffffe always; rust-dlc and dlcdevkit make a CET without locktime final. */
export const cetSequence = (cetLocktime: number, dialect: Dialect): number =>
  dialect === 'tagged' && cetLocktime === 0 ? FINAL_SEQUENCE : LOCKTIME_SEQUENCE;

/** Pays the offerer so much and the accepter the rest of the total collateral. */
export function contractExecutionTransaction(terms: ClosingTerms, offerPayoutSats: bigint): ContractTransaction {
  const { offer, dialect } = terms;
  const outputs = cetOutputs(terms, offerPayoutSats);
  return closing(terms, offer.cetLocktime, cetSequence(offer.cetLocktime, dialect), outputs);
}

/** By ascending payout serial id; those below the dust limit are not made. */
export function cetOutputs(terms: ClosingTerms, offerPayoutSats: bigint): ContractOutput[] {
  const { offer, acceptParty, payoutScripts } = terms;
  const totalSats = offer.contractInfo.totalCollateralSats;
  const offered = { scriptPubKey: payoutScripts.offer, amountSats: offerPayoutSats };
  const accepted = { scriptPubKey: payoutScripts.accept, amountSats: totalSats - offerPayoutSats };
  const offererFirst = offer.party.payoutSerialId < acceptParty.payoutSerialId;
  return withoutDust(offererFirst ? [offered, accepted] : [accepted, offered]);
}

/** Gives each side its collateral back: the offerer's output first in both dialects, whatever the serial ids (as rust-dlc has it). */
export function refundTransaction(terms: ClosingTerms): ContractTransaction {
  const { offer, payoutScripts, dialect } = terms;
  const toAccepter = dialect === 'tagged' && (offer.contractFlags & REFUND_TO_ACCEPTER) !== 0;
  const offerSats = toAccepter ? 0n : offer.party.collateralSats;
  const acceptSats = offer.contractInfo.totalCollateralSats - offerSats;
  const outputs = withoutDust([
    { scriptPubKey: payoutScripts.offer, amountSats: offerSats },
    { scriptPubKey: payoutScripts.accept, amountSats: acceptSats },
  ]);
  return closing(terms, offer.refundLocktime, LOCKTIME_SEQUENCE, outputs);
}

function closing(
  { funding }: ClosingTerms,
  locktime: number,
  sequence: number,
  outputs: readonly ContractOutput[],
): ContractTransaction {
  const inputs = [{ txid: funding.txid, vout: funding.vout, sequence, scriptSig: NO_SCRIPT }];
  return contractTransaction({ locktime, inputs, outputs, feeSats: funding.amountSats - sumOf(outputs) });
}

const scriptHex = ({ payoutScript }: ContractParty): string => Buffer.from(payoutScript).toString('hex');

const withoutDust = (outputs: readonly ContractOutput[]): ContractOutput[] =>
  outputs.filter(({ amountSats }) => amountSats >= DUST_LIMIT_SATS);
