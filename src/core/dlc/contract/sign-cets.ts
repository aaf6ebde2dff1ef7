import type { SigningTools } from '../../transactions/sign-transaction.ts';
import type { CaseRange, DlcContract } from './dlc-contract.ts';

/** 162 bytes for each case of the range. The private key is the caller's to zero. */
export function signCets(
  _contract: DlcContract,
  _privateKey: Uint8Array,
  _range: CaseRange,
  _tools: Pick<SigningTools, 'ecc' | 'randomBytes'>,
): Uint8Array {
  throw new Error('not made yet');
}

/**
 * The first case whose adaptor signature is wrong, null where none is. `signatures` are those of the range alone. A numeric contract's
 * signature may be for a CET rounded the other way (dlcspecs NumericOutcome.md). Throws `contract_refused` where there are too few or
 * too many bytes.
 */
export function verifyCets(
  _contract: DlcContract,
  _publicKey: Uint8Array,
  _signatures: Uint8Array,
  _range: CaseRange,
): number | null {
  throw new Error('not made yet');
}
