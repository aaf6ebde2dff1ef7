/** A contract that rules want approved first: what is approved, kept in the job that makes it wait. */
import { canonicalJson } from '../../../core/audit-log/canonical-json.ts';
import { hex } from '../../../core/bytes.ts';
import { DomainError } from '../../../core/errors.ts';
import { type ApprovalId, newId } from '../../../core/ids.ts';
import type { Network } from '../../../core/network.ts';
import { contractText, MAX_APPROVED_BYTES } from '../../../core/policies/contract-text.ts';
import type { Requirement } from '../../../core/policies/policy.ts';
import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { Repositories } from '../../../store/store.ts';
import { initiatorOf, storedAsked } from '../../approvals/asked-again.ts';
import { openApproval } from '../../approvals/open-approval.ts';
import type { Passed } from '../../policies/gate.ts';
import { walletsOf } from '../asked-of-contract.ts';

/** What makes a contract wait, if rules want approvals. */
export function waitingBy(
  passed: readonly Passed[],
  randomBytes: (size: number) => Uint8Array,
): { readonly status: 'awaiting_approval'; readonly approvalId: ApprovalId } | null {
  const waits = passed.some(({ requirements }) => requirements.length > 0);
  return waits ? { status: 'awaiting_approval', approvalId: newId('apr', randomBytes) } : null;
}

export interface Awaited {
  /** Of each side that is here. */
  readonly passed: readonly Passed[];
  readonly offer: Uint8Array;
  /** Without signatures; null where somebody else accepts. */
  readonly accept: Uint8Array | null;
  readonly expiresAt: number | null;
  readonly network: Network;
}

/** In the job that writes the record, which names its approval. Throws `too_large`. */
export async function awaitApproval(
  tx: Pick<Repositories, 'approvals' | 'events'>,
  contract: ContractRecord,
  { passed, offer, accept, expiresAt, network }: Awaited,
  now: number,
): Promise<void> {
  const { contractId, accountId, approvalId, dialect } = contract;
  if (approvalId === null) throw new Error(`contract ${contractId} waits for no approval`);
  const [first] = passed;
  if (first === undefined) throw new Error(`nobody asked for contract ${contractId}`);
  refuseLong(offer.length + (accept?.length ?? 0));
  await openApproval(
    tx,
    {
      ...{ approvalId, accountId, network, operation: first.asked.operation, subject: contractId },
      walletId: first.asked.wallet?.walletId ?? null,
      ...{ initiator: initiatorOf(first), asked: storedAsked(first), requestOf: null, request: null },
      requirements: eachOnce(passed.flatMap(({ requirements }) => requirements)),
      signs: canonicalJson(
        contractText({
          ...{ contract_id: contractId, wallets: walletsOf(contract), dialect },
          expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
          ...{ offer_message: hex(offer), accept_message: accept && hex(accept) },
        }),
      ),
    },
    now,
  );
}

/** A rule that both sides meet asks for its approvals once. */
export const eachOnce = (requirements: readonly Requirement[]): Requirement[] => [
  ...new Map(requirements.map((one) => [one.policyId, one])).values(),
];

/** Throws `too_large`. */
export function refuseLong(length: number, field = 'wallet_id'): void {
  if (length <= MAX_APPROVED_BYTES) return;
  throw new DomainError(
    'too_large',
    `the messages of this contract have ${length} bytes, and nobody approves more than ${MAX_APPROVED_BYTES}: take fewer outcomes or ` +
      'announcements, or coins that smaller transactions made',
    { field },
  );
}
