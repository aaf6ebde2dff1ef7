import { nonceGen, Session } from '@scure/btc-signer/musig2.js';
import { hex, sameBytes } from '../../bytes.ts';
import { DomainError } from '../../errors.ts';
import { aggregateNonces, isPublicNonce, openSigningRound, signLast } from '../../taproot/musig/signing-session.ts';
import { isFinalized, tapBip32Derivations } from '../codec/input-fields.ts';
import { INPUT } from '../codec/key-types.ts';
import type { PsbtV2 } from '../psbt.ts';
import type { PsbtEntry, PsbtMap } from '../psbt-map.ts';
import { hashTypeToSign, modifiableAfter } from '../signing/sighash-policy.ts';
import { refuseContradictions } from '../signing/signer-checks.ts';
import type { PsbtSigningOptions, PsbtSigningTools, SignedPsbt, SigningJob } from '../signing/signing-job.ts';
import type { PsbtSigner, SigningKey } from '../signing/signing-key.ts';
import { openSigningView } from '../signing/signing-view.ts';
import { isObstacle } from '../signing/spent-part.ts';
import type { TaprootSpend } from '../signing/taproot-spend.ts';
import { musigMessage } from './aggregate-musig.ts';
import { partialSignatureEntry, partialSignatureOf, publicNonceEntry, publicNonceOf } from './musig-fields.ts';
import { MusigNonces } from './musig-session.ts';
import { type MusigTarget, musigTargets } from './musig-targets.ts';

/** One of our keys, and a signature that it takes part in. */
interface Part {
  readonly key: SigningKey;
  readonly target: MusigTarget;
  readonly message: Uint8Array;
}

type RoundStep = (part: Part, input: PsbtMap) => PsbtEntry[];

/**
 * BIP373's first round: public nonces of the signer's keys for every signature they take part in. The secret ones are in `nonces`, which
 * the caller hands to `signMusigRound` and keeps nowhere else. Throws as `signPsbt` does.
 */
export function addMusigNonces(
  psbt: PsbtV2,
  signer: PsbtSigner,
  tools: PsbtSigningTools,
  options: PsbtSigningOptions = {},
): SignedPsbt & { readonly nonces: MusigNonces } {
  const nonces = new MusigNonces();
  const makeNonce: RoundStep = ({ key, target, message }, input) => {
    if (publicNonceOf(input, key.publicKey, target) !== null) return [];
    const xOnlyKey = Uint8Array.from(target.key.subarray(1));
    const made = nonceGen(key.publicKey, key.privateKey, xOnlyKey, message, undefined, tools.randomBytes(32));
    nonces.keep(made.public, made.secret, message);
    return [publicNonceEntry(key.publicKey, target, made.public)];
  };
  try {
    const { psbt: withNonces, signedInputs } = runRound(psbt, signer, options, makeNonce);
    return { psbt: withNonces, signedInputs, nonces };
  } catch (error) {
    nonces.dispose();
    throw error;
  }
}

/**
 * The second round: partial signatures, once every participant's nonce is there. Each is verified after it was made; each secret nonce is
 * overwritten. Throws as `signPsbt` does.
 */
export function signMusigRound(
  psbt: PsbtV2,
  signer: PsbtSigner,
  nonces: MusigNonces,
  options: PsbtSigningOptions = {},
): SignedPsbt {
  const sign: RoundStep = ({ key, target, message }, input) => {
    const { participants, tweaks } = target;
    if (partialSignatureOf(input, key.publicKey, target) !== null) return [];
    const all = participants.map((participant) => publicNonceOf(input, participant, target));
    const own = publicNonceOf(input, key.publicKey, target);
    if (own === null || !all.every((nonce) => nonce !== null && isPublicNonce(nonce))) return [];
    const publicNonces = all as Uint8Array[];
    const partial = nonces.use(own, message, (secret) =>
      new Session(
        aggregateNonces(publicNonces),
        [...participants],
        message,
        tweaks.map(({ tweak }) => tweak),
        tweaks.map(({ xOnly }) => xOnly),
      ).sign(secret, key.privateKey, true),
    );
    if (partial === null) return [];
    const round = openSigningRound({ publicKeys: participants, tweaks, message }, publicNonces);
    if (!round.verifyPartial(positionOf(key, target), partial))
      throw new Error('the partial signature just made is not valid');
    return [partialSignatureEntry(key.publicKey, target, partial)];
  };
  return runRound(psbt, signer, options, sign, true);
}

/**
 * Both rounds at once, for the participant who comes last: where every other nonce is there and its own is not, BIP327's deterministic
 * signing makes nonce and partial signature without any state that could be used twice. [] where it cannot.
 */
