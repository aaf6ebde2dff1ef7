/**
 * Requests that rules want approved, and that make no record of their own: what was asked is kept with the approval, encrypted, and on the
 * last approval the function that would have answered at once runs, from the database alone. Its answer stands on the approval as `result`.
 */
import { DomainError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import type { ApprovalText } from '../../core/policies/approval-text.ts';
import type { Requirement } from '../../core/policies/policy.ts';
import { untilAborted } from '../../scheduling/on-abort.ts';
import type { WalletId } from '../../store/records.ts';
import type { ApprovalRecord } from '../../store/repositories/approvals.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { approved, askerOf, type Gate, type Passed } from '../policies/gate.ts';
import type { Asked } from '../policies/spending-of.ts';
import type { AnswerCipher } from '../requests/idempotency.ts';
import { type RequestEffect, recordRequest } from '../requests/record-request.ts';
import type { Credential, RequestContext } from '../requests/request-context.ts';
import { type ApprovalSubject, isFinal, type RecordSubject } from './approval-subject.ts';
import { type ApprovalView, type HeldResult, viewOfApproval } from './approval-view.ts';
import { askedOf, initiatorOf, storedAsked } from './asked-again.ts';
import { type AskerAccess, isAllowed } from './asked-by.ts';
import { assertDeclaredAccess, type DeclaredAccess } from './declared-access.ts';
import { failApproval, type NewApproval, openApproval } from './open-approval.ts';

/** How a request is done: at once, or when it was approved. */
export interface Doing {
  readonly accountId: string;
  readonly passed: Passed;
  readonly signal: AbortSignal;
  /** Once, in the job that writes the effect: it is recorded with it, or not done at all. */
  record(tx: Repositories, effect: RequestEffect): Promise<void>;
}

/** How it is done on the last approval. */
export interface KeptOperation<Request, Result> {
  /** Of the operation that asks for it. */
  readonly id: string;
  /** What a credential needs for it: judged again before it is carried out, and of whoever reads the result. */
  readonly access: AskerAccess;
  /** The result is shown to the credential that asked, and to no other, and erased after a day. */
  readonly secret?: true;
  /** The approvals that it takes by now, where it is not the account's rules that say so. */
  requirementsNow?(tx: Repositories, approval: ApprovalRecord): Promise<readonly Requirement[]>;
  /** Judges all that may have changed since, and ends with `doing.record`. */
  run(request: Request, doing: Doing): Promise<Result>;
}

/** What rules may want approved: named in `spends` of its operation. */
export interface HeldOperation<Request, Result> extends KeptOperation<Request, Result> {
  /** What is asked, and all that is approved by approving it. Throws what is wrong with it: before rules are asked, and anybody is. */
  describe(
    request: Request,
    accountId: string,
  ): Promise<{ readonly asked: Asked; readonly subject: string; readonly signs: ApprovalText['signs'] }>;
}

/** What is read of the declaration of a held request's operation: how its answer is written. */
export interface DeclaredOperation extends DeclaredAccess {
  present(result: unknown): unknown;
}

/** What a request is answered that waits. */
export class Held {
  readonly approval: ApprovalView;
  constructor(approval: ApprovalView) {
    this.approval = approval;
  }
}

/** Another carried it out, or it was given up meanwhile: nothing of this is written. */
class Over extends Error {}

/** Each keeps what was asked, a message of up to 1 MiB, until it ends. Nobody uses up the room of an account alone. */
const MAX_HELD = { ofAccount: 100, ofAsker: 30 };

/** As answers that are kept for retries (requests/idempotency.ts). */
const SECRET_LIFE_MS = 24 * 3_600_000;

const NO_GROUPS = { groupsOf: () => [] };

function assertRoom(waiting: readonly Pick<ApprovalRecord, 'initiator'>[], { countsAs, id }: Credential): void {
  const own = waiting.filter(({ initiator }) => (initiator.countsAs ?? initiator.id) === (countsAs ?? id)).length;
  const whose = own >= MAX_HELD.ofAsker ? 'yours' : waiting.length >= MAX_HELD.ofAccount ? 'this account' : null;
  if (whose === null) return;
  throw new DomainError(
    'policy_refused',
    `${whose === 'yours' ? own : waiting.length} requests of ${whose} wait for approval: have some of them approved or rejected first`,
  );
}

/** Of an approval that nobody has voted on. */
export const heldAs = async (tx: Repositories, approval: ApprovalRecord): Promise<Held> =>
  new Held(await viewOfApproval(tx, approval, { votes: [], rules: NO_GROUPS, now: approval.createdAt }));

const bindingOf = (approvalId: string, part: 'request' | 'result') => `approval ${approvalId} ${part}`;

// biome-ignore lint/suspicious/noExplicitAny: of every request and result; each is typed where it is made
type AnyHeld = KeptOperation<any, any>;

export function createHeldRequests(deps: {
  store: Store;
  gate: Pick<Gate, 'decide' | 'askAgain'>;
  cipher: AnswerCipher;
  network: Network;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
}) {
  const { store, gate, cipher, network, clock, randomBytes } = deps;
  const operations = new Map<string, AnyHeld>();
  const declared = Promise.withResolvers<ReadonlyMap<string, DeclaredOperation>>();

  function operationOf({ requestOf }: Pick<ApprovalRecord, 'requestOf'>): AnyHeld {
    const held = operations.get(requestOf ?? '');
    if (held === undefined) throw new Error(`nothing says how to carry out a held ${requestOf}`);
    return held;
  }

  /** `requestOf`: the operation that is done on the last approval. */
  const hold = (
    requestOf: string,
    request: unknown,
    given: Omit<NewApproval, 'approvalId' | 'network' | 'requestOf' | 'request'>,
    context: RequestContext,
  ): Promise<Held> =>
    store.write(async (tx) => {
      const approvalId = newId('apr', randomBytes);
      assertRoom(await tx.approvals.held(context.accountId), context.credential);
      const now = clock();
      const kept = cipher.encrypt(JSON.stringify(request), bindingOf(approvalId, 'request'));
      const approval = await openApproval(tx, { ...given, approvalId, network, requestOf, request: kept }, now);
      const result = await heldAs(tx, approval);
      await recordRequest(tx, context, { result, target: approvalId, change: null });
      return result;
    });

  const askedFor = (approval: ApprovalRecord) =>
    askedOf(approval, approval.walletId === null ? null : { walletId: approval.walletId, network });

  async function carryOut(approval: ApprovalRecord, signal: AbortSignal): Promise<void> {
    const { accountId, approvalId, request } = approval;
    const held = operationOf(approval);
    // Approvals of before a start go on while the service opens.
    const { present } = (await untilAborted(declared.promise, signal)).get(held.id)!;
    const asked = JSON.parse(cipher.decrypt(request!, bindingOf(approvalId, 'request')));
    await held.run(asked, {
      ...{ accountId, signal, passed: approved(...askedFor(approval)) },
      async record(tx, { result }) {
        signal.throwIfAborted();
        const at = clock();
        const kept = {
          result: cipher.encrypt(JSON.stringify(present(result) ?? {}), bindingOf(approvalId, 'result')),
          resultUntil: held.secret ? at + SECRET_LIFE_MS : null,
        };
        if (!(await tx.approvals.done(approval, at, kept))) throw new Over();
      },
    });
  }

  const subject: ApprovalSubject = {
    ready: () => declared.promise,
    accessOf: (approval) => operationOf(approval).access,
    async askAgain(tx, approval, at) {
      const { requirementsNow } = operationOf(approval);
      if (requirementsNow !== undefined) return { denied: null, requirements: await requirementsNow(tx, approval) };
      return gate.askAgain(tx, ...askedFor(approval), { at, except: [] });
    },
    async ended() {
      // The request is forgotten with the job that closes it, and there is nothing else of it.
    },
    async carryOut(approval, signal) {
      const account = await store.read.accounts.find(approval.accountId);
      // It goes on when the account is free again.
      if (account === null || account.frozenAt !== null) return;
      try {
        await carryOut(approval, signal);
      } catch (error) {
        if (error instanceof Over) return;
        if (!isFinal(error)) throw error;
        await store.write((tx) =>
          failApproval(tx, approval, `it was approved, and could not be done: ${error.message}`, clock()),
        );
      }
    },
  };

  return {
    subject,
    /**
     * Once, before requests are answered: results are written as these write their answers. Throws where one that waits, as a held request or
     * one of `records`, is not declared, or with other rights.
     */
    declare(all: readonly DeclaredOperation[], records: readonly RecordSubject[]): void {
      assertDeclaredAccess(all, [...operations.values()], records);
      declared.resolve(new Map(all.map((one) => [one.id, one])));
    },
    hold,
    /** One that others hold: how it is done on the last approval. */
    keep<Request, Result>(held: KeptOperation<Request, Result>): void {
      operations.set(held.id, held);
    },
    /** Once for each operation, when the service is made: answers how it is asked for. */
    operation<Request, Result>(held: HeldOperation<Request, Result>) {
      operations.set(held.id, held);
      return async (request: Request, context: RequestContext): Promise<Result | Held> => {
        const { accountId, signal } = context;
        const { asked, ...described } = await held.describe(request, accountId);
        const passed = await gate.decide(askerOf(context), asked);
        if (passed.requirements.length > 0) {
          const walletId = (passed.asked.wallet?.walletId ?? null) as WalletId | null;
          const { requirements } = passed;
          const given = { ...described, accountId, walletId, requirements, operation: asked.operation };
          const initiator = initiatorOf(passed);
          return hold(held.id, request, { ...given, initiator, asked: storedAsked(passed) }, context);
        }
        return held.run(request, {
          accountId,
          signal,
          passed,
          record: (tx, effect) => recordRequest(tx, context, effect),
        });
      };
    },
    /** Erases secret results in time; answers how many. */
    sweep: () => store.write((tx) => tx.approvals.eraseResults(clock())),
    /** What a held request answered; null where there is nothing, or nothing for this caller. */
    resultOf(
      { approvalId, requestOf, initiator, result, resultUntil }: ApprovalRecord,
      { credential, facts }: Pick<RequestContext, 'credential' | 'facts'>,
    ): HeldResult | null {
      if (result === null || (resultUntil !== null && resultUntil <= clock())) return null;
      const { access, secret } = operationOf({ requestOf });
      if (!isAllowed(credential, access)) return null;
      const isAsker = initiator.kind === credential.kind && initiator.id === credential.id;
      // As asking for it took: a bearer token that was stolen must not become a greater credential.
      const isSigned = facts.signature !== null || !credential.requireSignature;
      if (secret && !(isAsker && isSigned)) return null;
      return JSON.parse(cipher.decrypt(result, bindingOf(approvalId, 'result')));
    },
  };
}

export type HeldRequests = ReturnType<typeof createHeldRequests>;
