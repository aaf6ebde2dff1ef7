import { hash160 } from '../../../hashes.ts';
import { outpointKey } from '../../../outpoint.ts';
import { outputKind } from '../../../relay-policy/standard-scripts.ts';
import type { ContractParty } from '../../dlc-messages.ts';
import { fundingInputWeight } from '../../transactions/contract-fees.ts';
import { type FundingCoin, fundingCoin, type Side } from '../../transactions/funding-coins.ts';
import type { CheckList } from './check-list.ts';

/** Nodes relay no heavier transaction. */
export const MAX_STANDARD_WEIGHT = 400_000;

/** BIP68: a sequence below it locks the input until its output has some age, and the funding transaction with it. */
const RELATIVE_LOCK_DISABLED = 0x80000000;

/** Least bytes of a serialized witness: of a key's 71-byte signature or 64-byte Schnorr signature; of a script's nothing is known. */
const MIN_WITNESS = { p2wpkh: 1 + 1 + 71 + 1 + 33, p2tr: 1 + 1 + 64, p2wsh: 1 + 1 + 1 } as const;
type SegwitKind = keyof typeof MIN_WITNESS;

/**
 * One side's funding inputs, each by itself: the previous transaction has the output, which is a witness program's (dlcspecs Protocol.md), and
 * the witness that is paid for can be as short as said. Answers the coins; null where there is a doubt about one.
 */
export function checkFundingInputs(list: CheckList, side: Side, party: ContractParty): FundingCoin[] | null {
  const weight = fundingInputWeight(party.fundingInputs);
  // Before any of them is parsed: what is too heavy to be relayed is not worth the work.
  if (weight > MAX_STANDARD_WEIGHT) {
    list.judge(
      'transactions',
      `the funding inputs weigh ${weight}; nodes relay transactions of ${MAX_STANDARD_WEIGHT} at most`,
    );
    return null;
  }
  const coins: FundingCoin[] = [];
  for (const [position, input] of party.fundingInputs.entries()) {
    const coin = list.attempt('previous_transaction', () => fundingCoin(side, input, position), position);
    if (coin === null) {
      list.skip('segwit_input', 'the output that it spends is not known', position);
      continue;
    }
    const kind = segwitKind(coin);
    list.judge('segwit_input', kind === null ? inputProblem(coin) : null, position);
    list.judge('input_sequence', sequenceProblem(coin), position);
    if (kind === null) list.skip('max_witness_length', 'it is no segwit input', position);
    else list.judge('max_witness_length', witnessProblem(coin, kind), position);
    coins.push(coin);
  }
  return coins.length === party.fundingInputs.length ? coins : null;
}

/** Outpoints that stand twice, on one side or on both. */
export function checkDuplicates(list: CheckList, own: readonly FundingCoin[], others: readonly FundingCoin[]): void {
  const seen = new Set(others.map(outpointKey));
  for (const coin of own) {
    const key = outpointKey(coin);
    if (seen.has(key)) {
      list.judge('duplicate_inputs', `${key} is spent twice`, coin.position);
      return;
    }
    seen.add(key);
  }
  list.judge('duplicate_inputs', null);
}

/** null for what is no spend of P2WPKH, P2WSH, P2TR, or of the first two within P2SH by the given redeem script. */
function segwitKind({ scriptPubKey, redeemScript }: FundingCoin): SegwitKind | null {
  const script = Buffer.from(scriptPubKey, 'hex');
  const kind = outputKind(script);
  if (kind === 'p2sh') {
    const nested = outputKind(redeemScript);
    const isOfScript = Buffer.compare(hash160(redeemScript), script.subarray(2, 22)) === 0;
    return isOfScript && (nested === 'p2wpkh' || nested === 'p2wsh') ? nested : null;
  }
  if (redeemScript.length > 0) return null;
  return kind === 'p2wpkh' || kind === 'p2wsh' || kind === 'p2tr' ? kind : null;
}

const inputProblem = ({ scriptPubKey, redeemScript }: FundingCoin): string =>
  outputKind(Buffer.from(scriptPubKey, 'hex')) === 'p2sh' || redeemScript.length === 0
    ? 'it spends no witness program of version 0 or 1, alone or within P2SH'
    : 'it has a redeem script, and the output that it spends is not P2SH';

const sequenceProblem = ({ sequence }: FundingCoin): string | null =>
  sequence < RELATIVE_LOCK_DISABLED ? `its sequence ${sequence} locks it for a time (BIP68)` : null;

const witnessProblem = ({ maxWitnessLength }: FundingCoin, kind: SegwitKind): string | null =>
  maxWitnessLength < MIN_WITNESS[kind]
    ? `no witness of ${kind} fits into ${maxWitnessLength} bytes: it takes ${MIN_WITNESS[kind]} at least`
    : null;