export function signMusigLast(job: SigningJob, spend: TaprootSpend): { added: PsbtEntry[]; hashType: number } | null {
  const { view, index, input, signer, tools } = job;
  if (!input.has(INPUT.MUSIG2_PARTICIPANT_PUBKEYS)) return null;
  const targets = musigTargets(input, spend, view.musig);
  const keys = keysOf(signer, input, targets);
  try {
    const added: PsbtEntry[] = [];
    let hashType = 0;
    for (const { key, target } of partsOf(keys, targets)) {
      if (publicNonceOf(input, key.publicKey, target) !== null) continue;
      const others = target.participants.filter((participant) => !sameBytes(participant, key.publicKey));
      const nonces = others.map((participant) => publicNonceOf(input, participant, target));
      if (!nonces.every((nonce) => nonce !== null && isPublicNonce(nonce)) || nonces.length === 0) continue;
      hashType = hashTypeToSign(input, index, view.parts.outputs.length, true, job.allowed);
      const message = musigMessage(view, index, hashType, target.leafHash);
      if (message === null) continue;
      view.musig.spend(target.participants.length * 2);
      const plan = { publicKeys: target.participants, tweaks: target.tweaks, message };
      const made = signLast(plan, nonces as Uint8Array[], key.privateKey, tools.randomBytes(32));
      added.push(
        publicNonceEntry(key.publicKey, target, made.publicNonce),
        partialSignatureEntry(key.publicKey, target, made.partialSignature),
      );
    }
    return added.length === 0 ? null : { added, hashType };
  } finally {
    for (const { privateKey } of keys) privateKey.fill(0);
  }
}

function runRound(
  psbt: PsbtV2,
  signer: PsbtSigner,
  { allowSighash: allowed = [] }: PsbtSigningOptions,
  step: RoundStep,
  signs = false,
): SignedPsbt {
  const view = openSigningView(psbt);
  refuseContradictions(view);
  const inputs = psbt.inputs.slice();
  const signedInputs: number[] = [];
  const hashTypes = new Set<number>();
  for (const [index, input] of psbt.inputs.entries()) {
    if (isFinalized(input) || !input.has(INPUT.MUSIG2_PARTICIPANT_PUBKEYS)) continue;
    const spend = view.spend(index);
    if (isObstacle(spend) || spend.scheme !== 'taproot') continue;
    const targets = musigTargets(input, spend, view.musig);
    const keys = keysOf(signer, input, targets);
    try {
      const parts = partsOf(keys, targets);
      if (parts.length === 0) continue;
      const hashType = hashTypeToSign(input, index, view.parts.outputs.length, true, allowed);
      const added = parts.flatMap(({ key, target }) => {
        const message = musigMessage(view, index, hashType, target.leafHash);
        view.musig.spend(target.participants.length);
        return message === null ? [] : step({ key, target, message }, input);
      });
      if (added.length === 0) continue;
      const changed = input.clone();
      changed.setAll(added);
      inputs[index] = changed;
      signedInputs.push(index);
      hashTypes.add(hashType);
    } finally {
      for (const { privateKey } of keys) privateKey.fill(0);
    }
  }
  if (signedInputs.length === 0) throw nothing(signs);
  const global = signs ? modifiableAfter(psbt.global, hashTypes) : psbt.global;
  return { psbt: { ...psbt, global, inputs }, signedInputs };
}

const nothing = (signs: boolean): DomainError =>
  new DomainError(
    'nothing_signed',
    signs
      ? 'no MuSig2 signature of this PSBT waits for this key: nonces are missing, were made elsewhere or used already'
      : 'this key takes part in no MuSig2 signature of this PSBT that has no nonce of its yet',
    { field: 'psbt' },
  );

/** The signer's keys that are participants. */
function keysOf(signer: PsbtSigner, input: PsbtMap, targets: readonly MusigTarget[]): SigningKey[] {
  const named = new Set(targets.flatMap(({ participants }) => participants.map((key) => hex(key.subarray(1)))));
  if (named.size === 0) return [];
  const derivations = tapBip32Derivations(input, INPUT.TAP_BIP32_DERIVATION)
    .filter(({ xOnlyKey }) => named.has(hex(xOnlyKey)))
    .map(({ xOnlyKey, fingerprint, path }) => ({ publicKey: xOnlyKey, fingerprint, path }));
  return signer.keysFor(derivations);
}

const partsOf = (keys: readonly SigningKey[], targets: readonly MusigTarget[]) =>
  targets.flatMap((target) => keys.filter((key) => positionOf(key, target) >= 0).map((key) => ({ key, target })));

const positionOf = ({ publicKey }: SigningKey, { participants }: MusigTarget): number =>
  participants.findIndex((participant) => sameBytes(participant, publicKey));
