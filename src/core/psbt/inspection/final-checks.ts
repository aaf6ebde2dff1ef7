import type { ParsedInput, ParsedOutput } from '../../blocks/transaction.ts';
import { hex } from '../../bytes.ts';
import { DomainError } from '../../errors.ts';
import { STANDARD_FLAGS } from '../../scripts/interpreter/script-flags.ts';
import { type SpendVerdict, verifySpendBy } from '../../scripts/interpreter/verify-spend.ts';
import { pushesOf } from '../../scripts/script-elements.ts';
import { createSignatureHasher } from '../../scripts/signature-hash.ts';
import { finalScriptWitness, previousOutpoint, sequenceOf } from '../codec/input-fields.ts';
import { INPUT } from '../codec/key-types.ts';
import { hasScript, outputAmount, outputScript } from '../codec/output-fields.ts';
import { isObstacle } from '../signing/spent-part.ts';
import { transactionVersion } from '../transaction-of.ts';
import type { CheckBudget } from './check-budget.ts';
import type { PsbtCheck, Verdict } from './psbt-checks.ts';
import type { InputFacts, PsbtFacts } from './psbt-facts.ts';

const NOTHING = new Uint8Array(0);
const TOO_MUCH = 'it was not run: there is too much to run';
const UNKNOWN: ParsedOutput = { amountSats: 0n, scriptPubKey: '' };

/** Whether each final input satisfies the script that it spends, as nodes that relay judge it. */
export function finalChecks(facts: PsbtFacts, budget: CheckBudget): PsbtCheck[] {
  const { inputs, psbt, locktime } = facts;
  const finals = inputs.filter(({ finalized }) => finalized);
  if (finals.length === 0) return [];
  const say = (index: number, verdict: Verdict, detail: string): PsbtCheck => ({
    check: 'final',
    map: 'input',
    index,
    verdict,
    detail,
  });
  if (locktime === null || !psbt.outputs.every(hasScript))
    return finals.map(({ index }) => say(index, 'unknown', 'there is no transaction yet, so that nothing can be run'));
  const hasher = createSignatureHasher(
    {
      version: transactionVersion(psbt),
      locktime,
      inputs: inputs.map(finalInput),
      outputs: psbt.outputs.map((output) => ({
        amountSats: outputAmount(output),
        scriptPubKey: hex(outputScript(output)),
      })),
    },
    inputs.map(({ spent, amountSats }) =>
      isObstacle(spent) ? UNKNOWN : { amountSats: amountSats as bigint, scriptPubKey: hex(spent.script) },
    ),
  );
  const allKnown = inputs.every(({ spent }) => !isObstacle(spent));
  return finals.map((input) => {
    const { index, spent } = input;
    if (isObstacle(spent)) return say(index, 'unknown', spent.reason);
    // Taproot's signatures are about the outputs of every input (BIP341).
    if (!allKnown && spent.script[0] === 0x51) return say(index, 'unknown', 'the output of another input is not known');
    if (!budget.run(runBytes(input), wholeHashes(input))) return say(index, 'unknown', TOO_MUCH);
    const verdict = verdictOf(() => verifySpendBy(hasher, index, STANDARD_FLAGS), budget);
    if (verdict === null) return say(index, 'unknown', TOO_MUCH);
    return verdict.valid
      ? say(index, 'passed', 'its scriptSig and witness satisfy the script that it spends')
      : say(index, 'failed', `its scriptSig and witness do not satisfy the script that it spends: ${verdict.reason}`);
  });
}

/** null where it would hash too much. */
function verdictOf(verify: () => SpendVerdict, budget: CheckBudget): SpendVerdict | null {
  try {
    return verify();
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'too_large')) throw error;
    budget.exhaust();
    return null;
  }
}

const finalInput = ({ map }: InputFacts): ParsedInput => ({
  prev: previousOutpoint(map),
  sequence: sequenceOf(map),
  scriptSig: map.get(INPUT.FINAL_SCRIPTSIG) ?? NOTHING,
  witness: finalScriptWitness(map) ?? [],
});

/** Whatever is run is in one of these. */
const runBytes = ({ map, spent }: InputFacts): number =>
  (map.get(INPUT.FINAL_SCRIPTSIG)?.length ?? 0) +
  (map.get(INPUT.FINAL_SCRIPTWITNESS)?.length ?? 0) +
  (isObstacle(spent) ? 0 : spent.script.length);

/** How often the whole transaction may be hashed: once for each signature opcode of a script from before segwit, times twenty at most. */
function wholeHashes({ map, spent }: InputFacts): number {
  const scriptSig = map.get(INPUT.FINAL_SCRIPTSIG);
  if (scriptSig === null || map.has(INPUT.FINAL_SCRIPTWITNESS) || isObstacle(spent)) return 0;
  const scripts = [spent.script, pushesOf(scriptSig)?.at(-1) ?? scriptSig];
  return scripts.reduce((sum, script) => sum + signatureOpcodes(script), 0);
}

/** Counted in data, too, so that there are never fewer. OP_CHECKMULTISIG checks as many signatures as are given, up to twenty. */
function signatureOpcodes(script: Uint8Array): number {
  let count = 0;
  for (const byte of script) {
    if (byte === 0xac || byte === 0xad) count += 1;
    if (byte === 0xae || byte === 0xaf) count += 20;
  }
  return count;
}
