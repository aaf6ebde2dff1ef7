import type { ParsedTransaction } from '../../blocks/transaction.ts';
import type { Side } from '../transactions/funding-coins.ts';
import type { DlcContract } from './dlc-contract.ts';

export interface ExtractedAttestation {
  readonly caseIndex: number;
  /** 32 bytes: the sum of the attestations' s. Of one oracle and one nonce, its s itself. */
  readonly scalar: Uint8Array;
  /** BIP340 signature of the outcome, where the case is of one oracle and one nonce. */
  readonly signature: { readonly oracle: number; readonly outcome: string; readonly bytes: Uint8Array } | null;
}

/**
 * What the oracles attested, out of a CET that the other side broadcast: our signature in it opened our adaptor signature. null where the
 * transaction is no CET of the contract.
 */
export function extractAttestation(
  _contract: DlcContract,
  _transaction: ParsedTransaction,
  _own: { readonly side: Side; readonly adaptorSignatures: Uint8Array },
): ExtractedAttestation | null {
  throw new Error('not made yet');
}
