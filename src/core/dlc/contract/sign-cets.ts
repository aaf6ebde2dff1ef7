import { DomainError } from '../../errors.ts';
import { type AdaptorTools, encryptSignAll } from '../adaptor-signatures/encrypt-sign.ts';
import { ADAPTOR_SIGNATURE_BYTES } from '../adaptor-signatures/serialization.ts';
import { firstInvalid, verifyAdaptorSignature } from '../adaptor-signatures/verify-adaptor-signature.ts';
import { isTolerated } from '../outcomes/rounding-tolerance.ts';
import type { CaseRange, DlcContract } from './dlc-contract.ts';

/** 162 bytes for each case of the range. The private key is the caller's to zero. */
export function signCets(
  contract: DlcContract,
  privateKey: Uint8Array,
  { from, to }: CaseRange,
  tools: AdaptorTools,
): Uint8Array {
  const items = Array.from({ length: to - from }, (_, at) => ({
    messageHash: contract.cetHashOf(from + at),
    encryptionPoint: contract.encryptionPointOf(from + at),
  }));
  return encryptSignAll(items, privateKey, tools);
}

/**
 * The first case whose adaptor signature is wrong, null where none is. `signatures` are those of the range alone. A numeric contract's
 * signature may be for a CET that pays a satoshi otherwise (rounding-tolerance.ts). Throws `contract_refused` where there are too few or
 * too many bytes.
 */
export function verifyCets(
  contract: DlcContract,
  publicKey: Uint8Array,
  signatures: Uint8Array,
  { from, to }: CaseRange,
): number | null {
  if (signatures.length !== (to - from) * ADAPTOR_SIGNATURE_BYTES)
    throw new DomainError(
      'contract_refused',
      `adaptor_signature_count: ${to - from} cases need ${(to - from) * ADAPTOR_SIGNATURE_BYTES} bytes of adaptor signatures, not ${signatures.length}`,
    );
  for (let start = from; start < to; start += BATCH) {
    const batch = { from: start, to: Math.min(start + BATCH, to) };
    const first = (start - from) * ADAPTOR_SIGNATURE_BYTES;
    const bad = firstBad(contract, publicKey, signatures.subarray(first), batch);
    if (bad !== null) return bad;
  }
  return null;
}

/** Verified with one inversion; few, since those behind one that is rounded otherwise are verified again. */
const BATCH = 64;

function firstBad(
  contract: DlcContract,
  publicKey: Uint8Array,
  signatures: Uint8Array,
  { from, to }: CaseRange,
): number | null {
  const items = Array.from({ length: to - from }, (_, at) => ({
    signature: signatureAt(signatures, at),
    messageHash: contract.cetHashOf(from + at),
    encryptionPoint: contract.encryptionPointOf(from + at),
  }));
  let verified = 0;
  for (;;) {
    const bad = firstInvalid(items.slice(verified), publicKey);
    if (bad === null) return null;
    const index = from + verified + bad;
    const { signature } = items[verified + bad] as (typeof items)[number];
    if (!isRoundedOtherwise(contract, publicKey, signature, index)) return index;
    verified += bad + 1;
  }
}

function isRoundedOtherwise(
  contract: DlcContract,
  publicKey: Uint8Array,
  signature: Uint8Array,
  caseIndex: number,
): boolean {
  const point = contract.encryptionPointOf(caseIndex);
  const { offerPayoutSats } = contract.caseAt(caseIndex);
  return contract
    .neighbourPayoutsOf(caseIndex)
    .filter((payoutSats) => isTolerated(offerPayoutSats, payoutSats, contract.totalCollateralSats))
    .some((payoutSats) => verifyAdaptorSignature(signature, contract.cetHashPaying(payoutSats), publicKey, point));
}

export const signatureAt = (signatures: Uint8Array, at: number): Uint8Array =>
  signatures.subarray(at * ADAPTOR_SIGNATURE_BYTES, (at + 1) * ADAPTOR_SIGNATURE_BYTES);
