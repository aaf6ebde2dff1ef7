import { deterministicSign, nonceAggregate, Session } from '@scure/btc-signer/musig2.js';
import { DomainError } from '../../errors.ts';
import { ecc } from '../../keys/ecc.ts';
import { invalidPrivateKey } from '../tweak.ts';
import type { MusigKeys } from './aggregate-keys.ts';

const PUBLIC_NONCE_BYTES = 66;

/** What all signers sign: nobody's nonce serves for anything else. */
export interface MusigPlan extends MusigKeys {
  readonly message: Uint8Array;
}

/** Two compressed points (BIP327). */
export const isPublicNonce = (nonce: Uint8Array): boolean =>
  nonce.length === PUBLIC_NONCE_BYTES && ecc.isPoint(nonce.subarray(0, 33)) && ecc.isPoint(nonce.subarray(33));

/** BIP327's NonceAgg of nonces that `isPublicNonce` holds for. */
export const aggregateNonces = (nonces: readonly Uint8Array[]): Buffer => Buffer.from(nonceAggregate([...nonces]));

/** The second round: every signer's nonce is known. Nonces and partial signatures are in the order of the plan's keys. */
export interface SigningRound {
  readonly aggregateNonce: Buffer;
  verifyPartial(signer: number, partialSignature: Uint8Array): boolean;
  /** 64 bytes (BIP340). Every partial signature was verified before. */
  finalSignature(partialSignatures: readonly Uint8Array[]): Buffer;
}

export function openSigningRound(plan: MusigPlan, nonces: readonly Uint8Array[]): SigningRound {
  const aggregateNonce = aggregateNonces(nonces);
  const session = new Session(aggregateNonce, [...plan.publicKeys], plan.message, ...tweaksOf(plan));
  return {
    aggregateNonce,
    verifyPartial: (signer, partialSignature) => session.partialSigVerify(partialSignature, [...nonces], signer),
    finalSignature: (partialSignatures) => Buffer.from(session.partialSigAgg([...partialSignatures])),
  };
}

/**
 * BIP327's deterministic signing, by the one signer that comes last: nonce and partial signature at once, the nonce made of the private
 * key, the others' nonces, the keys and the message. No secret nonce outlives the call, so none can be used twice: other nonces or another
 * message lead to another one. `randomness`: 32 bytes that are mixed in. Throws `invalid_key`. The caller overwrites the key when done.
 */
export function signLast(
  plan: MusigPlan,
  otherNonces: readonly Uint8Array[],
  privateKey: Uint8Array,
  randomness: Uint8Array,
): { publicNonce: Uint8Array; partialSignature: Uint8Array } {
  if (!ecc.isPrivate(privateKey)) throw invalidPrivateKey();
  const publicKey = ecc.pointFromScalar(privateKey, true) as Uint8Array;
  if (!plan.publicKeys.some((key) => Buffer.compare(key, publicKey) === 0)) {
    throw new DomainError('invalid_key', 'this is the private key of none of the participants');
  }
  const { publicNonce, partialSig } = deterministicSign(
    privateKey,
    aggregateNonces(otherNonces),
    [...plan.publicKeys],
    plan.message,
    ...tweaksOf(plan),
    randomness,
  );
  return { publicNonce, partialSignature: partialSig };
}

const tweaksOf = ({ tweaks }: MusigKeys): [Uint8Array[], boolean[]] => [
  tweaks.map(({ tweak }) => tweak),
  tweaks.map(({ xOnly }) => xOnly),
];
