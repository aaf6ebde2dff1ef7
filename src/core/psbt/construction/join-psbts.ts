import { DomainError } from '../../errors.ts';
import { hasSighashSingle, inputsModifiable, outputsModifiable, setCounts } from '../codec/global-fields.ts';
import { uint32Value } from '../codec/input-fields.ts';
import { GLOBAL } from '../codec/key-types.ts';
import { refuseAboveAllMoney } from '../codec/money-range.ts';
import type { PsbtV2 } from '../psbt.ts';
import { fallbackLocktime, locktimeOf, transactionVersion } from '../transaction-of.ts';
import { setCommonFlags, unionOf } from './combine-psbts.ts';
import { refuseSharedOutpoints } from './modify-psbt.ts';
import { signatureScope } from './signature-scope.ts';

const LOCKTIME_THRESHOLD = 500_000_000;

/**
 * One PSBT with the inputs and outputs of several different ones, in their order. Each of them must let be added what the others bring.
 * Throws `psbt_not_modifiable` where one does not, or a signature forbids it; `psbt_mismatch` where they cannot be one transaction.
 */
export function joinPsbts(psbts: readonly [PsbtV2, ...PsbtV2[]]): PsbtV2 {
  const [first] = psbts;
  const inputs = psbts.flatMap((psbt) => psbt.inputs);
  const outputs = psbts.flatMap((psbt) => psbt.outputs);
  let [firstInput, firstOutput] = [0, 0];
  for (const [index, psbt] of psbts.entries()) {
    if (transactionVersion(psbt) !== transactionVersion(first))
      throw mismatch(
        index,
        `is of transaction version ${transactionVersion(psbt)}, psbts[0] of ${transactionVersion(first)}`,
      );
    if (psbt.global.has(GLOBAL.SP_ECDH_SHARE) && psbts.length > 1)
      throw mismatch(index, 'has PSBT_GLOBAL_SP_ECDH_SHARE, which is computed over its inputs alone');
    refuseUnmodifiable(psbt, index, {
      moreInputs: inputs.length > psbt.inputs.length,
      moreOutputs: outputs.length > psbt.outputs.length,
      moved: firstInput !== firstOutput,
    });
    firstInput += psbt.inputs.length;
    firstOutput += psbt.outputs.length;
  }
  const global = unionOf(psbts.map((psbt) => psbt.global));
  setCommonFlags(global, psbts);
  setCounts(global, inputs.length, outputs.length);
  const fallback = commonFallback(psbts);
  if (fallback !== null) global.set(GLOBAL.FALLBACK_LOCKTIME, uint32Value(fallback));
  const joined: PsbtV2 = { version: 2, global, inputs, outputs };
  refuseSharedOutpoints(joined);
  refuseAboveAllMoney(joined);
  refuseOtherLocktimes(psbts, joined);
  return joined;
}

function refuseUnmodifiable(
  psbt: PsbtV2,
  index: number,
  change: { moreInputs: boolean; moreOutputs: boolean; moved: boolean },
): void {
  const { moreInputs, moreOutputs, moved } = change;
  const refuse = (why: string) =>
    new DomainError('psbt_not_modifiable', `psbts[${index}] ${why}`, { field: `psbts[${index}]` });
  if (moreInputs && !inputsModifiable(psbt)) throw refuse('lets no inputs be added (PSBT_GLOBAL_TX_MODIFIABLE)');
  if (moreOutputs && !outputsModifiable(psbt)) throw refuse('lets no outputs be added (PSBT_GLOBAL_TX_MODIFIABLE)');
  for (const [at, input] of psbt.inputs.entries()) {
    const scope = signatureScope(input, hasSighashSingle(psbt));
    if (moreInputs && scope.allInputs) throw refuse(`has a signature of input ${at} that covers all inputs`);
    if (moreOutputs && scope.allOutputs) throw refuse(`has a signature of input ${at} that covers all outputs`);
    if (moved && scope.pairedOutput)
      throw refuse(
        `has a signature of input ${at} with SIGHASH_SINGLE, whose output must keep the same index as it: name this PSBT first`,
      );
  }
}

/** The greatest, where all are heights or all are times. 0 goes with both. */
function commonFallback(psbts: readonly PsbtV2[]): number | null {
  const given = psbts.map(fallbackLocktime).filter((locktime) => locktime !== null);
  if (given.length === 0) return null;
  const set = given.filter((locktime) => locktime > 0);
  const times = set.filter((locktime) => locktime >= LOCKTIME_THRESHOLD);
  if (times.length > 0 && times.length < set.length)
    throw new DomainError('psbt_mismatch', 'one PSBT falls back on a block height as locktime and another on a time', {
      field: 'psbts',
    });
  return Math.max(0, ...set);
}

function refuseOtherLocktimes(psbts: readonly PsbtV2[], joined: PsbtV2): void {
  const locktime = locktimeOf(joined);
  if (locktime === null)
    throw new DomainError(
      'psbt_mismatch',
      'one input requires a block height as locktime and another a time, so that no transaction can have them both',
      { field: 'psbts' },
    );
  for (const [index, psbt] of psbts.entries()) {
    const signed = psbt.inputs.findIndex((input) => signatureScope(input, false).signed);
    if (signed < 0 || locktimeOf(psbt) === locktime) continue;
    throw new DomainError(
      'psbt_not_modifiable',
      `the locktime of psbts[${index}] would change, and the signature of its input ${signed} covers it`,
      { field: `psbts[${index}]` },
    );
  }
}

const mismatch = (index: number, why: string): DomainError =>
  new DomainError('psbt_mismatch', `psbts[${index}] ${why}`, { field: `psbts[${index}]` });
