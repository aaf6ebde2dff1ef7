/** Weights and fees (dlcspecs Transactions.md, Fees). Each side's vbytes are rounded up by themselves. */
import type { Dialect } from '../dialect.ts';

export interface FeeInput {
  /** Bytes; 0 for native segwit. */
  readonly redeemScriptLength: number;
  /** Of the serialized witness, its counts and lengths included. */
  readonly maxWitnessLength: number;
}

export interface FeeParty {
  readonly inputs: readonly FeeInput[];
  readonly payoutScriptLength: number;
  readonly changeScriptLength: number;
}

export interface PartyFees {
  readonly fundingFeeSats: bigint;
  /** For the CET or the refund: it swells the funding output. */
  readonly closingFeeSats: bigint;
}

/** half: each side pays its part of what is shared. all: one side funds the contract alone. none: the other does. */
export type FeeShare = 'half' | 'all' | 'none';

/** Weight of what belongs to nobody: version, locktime, counts, the funding output. */
const FUNDING_BASE_WEIGHT = 214;
/** The same of a CET or refund, with its input and witness (72-byte signatures). */
const CLOSING_BASE_WEIGHT = 498;
const INPUT_WEIGHT = 164;
/** Value and script length of an output. */
const OUTPUT_WEIGHT = 36;

/** What one side pays at an integer rate. */
export function partyFees(party: FeeParty, feeRateSatVb: bigint, share: FeeShare): PartyFees {
  if (share === 'none') return { fundingFeeSats: 0n, closingFeeSats: 0n };
  return {
    fundingFeeSats: vbytes(fundingWeight(party, share)) * feeRateSatVb,
    closingFeeSats: vbytes(closingWeight(party, share)) * feeRateSatVb,
  };
}

/**
 * Single-funded contracts are dlcdevkit's: the side whose collateral is the total pays for everything shared, the other, with no
 * collateral, inputs or change, for nothing. The vectors' dialect knows none.
 */
export function feeShare(collateralSats: bigint, totalCollateralSats: bigint, dialect: Dialect): FeeShare {
  if (dialect !== 'tagged') return 'half';
  if (collateralSats === 0n) return 'none';
  return collateralSats === totalCollateralSats ? 'all' : 'half';
}

function fundingWeight({ inputs, changeScriptLength }: FeeParty, share: FeeShare): number {
  const base = share === 'all' ? FUNDING_BASE_WEIGHT : FUNDING_BASE_WEIGHT / 2;
  return base + OUTPUT_WEIGHT + 4 * changeScriptLength + inputs.reduce((sum, input) => sum + inputWeight(input), 0);
}

/** Payout output's value and script length are in the base: twice 36 of the 498. */
function closingWeight({ payoutScriptLength }: FeeParty, share: FeeShare): number {
  return (share === 'all' ? CLOSING_BASE_WEIGHT : CLOSING_BASE_WEIGHT / 2) + 4 * payoutScriptLength;
}

export const inputWeight = ({ redeemScriptLength, maxWitnessLength }: FeeInput): number =>
  INPUT_WEIGHT + 4 * scriptSigLength(redeemScriptLength) + maxWitnessLength;

/** A push of the redeem script, which is a witness program of at most 42 bytes. */
const scriptSigLength = (redeemScriptLength: number): number => (redeemScriptLength === 0 ? 0 : redeemScriptLength + 1);

const vbytes = (weight: number): bigint => BigInt(Math.ceil(weight / 4));

/** Of all of a side's inputs with the longest witnesses that they may have. */
export const fundingInputWeight = (
  inputs: readonly { readonly redeemScript: Uint8Array; readonly maxWitnessLength: number }[],
): number =>
  inputs.reduce(
    (sum, { redeemScript, maxWitnessLength }) =>
      sum + inputWeight({ redeemScriptLength: redeemScript.length, maxWitnessLength }),
    0,
  );
