import type { ParsedInput, ParsedOutput, ParsedTransaction } from '../../blocks/transaction.ts';
import { ecc as curve } from '../../keys/ecc.ts';
import { witnessProgram } from '../../relay-policy/standard-scripts.ts';
import { createSignatureHasher, type SignatureHasher } from '../signature-hash.ts';
import { isPushOnly, pushOf } from './instructions.ts';
import { fail, reasonOf, type ScriptError, ScriptFailure } from './script-error.ts';
import type { ScriptFlags } from './script-flags.ts';
import { isTrue } from './script-number.ts';
import { type SignatureVerifier, type SpendChecks, type SpendObserver, spendChecks } from './spend-checks.ts';
import { runScript } from './stack-machine.ts';
import { verifyWitnessProgram } from './witness-programs.ts';

export type { SignatureVerifier, SpendObserver } from './spend-checks.ts';

/** `reason` is Bitcoin Core's text of `error`. */
export type SpendVerdict =
  | { readonly valid: true }
  | { readonly valid: false; readonly error: ScriptError; readonly reason: string };

export interface SpendTools {
  readonly ecc?: SignatureVerifier;
  readonly observer?: SpendObserver;
}

const VALID: SpendVerdict = { valid: true };

/**
 * Whether input `index` may spend the output that it spends: its scripts run and its signatures right, as Bitcoin Core judges it under the
 * same flags (VerifyScript). Amounts, lock times against the chain and double spends are not looked at. `spent` has the outputs of all
 * inputs, in their order. For all inputs of one transaction use `spendVerifier`, which hashes its parts once.
 */
export function verifySpend(
  transaction: ParsedTransaction,
  spent: readonly ParsedOutput[],
  index: number,
  flags: ScriptFlags,
): SpendVerdict {
  return verifySpendBy(createSignatureHasher(transaction, spent), index, flags);
}

/** Judges the inputs of one transaction by their index. */
export function spendVerifier(
  transaction: ParsedTransaction,
  spent: readonly ParsedOutput[],
  flags: ScriptFlags,
  tools: SpendTools = {},
): (index: number) => SpendVerdict {
  const hasher = createSignatureHasher(transaction, spent);
  return (index) => verifySpendBy(hasher, index, flags, tools);
}

/** The same with a hasher that the caller has. Throws RangeError where there is no such input. */
export function verifySpendBy(
  hasher: SignatureHasher,
  index: number,
  flags: ScriptFlags,
  { ecc = curve, observer }: SpendTools = {},
): SpendVerdict {
  const input = hasher.transaction.inputs[index];
  const spent = hasher.spent[index];
  if (!input || !spent) throw new RangeError('the transaction has no such input');
  try {
    const checks = spendChecks(hasher, index, ecc, observer ?? null);
    verifyScripts(input, Buffer.from(spent.scriptPubKey, 'hex'), flags, checks);
    return VALID;
  } catch (problem) {
    if (!(problem instanceof ScriptFailure)) throw problem;
    return { valid: false, error: problem.error, reason: reasonOf(problem.error) };
  }
}

function verifyScripts(input: ParsedInput, scriptPubKey: Uint8Array, flags: ScriptFlags, checks: SpendChecks): void {
  const { scriptSig, witness } = input;
  if (flags.has('SIGPUSHONLY') && !isPushOnly(scriptSig)) fail('SIG_PUSHONLY');
  const base = { version: 'base', flags, checks, tapscript: null } as const;
  let stack: Uint8Array[] = [];
  // One after the other on the same stack, not joined to one script (CVE-2010-5141).
  runScript(stack, scriptSig, base);
  const unlocking = [...stack];
  runScript(stack, scriptPubKey, base);
  requireTrue(stack);

  let witnessUsed = false;
  const runWitnessProgram = (script: Uint8Array, nested: boolean, onlyScriptSig: Uint8Array): void => {
    const program = flags.has('WITNESS') ? witnessProgram(script) : null;
    if (!program) return;
    witnessUsed = true;
    // Anything else in the scriptSig could be changed by others without making the spend invalid.
    if (Buffer.compare(scriptSig, onlyScriptSig) !== 0) fail(nested ? 'WITNESS_MALLEATED_P2SH' : 'WITNESS_MALLEATED');
    verifyWitnessProgram({ witness, flags, checks }, program.version, program.program, nested);
    // The program itself is left on the stack; the witness's own stack was clean.
    stack.length = 1;
  };

  runWitnessProgram(scriptPubKey, false, new Uint8Array(0));
  if (flags.has('P2SH') && isScriptHash(scriptPubKey)) {
    if (!isPushOnly(scriptSig)) fail('SIG_PUSHONLY');
    stack = unlocking;
    // There is one: the hash of something has just been equal.
    const redeemScript = stack.pop() as Uint8Array;
    runScript(stack, redeemScript, base);
    requireTrue(stack);
    runWitnessProgram(redeemScript, true, pushOf(redeemScript));
  }
  if (flags.has('CLEANSTACK') && stack.length !== 1) fail('CLEANSTACK');
  if (flags.has('WITNESS') && !witnessUsed && witness.length > 0) fail('WITNESS_UNEXPECTED');
}

function requireTrue(stack: readonly Uint8Array[]): void {
  const top = stack[stack.length - 1];
  if (!top || !isTrue(top)) fail('EVAL_FALSE');
}

const isScriptHash = (script: Uint8Array): boolean =>
  script.length === 23 && script[0] === 0xa9 && script[1] === 20 && script[22] === 0x87;
