/** Held requests after the last vote: carried out from the database alone, and their results, which are kept encrypted. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Network } from '../../core/network.ts';
import { type ApprovalText, digestOfText } from '../../core/policies/approval-text.ts';
import { untilAborted } from '../../scheduling/on-abort.ts';
import type { ApprovalRecord, OpenApproval } from '../../store/repositories/approvals.ts';
import type { Store } from '../../store/store.ts';
import { approved, type Gate } from '../policies/gate.ts';
import type { Reading } from '../requests/request-context.ts';
import type { TextCipher } from '../secrets/text-cipher.ts';
import { type ApprovalSubject, isFinal, type Judge } from './approval-subject.ts';
import type { HeldResult } from './approval-view.ts';
import { askedOf } from './asked-again.ts';
import { isAllowed } from './asked-by.ts';
import type { AnyHeld, DeclaredOperation } from './held-operation.ts';
import { doneApproval, failApproval } from './open-approval.ts';

/** Done, closed, or the account frozen: nothing is written. */
class Superseded extends Error {}

/** The same as for stored responses (requests/idempotency.ts). */
const SECRET_LIFE_MS = 24 * 3_600_000;

export const bindingOf = (approvalId: string, part: 'request' | 'result') => `approval ${approvalId} ${part}`;

export interface HeldDeps {
  readonly store: Store;
  readonly gate: Pick<Gate, 'decide' | 'askAgain'>;
  readonly cipher: TextCipher;
  readonly network: Network;
  readonly clock: () => number;
}

export function createCarryingOut(
  { store, gate, cipher, network, clock }: HeldDeps,
  operationOf: (approval: Pick<ApprovalRecord, 'requestOf'>) => AnyHeld,
  declared: Promise<ReadonlyMap<string, DeclaredOperation>>,
) {
  const askedFor = (approval: OpenApproval) =>
    askedOf(approval, approval.walletId === null ? null : { walletId: approval.walletId, network });

  async function carryOut(approval: ApprovalRecord, signal: AbortSignal, judge: Judge): Promise<void> {
    const { accountId, approvalId, request } = approval;
    const held = operationOf(approval);
    // Approvals from before a restart continue while the service starts.
    const { present } = (await untilAborted(declared, signal)).get(held.id)!;
    if (digestOfText(approval.text) !== approval.digest)
      throw new Error(`the text of ${approvalId} is another than was approved`);
    // Request and text may have two megabytes each.
    await nextTurn();
    const asked = JSON.parse(cipher.decrypt(request!, bindingOf(approvalId, 'request')));
    await nextTurn();
    const sealed = (result: unknown) =>
      cipher.encrypt(JSON.stringify(present(result) ?? {}), bindingOf(approvalId, 'result'));
    await held.run(asked, {
      ...{ accountId, signal, judge, passed: approved(...askedFor(approval)) },
      approved: (JSON.parse(approval.text) as ApprovalText).signs,
      async record(tx, { result }) {
        signal.throwIfAborted();
        const at = clock();
        const kept = { result: sealed(result), resultUntil: held.secret ? at + SECRET_LIFE_MS : null };
        if (!(await doneApproval(tx, approval, at, kept))) throw new Superseded();
      },
      amend: (tx, result) => tx.approvals.amend(approval, sealed(result)),
    });
  }

  const subject: ApprovalSubject = {
    ready: () => declared,
    hold: async (tx, approval) => operationOf(approval).hold?.(tx, approval),
    accessOf: (approval) => operationOf(approval).access,
    async askAgain(tx, approval, at) {
      const { requirementsNow, lookAgain } = operationOf(approval);
      if (requirementsNow !== undefined) return { denied: null, requirements: await requirementsNow(tx, approval) };
      try {
        return await gate.askAgain(tx, ...askedFor(approval), { at, ...(await lookAgain?.(tx, approval)) });
      } catch (error) {
        if (!isFinal(error)) throw error;
        return { denied: error.message, requirements: [] };
      }
    },
    async ended() {
      // Closing the approval deletes the stored request, and there is no other record.
    },
    async carryOut(approval, signal, judge) {
      try {
        await carryOut(approval, signal, judge);
      } catch (error) {
        if (error instanceof Superseded) return;
        if (!isFinal(error)) throw error;
        await store.write((tx) =>
          failApproval(tx, approval, `it was approved, but could not be carried out: ${error.message}`, clock()),
        );
      }
    },
  };

  return {
    subject,
    /** The response of a held request; null if there is none, or if this caller may not read it. */
    resultOf(
      { approvalId, requestOf, initiator, result, resultUntil }: ApprovalRecord,
      { credential, facts }: Pick<Reading, 'credential' | 'facts'>,
    ): HeldResult | null {
      if (result === null || (resultUntil !== null && resultUntil <= clock())) return null;
      const { access, secret } = operationOf({ requestOf });
      if (!isAllowed(credential, access)) return null;
      const isAsker = initiator.kind === credential.kind && initiator.id === credential.id;
      // Signed like the request itself: a stolen bearer token must not yield a greater credential.
      const isSigned = facts.signature !== null || !credential.requireSignature;
      if (secret && !(isAsker && isSigned)) return null;
      return JSON.parse(cipher.decrypt(result, bindingOf(approvalId, 'result')));
    },
  };
}
