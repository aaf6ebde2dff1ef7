/** What is looked at in messages before anything is signed or held. Adaptor signatures are checked by range (verifyCets), in workers. */
import { DomainError } from '../../errors.ts';
import type { AcceptMessage, OfferMessage, SignMessage } from '../dlc-messages.ts';
import { checkAccept } from './checks/check-accept.ts';
import type { CheckContext } from './checks/check-context.ts';
import { checkOffer } from './checks/check-offer.ts';
import { checkSign } from './checks/check-sign.ts';
import type { ContractCheck } from './contract-check.ts';

export { checkAccept } from './checks/check-accept.ts';
export type { CheckContext } from './checks/check-context.ts';
export { checkOffer } from './checks/check-offer.ts';
export { checkSign } from './checks/check-sign.ts';

/**
 * Every check of the messages that there are but the adaptor signatures, in their order. What builds on a message that failed is skipped: a
 * message is judged by those before it.
 */
export function checkMessages(
  {
    offer,
    accept,
    sign,
  }: {
    readonly offer: OfferMessage;
    readonly accept?: AcceptMessage | undefined;
    readonly sign?: SignMessage | undefined;
  },
  context: CheckContext,
): ContractCheck[] {
  const checks = checkOffer(offer, context);
  if (accept) checks.push(...(failedOf(checks) ? [skipped('accept')] : checkAccept(offer, accept, context)));
  if (accept && sign) checks.push(...(failedOf(checks) ? [skipped('sign')] : checkSign(offer, accept, sign, context)));
  return checks;
}

/** What verifyCets answered, as a check. */
export const adaptorSignatureCheck = (message: 'accept' | 'sign', firstBad: number | null): ContractCheck => ({
  check: 'cet_adaptor_signature',
  verdict: firstBad === null ? 'passed' : 'failed',
  message,
  index: firstBad,
  reason: firstBad === null ? null : 'it does not sign its CET under its point with its side’s funding key',
});

/** What sharedPoint answered, as a check of the offer. */
export const encryptionPointsCheck = (shared: readonly [number, number] | null): ContractCheck => ({
  check: 'encryption_points',
  verdict: shared === null ? 'passed' : 'failed',
  message: 'offer',
  index: shared?.[1] ?? null,
  reason: shared && `it pays otherwise than case ${shared[0]}, and the same attestation opens both`,
});

const failedOf = (checks: readonly ContractCheck[]): ContractCheck | undefined =>
  checks.find(({ verdict }) => verdict === 'failed');

/** Throws `contract_refused` naming the first check that failed, and the field in which the caller has what it is about. */
export function requireChecks(
  checks: readonly ContractCheck[],
  fieldOf: (message: ContractCheck['message']) => string = () => 'message',
): void {
  const failed = failedOf(checks);
  if (!failed) return;
  const { check, message, index, reason } = failed;
  const where = index === null ? '' : ` ${index}`;
  throw new DomainError(
    'contract_refused',
    `${check}: in the ${message} message${where === '' ? '' : `, number${where}`}: ${reason}`,
    { field: fieldOf(message) },
  );
}

const skipped = (message: 'accept' | 'sign'): ContractCheck => ({
  check: 'transactions',
  verdict: 'skipped',
  message,
  index: null,
  reason: 'a check of a message before it failed',
});
