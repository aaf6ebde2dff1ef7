import { DomainError } from '../../errors.ts';
import { signsOneInput } from '../../scripts/sighash-type.ts';
import { isFinalized } from '../codec/input-fields.ts';
import type { PsbtV2 } from '../psbt.ts';
import { modifiableAfter } from './sighash-policy.ts';
import { signEcdsaInput } from './sign-ecdsa-input.ts';
import { signTaprootInput } from './sign-taproot-input.ts';
import { refuseContradictions, refuseOverspending } from './signer-checks.ts';
import type { InputSigning, PsbtSigningOptions, PsbtSigningTools, SignedPsbt, SigningJob } from './signing-job.ts';
import type { PsbtSigner } from './signing-key.ts';
import { openSigningView } from './signing-view.ts';
import { isObstacle } from './spent-part.ts';

export type { PsbtSigningOptions, PsbtSigningTools, SignedPsbt } from './signing-job.ts';

/**
 * Signs every input for which the signer has a key (BIP174, 370, 371), after the checks that BIP174 tells a signer to make, over the whole
 * PSBT before the first signature. Each signature is verified after it was made. The signer stays the caller's to dispose of.
 *
 * Throws `unsafe_to_sign` where the PSBT contradicts itself, pays out more than it spends, or asks for a sighash type that is not allowed;
 * `nothing_signed` with each input's reason; `psbt_incomplete` where there is no transaction yet; `too_large`.
 */
export function signPsbt(
  psbt: PsbtV2,
  signer: PsbtSigner,
  tools: PsbtSigningTools,
  { allowSighash: allowed = [] }: PsbtSigningOptions = {},
): SignedPsbt {
  const view = openSigningView(psbt);
  refuseContradictions(view);
  const inputs = psbt.inputs.slice();
  const signedInputs: number[] = [];
  const hashTypes = new Set<number>();
  const reasons: string[] = [];
  const announce = createSchnorrLimit();
  for (const [index, input] of psbt.inputs.entries()) {
    const result = signInput({ view, index, input, signer, tools, allowed, announce });
    if ('reason' in result) {
      reasons.push(result.reason);
      continue;
    }
    const signed = input.clone();
    signed.setAll(result.added);
    inputs[index] = signed;
    signedInputs.push(index);
    hashTypes.add(result.hashType);
  }
  if (signedInputs.length === 0) throw nothingSigned(reasons);
  if ([...hashTypes].some((hashType) => !signsOneInput(hashType))) refuseOverspending(view);
  return { psbt: { ...psbt, global: modifiableAfter(psbt.global, hashTypes), inputs }, signedInputs };
}

function signInput(job: SigningJob): InputSigning {
  if (isFinalized(job.input)) return { reason: 'it is finalized already' };
  const spend = job.view.spend(job.index);
  if (isObstacle(spend)) return { reason: spend.reason };
  return spend.scheme === 'taproot' ? signTaprootInput(job, spend) : signEcdsaInput(job, spend);
}

/** Each takes most of a millisecond, and a key may stand in thousands of leaves; the key paths of all inputs that are relayed are fewer. */
const MAX_SCHNORR = 2_500;

function createSchnorrLimit(): (signatures: number) => void {
  let left = MAX_SCHNORR;
  return (signatures) => {
    left -= signatures;
    if (left < 0)
      throw new DomainError('too_large', `more than ${MAX_SCHNORR} taproot signatures of this key are asked for`, {
        field: 'psbt',
      });
  };
}

const MAX_REASONS = 10;

function nothingSigned(reasons: readonly string[]): DomainError {
  const groups = new Map<string, number[]>();
  for (const [index, reason] of reasons.entries()) {
    const group = groups.get(reason);
    if (group) group.push(index);
    else groups.set(reason, [index]);
  }
  const told = [...groups].slice(0, MAX_REASONS).map(([reason, indexes]) => `${inputsNamed(indexes)}: ${reason}`);
  const why = told.length === 0 ? 'it has no inputs' : told.join('; ');
  return new DomainError('nothing_signed', `the key signs no input of this PSBT (${why})`, {
    field: 'psbt',
    reason: why,
  });
}

function inputsNamed(indexes: readonly number[]): string {
  if (indexes.length === 1) return `input ${indexes[0]}`;
  const shown = indexes.slice(0, 5).join(', ');
  return indexes.length > 5 ? `inputs ${shown} and ${indexes.length - 5} more` : `inputs ${shown}`;
}
