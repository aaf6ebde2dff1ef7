import { isFinalized } from '../codec/input-fields.ts';
import type { PsbtV2 } from '../psbt.ts';
import { openSigningView, type SigningView } from '../signing/signing-view.ts';
import { isObstacle, type Obstacle } from '../signing/spent-part.ts';
import { type FinalScripts, withFinalScripts } from './final-scripts.ts';
import { finalizeEcdsaInput } from './finalize-ecdsa-input.ts';
import { finalizeTaprootInput } from './finalize-taproot-input.ts';

/**
 * The input finalizer of BIP174, 371 and 373: every input whose signatures suffice is given its final scriptSig and witness and loses what
 * led to them; the others stay as they are. Only signatures that hold are used, of a miniscript the cheapest satisfaction that nobody can
 * change, of a taproot output the cheapest path. Throws `psbt_incomplete` where there is no transaction yet, and `too_large`.
 */
export function finalizePsbt(psbt: PsbtV2) {
  const view = openSigningView(psbt);
  const inputs = psbt.inputs.slice();
  const missing: { index: number; reason: string }[] = [];
  for (const [index, input] of psbt.inputs.entries()) {
    if (isFinalized(input)) continue;
    const scripts = finalScripts(view, index);
    if (isObstacle(scripts)) missing.push({ index, reason: scripts.reason });
    else inputs[index] = withFinalScripts(input, scripts);
  }
  return {
    psbt: { ...psbt, inputs },
    /** Every input is final: the transaction can be extracted. */
    complete: missing.length === 0 && inputs.length > 0,
    /** Inputs that are not final, each with what it lacks. */
    missing,
  };
}

/** What makes an input final, or what it lacks. */
function finalScripts(view: SigningView, index: number): FinalScripts | Obstacle {
  const spend = view.spend(index);
  if (isObstacle(spend)) return spend;
  return spend.scheme === 'taproot' ? finalizeTaprootInput(view, index, spend) : finalizeEcdsaInput(view, index, spend);
}
