/** What is looked at in messages before anything is signed or held. Adaptor signatures are checked by range (verifyCets), in workers. */
import type { Network } from '../../network.ts';
import type { Dialect } from '../dialect.ts';
import type { AcceptMessage, OfferMessage, SignMessage } from '../dlc-messages.ts';
import type { ContractCheck } from './contract-check.ts';

export interface CheckContext {
  readonly network: Network;
  readonly dialect: Dialect;
  /** sat/vB: outside of them the fee rate is refused. */
  readonly feeRateLimits: { readonly leastSatVb: bigint; readonly mostSatVb: bigint };
  /** The tip's height and its median time past, Unix seconds: a refund locktime that is past by then is refused. null: not known, skipped. */
  readonly tip: { readonly height: number; readonly medianTime: number } | null;
}

/** A list of every check; the offer is fine where none failed. */
export function checkOffer(_offer: OfferMessage, _context: CheckContext): ContractCheck[] {
  throw new Error('not made yet');
}

/** Of an offer that was checked. All but the adaptor signatures. */
export function checkAccept(_offer: OfferMessage, _accept: AcceptMessage, _context: CheckContext): ContractCheck[] {
  throw new Error('not made yet');
}

/** Of an offer and an accept message that were checked. All but the adaptor signatures. */
export function checkSign(
  _offer: OfferMessage,
  _accept: AcceptMessage,
  _sign: SignMessage,
  _context: CheckContext,
): ContractCheck[] {
  throw new Error('not made yet');
}

/** What verifyCets answered, as a check. */
export function adaptorSignatureCheck(_message: 'accept' | 'sign', _firstBad: number | null): ContractCheck {
  throw new Error('not made yet');
}

/** Throws `contract_refused` naming the first check that failed. */
export function requireChecks(_checks: readonly ContractCheck[]): void {
  throw new Error('not made yet');
}
