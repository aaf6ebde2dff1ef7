import { parseTransaction } from '../../blocks/transaction.ts';
import { DomainError } from '../../errors.ts';
import { outpointKey } from '../../outpoint.ts';
import { STANDARD_FLAGS } from '../../scripts/interpreter/script-flags.ts';
import { type SpendVerdict, verifySpendBy } from '../../scripts/interpreter/verify-spend.ts';
import { createSignatureHasher } from '../../scripts/signature-hash.ts';
import { buildTransaction } from '../../transactions/build-transaction.ts';
import { type SigningTools, signInput } from '../../transactions/sign-transaction.ts';
import type { KeyRing, SpendableCoin } from '../../transactions/signing-input.ts';
import { type SignedContractTransaction, withWitnesses } from '../transactions/contract-transaction.ts';
import type { FundingCoin, Side } from '../transactions/funding-coins.ts';
import type { DlcContract } from './dlc-contract.ts';

export type WitnessStack = readonly Uint8Array[];

/**
 * A witness stack for each of the side's funding inputs, in the order in which its message lists them. `coins` are the wallet's records
 * of them, in any order. Throws `signing_unavailable` where one is not among them or its key is not there.
 */
export function signFunding(
  { fundingTransaction: funding }: DlcContract,
  side: Side,
  coins: readonly SpendableCoin[],
  keys: KeyRing,
  tools: SigningTools,
): WitnessStack[] {
  const known = new Map(coins.map((coin) => [outpointKey(coin), coin]));
  const transaction = buildTransaction(funding);
  const hasher = createSignatureHasher(parseTransaction(funding.raw), funding.inputs);
  const witnesses: WitnessStack[] = [];
  for (const [index, input] of funding.inputs.entries()) {
    if (input.side !== side) continue;
    const coin = known.get(outpointKey(input));
    if (!coin)
      throw new DomainError(
        'signing_unavailable',
        `${outpointKey(input)} is not among the wallet's coins of the contract`,
      );
    signInput({ transaction, hasher, tools, index, input: { ...coin, sequence: input.sequence } }, keys);
    witnesses[input.position] = transaction.ins[index]?.witness ?? [];
  }
  return witnesses;
}

/** The funding transaction with both sides' witnesses, each run through the interpreter. Throws `contract_refused` naming the input. */
export function signedFunding(
  contract: DlcContract,
  witnesses: Readonly<Record<Side, readonly WitnessStack[]>>,
): SignedContractTransaction {
  const { fundingTransaction } = contract;
  const signed = withWitnesses(
    fundingTransaction,
    fundingTransaction.inputs.map(({ side, position }) => witnesses[side][position] ?? []),
  );
  const verify = fundingVerifier(contract, witnesses);
  for (const input of fundingTransaction.inputs) {
    const verdict = verify(input);
    if (!verdict.valid)
      throw new DomainError(
        'contract_refused',
        `funding_signature: the ${input.side}'s funding input ${input.position} is not signed: ${verdict.reason}`,
      );
  }
  return signed;
}

/** Judges single inputs of the funding transaction; a side whose witnesses are not there yet has none to be judged. */
export function fundingVerifier(
  { fundingTransaction: funding }: DlcContract,
  witnesses: Readonly<Record<Side, readonly WitnessStack[]>>,
): (input: FundingCoin) => SpendVerdict {
  const unsigned = parseTransaction(funding.raw);
  const inputs = unsigned.inputs.map((input, index) => {
    const { side, position } = funding.inputs[index] as FundingCoin;
    return { ...input, witness: witnesses[side][position] ?? [] };
  });
  const hasher = createSignatureHasher({ ...unsigned, inputs }, funding.inputs);
  return (input) => verifySpendBy(hasher, funding.inputs.indexOf(input), STANDARD_FLAGS);
}
