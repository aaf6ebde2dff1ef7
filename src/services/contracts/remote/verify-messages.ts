/** The checks of messages that somebody sends: those that need neither database nor chain nor long work, and what comes of all. */
import { checkMessages } from '../../../core/dlc/contract/contract-checks.ts';
import { oracleProofsCheck } from '../../../core/dlc/contract/oracle-proof.ts';
import { type Messages, readMessages } from '../../../core/dlc/jobs/message-jobs.ts';
import type { DlcMessageError } from '../../../core/dlc/messages/message-error.ts';
import { DomainError } from '../../../core/errors.ts';
import type { Network } from '../../../core/network.ts';
import type { ContractCheck, ContractVerification } from '../contract-service.ts';
import { proofsOfOffer } from '../terms/oracle-proofs.ts';
import { timeless } from './check-context.ts';

/** Throws `invalid_message` naming the field for bytes that are no such message. */
export async function checkPosted(
  messages: Messages,
  { network, acceptUnprovenOracles }: { readonly network: Network; readonly acceptUnprovenOracles: boolean },
): Promise<ContractCheck[]> {
  const { offer, accept, sign } = named(messages);
  const found: ContractCheck[] = [...checkMessages({ offer, accept, sign }, timeless(network, messages.dialect))];
  if (failedOf(found) !== undefined) return found;
  const { judged } = await proofsOfOffer(offer, null);
  return [...found, oracleProofsCheck(judged, acceptUnprovenOracles)];
}

/** Of messages whose adaptor signatures were not gone through it says why. */
export function verdictOf(checks: readonly ContractCheck[], { accept, sign }: Messages): ContractVerification {
  const failed = failedOf(checks);
  const unseen = ([accept && 'accept', sign && 'sign'] as const).filter(
    (message) => message !== undefined && !checks.some((one) => isOfSignatures(one) && one.message === message),
  );
  const skipped = unseen.map((message) => ({
    check: 'cet_adaptor_signature',
    verdict: 'skipped' as const,
    message: message as 'accept' | 'sign',
    index: null,
    reason: `a check before it failed: ${failed?.check}`,
  }));
  return { valid: failed === undefined, checks: [...checks, ...skipped] };
}

export const failedOf = (checks: readonly ContractCheck[]): ContractCheck | undefined =>
  checks.find(({ verdict }) => verdict === 'failed');

const isOfSignatures = ({ check }: ContractCheck): boolean => check === 'cet_adaptor_signature';

/** A refusal names the field in which the caller sent the bytes. */
function named(messages: Messages) {
  try {
    return readMessages(messages);
  } catch (error) {
    const { kind } = error as DlcMessageError;
    throw error instanceof DomainError ? error.at(kind) : error;
  }
}
