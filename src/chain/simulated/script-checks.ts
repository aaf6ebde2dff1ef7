import { type ParsedTransaction, wtxidOf } from '../../core/blocks/transaction.ts';
import { type ScriptFlags, STANDARD_FLAGS } from '../../core/scripts/interpreter/script-flags.ts';
import { type SignatureVerifier, spendVerifier } from '../../core/scripts/interpreter/verify-spend.ts';
import type { Candidate } from './pre-checks.ts';
import { never, type Refusal } from './refusal.ts';

/** Runs the scripts as relay does, which is stricter than blocks are. Throws Refusal. */
export function checkForRelay(candidate: Candidate, ecc: SignatureVerifier): void {
  checkScripts(candidate, STANDARD_FLAGS, ecc, 'mempool');
}

/** Runs them by `flags`. Bitcoin Core 30 names the place that judges; before, it named whether blocks have the rule, too. Throws Refusal. */
export function checkScripts(
  { tx, spent }: Candidate,
  flags: ScriptFlags,
  ecc: SignatureVerifier,
  place: 'mempool' | 'block',
): void {
  const verify = spendVerifier(tx, spent, flags, { ecc });
  for (const index of tx.inputs.keys()) {
    const verdict = verify(index);
    if (!verdict.valid) throw scriptRefusal(place, verdict.reason, index, tx);
  }
}

function scriptRefusal(place: string, reason: string, index: number, tx: ParsedTransaction): Refusal {
  const { prev } = tx.inputs[index] as ParsedTransaction['inputs'][number];
  return never(
    `${place}-script-verify-flag-failed (${reason}), input ${index} of ${tx.txid} (wtxid ${wtxidOf(tx)}), ` +
      `spending ${prev.txid}:${prev.vout}`,
  );
}
