import { type FeeRate, feeFor, feeRateOf } from '../../fee-rate.ts';
import { type ContractTransaction, withWitnesses } from '../transactions/contract-transaction.ts';
import type { DlcContract } from './dlc-contract.ts';

/** What a transaction of the contract pays, and what a child must pay so that the two together pay a rate. */
export interface StressedTransaction {
  readonly kind: 'funding' | 'cet' | 'refund';
  /** Of a CET: what it pays the offerer. Cases with one payout share a CET. */
  readonly offerPayoutSats: bigint | null;
  /** How many cases share it. */
  readonly caseCount: number | null;
  readonly feeSats: bigint;
  /** Most virtual bytes. */
  readonly vsize: number;
  readonly feeRate: FeeRate;
  readonly children: readonly StressedChild[];
}

interface StressedChild {
  readonly feeRate: FeeRate;
  /** null at a rate that the transaction pays by itself, and where it has no output to spend. */
  readonly childFeeSats: bigint | null;
}

export interface StressOptions {
  readonly feeRates: readonly FeeRate[];
  /** Of a child that spends one output of it: one input, one output. */
  readonly childVsize: number;
  /** CETs at most: the first in the order of the cases. */
  readonly mostCets: number;
}

/** The funding transaction, the refund and each distinct CET. */
export function stressFees(contract: DlcContract, options: StressOptions): StressedTransaction[] {
  const { fundingTransaction, refundTransaction } = contract;
  const single = { offerPayoutSats: null, caseCount: null };
  const stressed: StressedTransaction[] = [
    { kind: 'funding', ...single, ...stress(fundingTransaction, fundingVsize(contract), options) },
    { kind: 'refund', ...single, ...stress(refundTransaction, closingVsize(contract, refundTransaction), options) },
  ];
  for (const [offerPayoutSats, caseCount] of distinctPayouts(contract, options.mostCets)) {
    const cet = contract.cetPaying(offerPayoutSats);
    stressed.push({
      kind: 'cet',
      offerPayoutSats,
      caseCount,
      ...stress(cet, closingVsize(contract, cet), options),
    });
  }
  return stressed;
}

/** What the CETs pay the offerer, in the order of the cases, and how many cases each has. */
function distinctPayouts({ parts }: DlcContract, most: number): Map<bigint, number> {
  const counts = new Map<bigint, number>();
  for (const { cases } of parts) {
    for (const { offerPayoutSats } of cases) {
      const count = counts.get(offerPayoutSats);
      if (count !== undefined || counts.size < most) counts.set(offerPayoutSats, (count ?? 0) + 1);
    }
  }
  return counts;
}

function stress(
  { feeSats, outputs }: ContractTransaction,
  vsize: number,
  { feeRates, childVsize }: StressOptions,
): Pick<StressedTransaction, 'feeSats' | 'vsize' | 'feeRate' | 'children'> {
  const children = feeRates.map((feeRate) => {
    const missing = feeFor(feeRate, vsize + childVsize) - feeSats;
    const helps = outputs.length > 0 && feeSats < feeFor(feeRate, vsize);
    return { feeRate, childFeeSats: helps ? missing : null };
  });
  return { feeSats, vsize, feeRate: feeRateOf(feeSats, vsize), children };
}

/** Most: witnesses as long as their inputs' messages allow. */
function fundingVsize({ fundingTransaction: { raw, inputs } }: DlcContract): number {
  const witness = inputs.reduce((sum, { maxWitnessLength }) => sum + maxWitnessLength, 0);
  return Math.ceil((4 * raw.length + 2 + witness) / 4);
}

/** Two signatures of 72 bytes with their hash type. */
export function closingVsize({ fundingScript }: DlcContract, transaction: ContractTransaction): number {
  const signature = new Uint8Array(72);
  return withWitnesses(transaction, [[new Uint8Array(0), signature, signature, fundingScript]]).vsize;
}
