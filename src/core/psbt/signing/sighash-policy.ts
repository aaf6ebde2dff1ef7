import { DomainError } from '../../errors.ts';
import {
  isEcdsaSighash,
  isSchnorrSighash,
  SIGHASH_ALL,
  SIGHASH_DEFAULT,
  type SighashName,
  sighashName,
  signsNoOutput,
  signsOneInput,
  signsOneOutput,
} from '../../scripts/sighash-type.ts';
import { sighashTypeOf } from '../codec/input-fields.ts';
import { GLOBAL, MODIFIABLE } from '../codec/key-types.ts';
import type { PsbtMap } from '../psbt-map.ts';

/** What is signed with when nobody allows more: what covers every input and output. */
const ALWAYS: readonly SighashName[] = ['DEFAULT', 'ALL'];

/**
 * The hash type to sign an input with: what the PSBT asks for, else ALL, or DEFAULT for Schnorr. Throws `unsafe_to_sign` where it is
 * undefined, not allowed by name, or SINGLE without an output of the input's index.
 */
export function hashTypeToSign(
  input: PsbtMap,
  index: number,
  outputs: number,
  schnorr: boolean,
  allowed: readonly SighashName[],
): number {
  const hashType = sighashTypeOf(input) ?? (schnorr ? SIGHASH_DEFAULT : SIGHASH_ALL);
  const name = sighashName(hashType);
  if (name === null || !(schnorr ? isSchnorrSighash(hashType) : isEcdsaSighash(hashType)))
    throw unacceptable(index, `no such type is defined for it (0x${hashType.toString(16)})`);
  if (!ALWAYS.includes(name) && !allowed.includes(name))
    throw unacceptable(
      index,
      `${name} leaves parts of the transaction open and is signed only where it is allowed by name`,
    );
  if (signsOneOutput(hashType) && index >= outputs)
    throw unacceptable(index, `${name} signs the output of the same index, and there are only ${outputs}`);
  return hashType;
}

const unacceptable = (index: number, reason: string): DomainError =>
  new DomainError('unsafe_to_sign', `input ${index} asks for a sighash type that is not signed: ${reason}`, {
    field: 'psbt',
  });

/** The global map after signatures of these hash types (BIP370, signer). */
export function modifiableAfter(global: PsbtMap, hashTypes: Iterable<number>): PsbtMap {
  const flags = global.get(GLOBAL.TX_MODIFIABLE)?.[0];
  // Without the field nothing may be modified, whatever is signed.
  if (flags === undefined) return global;
  let after = flags;
  for (const hashType of hashTypes) {
    if (!signsOneInput(hashType)) after &= ~MODIFIABLE.INPUTS;
    if (!signsNoOutput(hashType)) after &= ~MODIFIABLE.OUTPUTS;
    if (signsOneOutput(hashType)) after |= MODIFIABLE.HAS_SIGHASH_SINGLE;
  }
  if (after === flags) return global;
  const changed = global.clone();
  changed.set(GLOBAL.TX_MODIFIABLE, Uint8Array.of(after));
  return changed;
}
