/** MuSig2's two rounds as another participant of a PSBT goes through them (BIP373): nonces first, partial signatures once all are there. */
import { nonceGen, Session } from '@scure/btc-signer/musig2.js';
import { hex, sameBytes } from '../../src/core/bytes.ts';
import { DomainError } from '../../src/core/errors.ts';
import { isFinalized } from '../../src/core/psbt/codec/input-fields.ts';
import { INPUT } from '../../src/core/psbt/codec/key-types.ts';
import { musigMessage } from '../../src/core/psbt/musig/aggregate-musig.ts';
import {
  partialSignatureEntry,
  partialSignatureOf,
  publicNonceEntry,
  publicNonceOf,
} from '../../src/core/psbt/musig/musig-fields.ts';
import { type MusigTarget, musigTargets } from '../../src/core/psbt/musig/musig-targets.ts';
import { keysOf, partsOf, positionOf } from '../../src/core/psbt/musig/sign-musig.ts';
import type { PsbtV2 } from '../../src/core/psbt/psbt.ts';
import type { PsbtEntry, PsbtMap } from '../../src/core/psbt/psbt-map.ts';
import { hashTypeToSign, modifiableAfter } from '../../src/core/psbt/signing/sighash-policy.ts';
import { refuseContradictions } from '../../src/core/psbt/signing/signer-checks.ts';
import type { PsbtSigningOptions, PsbtSigningTools, SignedPsbt } from '../../src/core/psbt/signing/signing-job.ts';
import type { PsbtSigner, SigningKey } from '../../src/core/psbt/signing/signing-key.ts';
import { openSigningView } from '../../src/core/psbt/signing/signing-view.ts';
import { isObstacle } from '../../src/core/psbt/signing/spent-part.ts';
import { aggregateNonces, isPublicNonce, openSigningRound } from '../../src/core/taproot/musig/signing-session.ts';

interface KeptNonce {
  readonly secret: Uint8Array;
  /** What it was made for: nothing else is signed with it. */
  readonly message: Uint8Array;
}

/**
 * The secret nonces of one signer between BIP327's two rounds. They can neither be read nor written anywhere: a round takes each once,
 * for the message that it was made for, and it is overwritten then. A second signature by the same nonce would give the key away.
 */
class MusigNonces {
  readonly #nonces = new Map<string, KeptNonce>();

  /** How many were not used yet. */
  get left(): number {
    return this.#nonces.size;
  }

  /** Takes the buffer over. `publicNonce` is what identifies it. */
  keep(publicNonce: Uint8Array, secret: Uint8Array, message: Uint8Array): void {
    this.#nonces.set(hex(publicNonce), { secret, message });
  }

  /** Gives the secret nonce to `use`, once. null where it is not here, was used, or was made for another message. */
  use<Result>(publicNonce: Uint8Array, message: Uint8Array, sign: (secret: Uint8Array) => Result): Result | null {
    const name = hex(publicNonce);
    const kept = this.#nonces.get(name);
    if (kept === undefined || !sameBytes(kept.message, message)) return null;
    this.#nonces.delete(name);
    try {
      return sign(kept.secret);
    } finally {
      kept.secret.fill(0);
    }
  }

  dispose(): void {
    for (const { secret } of this.#nonces.values()) secret.fill(0);
    this.#nonces.clear();
  }

  toJSON(): Record<string, never> {
    return {};
  }
}

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
