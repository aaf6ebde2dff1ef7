/** What is looked at before a PSBT is signed or sent, each with its verdict. */
import { formatBtc } from '../../amount.ts';
import { outpointKey } from '../../outpoint.ts';
import { dustThreshold } from '../../relay-policy/dust.ts';
import { isStandardOutput, isUnspendable } from '../../relay-policy/standard-scripts.ts';
import { SIGHASH_ALL, SIGHASH_DEFAULT, sighashName } from '../../scripts/sighash-type.ts';
import { FINAL_SEQUENCE, previousOutpoint, sequenceOf, sighashTypeOf } from '../codec/input-fields.ts';
import { hasScript, outputAmount, outputScript } from '../codec/output-fields.ts';
import { isObstacle } from '../signing/spent-part.ts';
import type { InputFacts, PsbtFacts } from './psbt-facts.ts';
import type { InputView } from './psbt-view.ts';

/** failed: it must not be signed or cannot be valid. warning: somebody should look. unknown: the PSBT does not hold what it takes. */
export type Verdict = 'passed' | 'warning' | 'failed' | 'unknown';

export interface PsbtCheck {
  readonly check:
    | 'outpoints'
    | 'locktime'
    | 'fee'
    | 'utxo'
    | 'scripts'
    | 'sighash'
    | 'signature'
    | 'final'
    | 'output'
    | 'dust'
    | 'chain';
  /** What it is about; null for the whole. */
  readonly map: 'input' | 'output' | null;
  readonly index: number | null;
  readonly verdict: Verdict;
  readonly detail: string;
}

const about = (
  map: PsbtCheck['map'],
  index: number | null,
  check: PsbtCheck['check'],
  verdict: Verdict,
  detail: string,
): PsbtCheck => ({ check, map, index, verdict, detail });

/** All but whether final inputs satisfy their scripts (final-checks.ts) and what the chain says. */
export function psbtChecks(facts: PsbtFacts, views: readonly InputView[]): PsbtCheck[] {
  return [
    outpoints(facts),
    locktime(facts),
    fee(facts),
    ...facts.inputs.flatMap((input) => inputChecks(input, views[input.index] as InputView)),
    ...facts.psbt.outputs.flatMap((output, index) => {
      if (!hasScript(output))
        return [about('output', index, 'output', 'unknown', 'the script of a silent payment is not computed yet')];
      return outputChecks(outputScript(output), outputAmount(output), index);
    }),
  ];
}

function outpoints({ psbt }: PsbtFacts): PsbtCheck {
  const seen = new Map<string, number>();
  for (const [index, input] of psbt.inputs.entries()) {
    const key = outpointKey(previousOutpoint(input));
    const before = seen.get(key);
    if (before !== undefined)
      return about('input', index, 'outpoints', 'failed', `it spends the same output as input ${before}`);
    seen.set(key, index);
  }
  return about(null, null, 'outpoints', 'passed', 'every input spends another output');
}

function locktime({ locktime: time, psbt }: PsbtFacts): PsbtCheck {
  const say = (verdict: Verdict, detail: string) => about(null, null, 'locktime', verdict, detail);
  if (time === null)
    return say('failed', 'one input requires a block height and another a time: no locktime suits both');
  if (time === 0) return say('passed', 'there is no locktime');
  if (psbt.inputs.length > 0 && psbt.inputs.every((input) => sequenceOf(input) === FINAL_SEQUENCE))
    return say('warning', `the locktime ${time} has no effect: every sequence is final`);
  const when = time < 500_000_000 ? `block ${time}` : new Date(time * 1000).toISOString();
  return say('passed', `it is valid after ${when}`);
}

function fee({ feeSats, outputSats, inputs }: PsbtFacts): PsbtCheck {
  const say = (verdict: Verdict, detail: string) => about(null, null, 'fee', verdict, detail);
  if (feeSats === null) return say('unknown', 'the amount of an input is not known');
  if (feeSats < 0n) return say('failed', `the outputs are ${formatBtc(-feeSats)} BTC above the inputs`);
  if (feeSats > outputSats) return say('warning', `the fee of ${formatBtc(feeSats)} BTC is more than all that is paid`);
  // A taproot signature commits to every amount (BIP341), so that a wrong one makes it invalid.
  const believed = inputs.filter(
    ({ verified, spend }) => !verified && (isObstacle(spend) || spend.scheme !== 'taproot'),
  );
  if (believed.length > 0 && inputs.some(({ verified }) => !verified))
    return say('warning', `the fee of ${formatBtc(feeSats)} BTC is as the PSBT says: ${without(believed.length)}`);
  return say('passed', `the fee is ${formatBtc(feeSats)} BTC`);
}

const without = (count: number): string =>
  count === 1
    ? '1 input comes without its previous transaction'
    : `${count} inputs come without their previous transactions`;

function inputChecks(facts: InputFacts, view: InputView): PsbtCheck[] {
  const { index, spent, spend, finalized, map } = facts;
  const say = (check: PsbtCheck['check'], verdict: Verdict, detail: string) =>
    about('input', index, check, verdict, detail);
  if (isObstacle(spent)) return [say('utxo', spent.unsafe ? 'failed' : 'unknown', spent.reason)];
  const checks = [
    say(
      'utxo',
      'passed',
      facts.verified ? 'its previous transaction is the one it names' : 'its amount and script are as the PSBT says',
    ),
  ];
  if (!finalized)
    checks.push(
      isObstacle(spend)
        ? say('scripts', spend.unsafe ? 'failed' : 'unknown', spend.reason)
        : say('scripts', 'passed', 'its scripts are those that its output pays to'),
    );
  const wanted = sighashTypeOf(map);
  if (wanted !== null || view.signatures.length > 0) {
    const types = [...(wanted === null ? [] : [wanted]), ...view.signatures.map(({ sighashType }) => sighashType)];
    const odd = types.find((type) => type !== SIGHASH_ALL && type !== SIGHASH_DEFAULT);
    checks.push(
      odd === undefined
        ? say('sighash', 'passed', 'signatures commit to every input and output')
        : say('sighash', 'warning', `hash type ${nameOf(odd)} lets others change parts of the transaction`),
    );
  }
  for (const { publicKey, valid } of view.signatures)
    checks.push(
      valid === true
        ? say('signature', 'passed', `the signature of ${publicKey} is valid`)
        : valid === false
          ? say('signature', 'failed', `the signature of ${publicKey} is not valid`)
          : say('signature', 'unknown', `the signature of ${publicKey} was not checked: what it signs is not known`),
    );
  return checks;
}

const nameOf = (type: number): string => sighashName(type) ?? `0x${type.toString(16)}`;

function outputChecks(script: Uint8Array, amountSats: bigint, index: number): PsbtCheck[] {
  const say = (check: PsbtCheck['check'], verdict: Verdict, detail: string) =>
    about('output', index, check, verdict, detail);
  const standard = isStandardOutput(script);
  const dust = dustThreshold(script);
  const burnt = isUnspendable(script) && amountSats > 0n;
  return [
    standard
      ? burnt
        ? say('output', 'warning', `${formatBtc(amountSats)} BTC are paid to a script that nobody can spend from`)
        : say('output', 'passed', 'its script is of a standard form')
      : say('output', 'warning', 'its script is of no standard form: nodes do not relay it'),
    amountSats < dust
      ? say('dust', 'failed', `${formatBtc(amountSats)} BTC are dust: at least ${formatBtc(dust)} are relayed`)
      : say('dust', 'passed', 'it is above the dust limit'),
  ];
}
