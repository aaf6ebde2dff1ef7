/**
 * Requests that rules want approved, and that make no record of their own: what was asked is kept with the approval, encrypted, and on the
 * last approval the function that would have answered at once runs, from the database alone. Its answer stands on the approval as `result`.
 */
import { canonicalJson } from '../../core/audit-log/canonical-json.ts';
import { DomainError } from '../../core/errors.ts';
import { type AccountId, newId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import { type ApprovalText, digestOfText } from '../../core/policies/approval-text.ts';
import type { Requirement } from '../../core/policies/policy.ts';
import { untilAborted } from '../../scheduling/on-abort.ts';
import type { WalletId } from '../../store/records.ts';
import type { ApprovalRecord } from '../../store/repositories/approvals.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { approved, askerOf, type Gate, type Looking, type Passed } from '../policies/gate.ts';
import type { Asked } from '../policies/spending-of.ts';
import { type AnswerCipher, updateAnswer } from '../requests/idempotency.ts';
import { type RequestEffect, recordRequest } from '../requests/record-request.ts';
import type { Reading, RequestContext } from '../requests/request-context.ts';
import { type ApprovalSubject, isFinal, type Judge, type RecordSubject } from './approval-subject.ts';
import { type ApprovalView, type HeldResult, viewOfApproval } from './approval-view.ts';
import { askedOf, initiatorOf, storedAsked } from './asked-again.ts';
import { type AskerAccess, isAllowed } from './asked-by.ts';
import { assertDeclaredAccess, type DeclaredAccess } from './declared-access.ts';
import { makeRoom } from './held-room.ts';
import { failApproval, type NewApproval, openApproval } from './open-approval.ts';

/** How a request is done: at once, or when it was approved. */
export interface Doing {
  readonly accountId: AccountId;
  readonly passed: Passed;
  readonly signal: AbortSignal;
  /** What was approved: nothing else may be signed. null where nobody had to approve it. */
  readonly approved: ApprovalText['signs'] | null;
  /** Before what cannot be undone: first in the job that moves coins, and before an outcome is attested for a contract. */
  readonly judge: Judge;
  /** Once, in the job that writes the effect: it is recorded with it, or not done at all. */
  record(tx: Repositories, effect: RequestEffect): Promise<void>;
  /** In a later job, in the place of the recorded answer: what has become of it since. */
  amend(tx: Repositories, result: unknown): Promise<void>;
}

/** Of a request that is answered now. */
export const atOnce = (context: RequestContext): Omit<Doing, 'passed' | 'judge'> => ({
  ...{ accountId: context.accountId, signal: context.signal, approved: null },
  record: (tx, effect) => recordRequest(tx, context, effect),
  amend: (tx, result) => updateAnswer(tx, context, result),
});

/** Throws `state_conflict` where something else was approved than would be signed. */
export function requireApproved({ approved }: Pick<Doing, 'approved'>, signs: ApprovalText['signs']): void {
  if (approved === null || canonicalJson(signs) === canonicalJson(approved)) return;
  throw new DomainError('state_conflict', 'what would be signed now is not what was approved: ask for it again');
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
  /** With what the rules are asked again. Throws where it can no longer be done, whoever approves it. */
  lookAgain?(tx: Repositories, approval: ApprovalRecord): Promise<Looking>;
  /** As of ApprovalSubject, where the subject has a record. */
  hold?(tx: Repositories, approval: Pick<ApprovalRecord, 'accountId' | 'subject'>): Promise<unknown>;
  /** Judges all that may have changed since, and ends with `doing.record`. `ready`: what `describe` made, where it has just run. */
  run(request: Request, doing: Doing, ready?: unknown): Promise<Result>;
}

/** What rules may want approved: named in `spends` of its operation. */
export interface HeldOperation<Request, Result, Ready = unknown> extends KeptOperation<Request, Result> {
  /** What is asked, and all that is approved by approving it. Throws what is wrong with it: before rules are asked, and anybody is. */
  describe(request: Request, accountId: AccountId, signal: AbortSignal): Promise<Described<Ready>>;
  run(request: Request, doing: Doing, ready?: Ready): Promise<Result>;
}

interface Described<Ready> {
  readonly asked: Asked;
  readonly looking?: Looking;
  readonly subject: string;
  /** A function where it takes long: called only for what waits, and throws what is wrong with it. */
  readonly signs: ApprovalText['signs'] | (() => Promise<ApprovalText['signs']>);
  readonly ready?: Ready;
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

/** Another carried it out, it was given up, or the account was frozen meanwhile: nothing of this is written. */
class Over extends Error {}

/** It was let pass at once, and while it was done a rule was set that wants it approved. */
class WaitsNow extends Error {
  readonly requirements: readonly Requirement[];
  constructor(requirements: readonly Requirement[]) {
    super('the rules want it approved by now');
    this.requirements = requirements;
  }
}

/** UTF-16 code units of what is kept of one, and of what is approved. */
const MAX_REQUEST = 2 * 1024 * 1024;

/** As answers that are kept for retries (requests/idempotency.ts). */
const SECRET_LIFE_MS = 24 * 3_600_000;

const NO_GROUPS = { groupsOf: () => [] };

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
  async function hold(
    requestOf: string,
    request: unknown,
    given: Omit<NewApproval, 'approvalId' | 'network' | 'requestOf' | 'request'>,
    context: RequestContext,
  ): Promise<Held> {
    const asked = JSON.stringify(request);
    if (asked.length > MAX_REQUEST) {
      throw new DomainError(
        'too_large',
        `it waits for approval, and of ${asked.length} bytes at most ${MAX_REQUEST} are kept: leave out what nobody needs, such as the previous transactions of a PSBT`,
      );
    }
    const size = JSON.stringify(given.signs).length;
    if (size > MAX_REQUEST) {
      throw new DomainError(
        'too_large',
        `it waits for approval, and what would be signed takes ${size} bytes of text, of which at most ${MAX_REQUEST} can be approved`,
      );
    }
    return store.write(async (tx) => {
      const approvalId = newId('apr', randomBytes);
      const now = clock();
      await makeRoom(tx, context, (approval) => operationOf(approval).access, now);
      const kept = cipher.encrypt(asked, bindingOf(approvalId, 'request'));
      const approval = await openApproval(tx, { ...given, approvalId, network, requestOf, request: kept }, now);
      const result = await heldAs(tx, approval);
      await recordRequest(tx, context, { result, target: approvalId, change: null });
      return result;
    });
  }

  /** Of what was let pass at once. Throws `policy_denied`, and WaitsNow. */
  async function judge(tx: Repositories, { asker, asked }: Passed, looking?: Looking): Promise<void> {
    const { denied, requirements } = await gate.askAgain(tx, asker, asked, { ...looking, at: clock() });
    if (denied !== null) throw new DomainError('policy_denied', denied);
    if (requirements.length > 0) throw new WaitsNow(requirements);
  }

  const askedFor = (approval: ApprovalRecord) =>
    askedOf(approval, approval.walletId === null ? null : { walletId: approval.walletId, network });

  async function carryOut(approval: ApprovalRecord, signal: AbortSignal, judge: Judge): Promise<void> {
    const { accountId, approvalId, request } = approval;
    const held = operationOf(approval);
    // Approvals of before a start go on while the service opens.
    const { present } = (await untilAborted(declared.promise, signal)).get(held.id)!;
    if (digestOfText(approval.text) !== approval.digest)
      throw new Error(`the text of ${approvalId} is another than was approved`);
    const asked = JSON.parse(cipher.decrypt(request!, bindingOf(approvalId, 'request')));
    const sealed = (result: unknown) =>
      cipher.encrypt(JSON.stringify(present(result) ?? {}), bindingOf(approvalId, 'result'));
    await held.run(asked, {
      ...{ accountId, signal, judge, passed: approved(...askedFor(approval)) },
      approved: (JSON.parse(approval.text) as ApprovalText).signs,
      async record(tx, { result }) {
        signal.throwIfAborted();
        const at = clock();
        const kept = { result: sealed(result), resultUntil: held.secret ? at + SECRET_LIFE_MS : null };
        if (!(await tx.approvals.done(approval, at, kept))) throw new Over();
      },
      amend: (tx, result) => tx.approvals.amend(approval, sealed(result)),
    });
  }

  const subject: ApprovalSubject = {
    ready: () => declared.promise,
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
      // The request is forgotten with the job that closes it, and there is nothing else of it.
    },
    async carryOut(approval, signal, judge) {
      const account = await store.read.accounts.find(approval.accountId);
      // It goes on when the account is free again.
      if (account === null || account.frozenAt !== null) return;
      try {
        await carryOut(approval, signal, judge);
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
    operation<Request, Result, Ready = unknown>(held: HeldOperation<Request, Result, Ready>) {
      operations.set(held.id, held as KeptOperation<Request, Result>);
      return async (request: Request, context: RequestContext): Promise<Result | Held> => {
        const { accountId, signal } = context;
        const { asked, looking, subject, signs, ready } = await held.describe(request, accountId, signal);
        const passed = await gate.decide(askerOf(context), asked, looking);
        const wait = async (requirements: readonly Requirement[]): Promise<Held> => {
          const given: Parameters<typeof hold>[2] = {
            ...{ accountId, subject, operation: asked.operation, requirements },
            walletId: (asked.wallet?.walletId ?? null) as WalletId | null,
            ...{ initiator: initiatorOf(passed), asked: storedAsked(passed) },
            signs: typeof signs === 'function' ? await signs() : signs,
          };
          return hold(held.id, request, given, context);
        };
        if (passed.requirements.length > 0) return wait(passed.requirements);
        try {
          return await held.run(
            request,
            { ...atOnce(context), passed, judge: (tx) => judge(tx, passed, looking) },
            ready,
          );
        } catch (error) {
          if (error instanceof WaitsNow) return wait(error.requirements);
          throw error;
        }
      };
    },
    /** Erases secret results in time; answers how many. */
    sweep: () => store.write((tx) => tx.approvals.eraseResults(clock())),
    /** What a held request answered; null where there is nothing, or nothing for this caller. */
    resultOf(
      { approvalId, requestOf, initiator, result, resultUntil }: ApprovalRecord,
      { credential, facts }: Pick<Reading, 'credential' | 'facts'>,
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
