import type { ParsedTransaction } from '../../blocks/transaction.ts';
import { reduced } from '../../keys/scalars.ts';
import { compactFromDer } from '../../scripts/der-signature.ts';
import { recoverDecryptionKey } from '../adaptor-signatures/decrypt-signature.ts';
import type { Side } from '../transactions/funding-coins.ts';
import type { DlcContract } from './dlc-contract.ts';
import { announcementsOf } from './encryption-points.ts';
import { signatureAt } from './sign-cets.ts';
import { firstSigner } from './spend-funding.ts';

export interface ExtractedAttestation {
  readonly caseIndex: number;
  /** 32 bytes: the sum of the attestations' s. Of one oracle and one nonce, its s itself. */
  readonly scalar: Uint8Array;
  /** BIP340 signature of the outcome, where the case is of one oracle and one nonce. */
  readonly signature: { readonly oracle: number; readonly outcome: string; readonly bytes: Uint8Array } | null;
}

/**
 * What the oracles attested, out of a CET that the other side broadcast: our signature in it opened our adaptor signature. null where the
 * transaction is no CET of the contract, or was not made by opening ours.
 */
export function extractAttestation(
  contract: DlcContract,
  transaction: Pick<ParsedTransaction, 'inputs'>,
  own: { readonly side: Side; readonly adaptorSignatures: Uint8Array },
): ExtractedAttestation | null {
  const input = transaction.inputs.find(
    ({ prev }) => prev.txid === contract.fundingTxid && prev.vout === contract.fundingVout,
  );
  const der = input?.witness[firstSigner(contract) === own.side ? 1 : 2];
  const signature = der && compactFromDer(der.subarray(0, -1));
  if (!signature) return null;
  for (let caseIndex = 0; caseIndex < contract.caseCount; caseIndex++) {
    const adaptorSignature = signatureAt(own.adaptorSignatures, caseIndex);
    if (!hasNonceOf(adaptorSignature, signature)) continue;
    const scalar = recoverDecryptionKey(adaptorSignature, signature, contract.encryptionPointOf(caseIndex));
    if (scalar !== null) return { caseIndex, scalar, signature: attestedBy(contract, caseIndex, scalar) };
  }
  return null;
}

/** The r of what an adaptor signature opens to is the x of its first point: one case in ten thousand passes, and the rest cost nothing. */
function hasNonceOf(adaptorSignature: Uint8Array, signature: Uint8Array): boolean {
  const x = adaptorSignature.subarray(1, 33);
  return x.length === 32 && Buffer.compare(reduced(x), signature.subarray(0, 32)) === 0;
}

/** R, announced, and s make the signature. */
function attestedBy(contract: DlcContract, caseIndex: number, scalar: Uint8Array): ExtractedAttestation['signature'] {
  const { attested } = contract.caseAt(caseIndex);
  const [only, ...others] = attested;
  const outcome = only?.outcomes[0];
  if (!only || outcome === undefined || others.length > 0 || only.outcomes.length > 1) return null;
  const { oracleInfo } = contract.partOf(caseIndex).contractCase;
  const nonce = announcementsOf(oracleInfo)[only.oracle]?.event.nonces[0] as Uint8Array;
  return { oracle: only.oracle, outcome, bytes: Buffer.concat([nonce, scalar]) };
}
