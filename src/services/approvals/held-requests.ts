/**
 * Requests without a record of their own that need approval: the request is stored encrypted with the approval. After the last vote the
 * function that would have answered it runs, from the database alone, and its response is stored with the approval as `result`.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { canonicalSteps } from '../../core/audit-log/canonical-json.ts';
import { DomainError } from '../../core/errors.ts';
import { type AccountId, newId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import { type ApprovalText, digestOfText } from '../../core/policies/approval-text.ts';
import type { Requirement } from '../../core/policies/policy.ts';
import { inSlices } from '../../scheduling/in-slices.ts';
import { untilAborted } from '../../scheduling/on-abort.ts';
import type { WalletId } from '../../store/records.ts';
import type { ApprovalRecord, OpenApproval } from '../../store/repositories/approvals.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { approved, askerOf, type Gate, type Looking, type Passed } from '../policies/gate.ts';
import { ownVoice } from '../policies/pass-change.ts';
import type { Asked } from '../policies/spending-of.ts';
import { updateAnswer } from '../requests/idempotency.ts';
import { type RequestEffect, recordRequest } from '../requests/record-request.ts';
import type { Reading, RequestContext } from '../requests/request-context.ts';
import { requireStanding } from '../requests/require-standing.ts';
import type { TextCipher } from '../secrets/text-cipher.ts';
import { type ApprovalSubject, isFinal, type Judge, type RecordSubject } from './approval-subject.ts';
import { type ApprovalView, type HeldResult, viewOfApproval } from './approval-view.ts';
import { askedOf, initiatorOf, storedAsked } from './asked-again.ts';
import { type AskerAccess, isAllowed } from './asked-by.ts';
import { assertDeclaredAccess, type DeclaredAccess } from './declared-access.ts';
import { makeRoom } from './held-room.ts';
import { doneApproval, failApproval, type NewApproval, openApproval } from './open-approval.ts';
import { sameWaiting } from './same-waiting.ts';

/** How a request is performed: at once, or after approval. */
export interface Doing {
  readonly accountId: AccountId;
  readonly passed: Passed;
  readonly signal: AbortSignal;
  /** What was approved: nothing else may be signed. null if no approval was required. */
  readonly approved: ApprovalText['signs'] | null;
  /** Called first in the job that writes what cannot be undone: it moves coins, commits an outcome, or keeps what was signed. */
  readonly judge: Judge;
  /** Called once, in the job that writes the effect: both are committed, or neither. */
  record(tx: Repositories, effect: RequestEffect): Promise<void>;
  /** In a later job: replaces the recorded response by what has become of it since. */
  amend(tx: Repositories, result: unknown): Promise<void>;
}

/** For a request that needs no approval. */
export const atOnce = (context: RequestContext): Omit<Doing, 'passed' | 'judge'> => ({
  ...{ accountId: context.accountId, signal: context.signal, approved: null },
  record: (tx, effect) => recordRequest(tx, context, effect),
  amend: (tx, result) => updateAnswer(tx, context, result),
});

const canonicalText = (signs: ApprovalText['signs']): Promise<string> => inSlices(canonicalSteps(signs), AT_ONCE);

/** Throws `state_conflict` if what would be signed is not what was approved. */
export async function requireApproved(
  { approved }: Pick<Doing, 'approved'>,
  signs: ApprovalText['signs'],
): Promise<void> {
  if (approved === null || (await canonicalText(signs)) === (await canonicalText(approved))) return;
  throw new DomainError('state_conflict', 'what would be signed now is not what was approved: ask for it again');
}

/** How it is carried out after the last vote. */
export interface KeptOperation<Request, Result> {
  /** The id of the operation that requests it. */
  readonly id: string;
  /** The rights that it requires: checked again before it is carried out, and for reading the result. */
  readonly access: AskerAccess;
  /** Only the initiator's credential can read the result, which is erased after a day. */
  readonly secret?: true;
  /** The current requirements, if they do not come from the account's rules. */
  requirementsNow?(tx: Repositories, approval: OpenApproval): Promise<readonly Requirement[]>;
  /** What the rules evaluate again. Throws if it can no longer be carried out, whoever approves it. */
  lookAgain?(tx: Repositories, approval: OpenApproval): Promise<Looking>;
  /** As ApprovalSubject's, if the subject has a record. */
  hold?(tx: Repositories, approval: Pick<ApprovalRecord, 'accountId' | 'subject'>): Promise<unknown>;
  /** Checks everything that may have changed since the request, and ends with `doing.record`. `ready`: what `describe` made, if it has just run. */
  run(request: Request, doing: Doing, ready?: unknown): Promise<Result>;
}

/** An operation for which rules may require approvals: its declaration names it in `spends`. */
export interface HeldOperation<Request, Result, Ready = unknown> extends KeptOperation<Request, Result> {
  /** What the rules evaluate, and the complete text that is approved. Rejects invalid requests, before rules and approvers see them. */
  describe(request: Request, accountId: AccountId, signal: AbortSignal): Promise<Described<Ready>>;
  run(request: Request, doing: Doing, ready?: Ready): Promise<Result>;
}

interface Described<Ready> {
  readonly asked: Asked;
  readonly looking?: Looking;
  readonly subject: string;
  /** A function if it takes long: called only if the request waits; it may reject the request. */
  readonly signs: ApprovalText['signs'] | (() => Promise<ApprovalText['signs']>);
  readonly ready?: Ready;
}

/** The part of an operation's declaration that held requests use: its access, and how its response is written. */
export interface DeclaredOperation extends DeclaredAccess {
  present(result: unknown): unknown;
}

/** The response to a request that waits. */
export class Held {
  readonly approval: ApprovalView;
  constructor(approval: ApprovalView) {
    this.approval = approval;
  }
}

/** Done, closed, or the account frozen: nothing is written. */
class Superseded extends Error {}

/** It was let pass at once, and while it was done a rule was set that wants it approved. */
class WaitsNow extends Error {
  readonly requirements: readonly Requirement[];
  constructor(requirements: readonly Requirement[]) {
    super('the rules want it approved by now');
    this.requirements = requirements;
  }
}

/** What waits, and what is to be approved. */
type Asking = Omit<NewApproval, 'approvalId' | 'network' | 'requestOf' | 'request' | 'signs'> & {
  readonly signs: ApprovalText['signs'];
};

/** Objects of a text that are written in one turn of the event loop. */
const AT_ONCE = 200;

/** Bytes of the stored request, and of the text that is approved. */
const MAX_REQUEST = 2 * 1024 * 1024;

/** The same as for stored responses (requests/idempotency.ts). */
const SECRET_LIFE_MS = 24 * 3_600_000;

const NO_GROUPS = { groupsOf: () => [] };

/** The response for an approval without votes. */
export const heldAs = async (tx: Repositories, approval: OpenApproval): Promise<Held> =>
  new Held(await viewOfApproval(tx, approval, { votes: [], rules: NO_GROUPS, now: approval.createdAt }));

const bindingOf = (approvalId: string, part: 'request' | 'result') => `approval ${approvalId} ${part}`;

// biome-ignore lint/suspicious/noExplicitAny: requests and results of all operations; each is typed where it is registered
type AnyHeld = KeptOperation<any, any>;

export function createHeldRequests(deps: {
  store: Store;
  gate: Pick<Gate, 'decide' | 'askAgain'>;
  cipher: TextCipher;
  network: Network;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
}) {
  const { store, gate, cipher, network, clock, randomBytes } = deps;
  const operations = new Map<string, AnyHeld>();
  const declared = Promise.withResolvers<ReadonlyMap<string, DeclaredOperation>>();

  function operationOf({ requestOf }: Pick<ApprovalRecord, 'requestOf'>): AnyHeld {
    const held = operations.get(requestOf ?? '');
    if (held === undefined) throw new Error(`no operation carries out a held ${requestOf}`);
    return held;
  }

  const roomFor = (tx: Repositories, context: RequestContext): Promise<void> =>
    makeRoom(tx, context, (approval) => operationOf(approval).access, clock());

  /** A request of theirs for the same operation waits about it. */
  async function mayWait({ id, secret }: AnyHeld, subject: string, { accountId, credential }: RequestContext) {
    const about = secret ? [] : await store.read.approvals.heldAbout(accountId, subject);
    return about.some((one) => one.requestOf === id && ownVoice(one.initiator) === ownVoice(credential));
  }

  /** `requestOf`: the operation that runs after the last vote. `repeatable`: what it signs is all that it does. */
  async function hold(
    requestOf: string,
    request: unknown,
    given: Asking,
    context: RequestContext,
    repeatable = false,
  ): Promise<Held> {
    const sent = JSON.stringify(request);
    const length = Buffer.byteLength(sent);
    if (length > MAX_REQUEST) {
      throw new DomainError(
        'too_large',
        `a request that waits for approval has at most ${MAX_REQUEST} bytes, and this one has ${length}: leave out what nobody needs, such as the previous transactions of a PSBT`,
      );
    }
    const signs = await canonicalText(given.signs);
    const size = Buffer.byteLength(signs);
    if (size > MAX_REQUEST) {
      throw new DomainError(
        'too_large',
        `the text that is approved has at most ${MAX_REQUEST} bytes, and this one has ${size}`,
      );
    }
    return store.write(async (tx) => {
      const approvalId = newId('apr', randomBytes);
      const now = clock();
      const asked = { ...given, signs, network, requestOf };
      const same = repeatable ? await sameWaiting(tx, asked, now) : null;
      if (same !== null) {
        const result = new Held(same);
        await recordRequest(tx, context, { result, target: same.approvalId, change: null });
        return result;
      }
      await roomFor(tx, context);
      const kept = cipher.encrypt(sent, bindingOf(approvalId, 'request'));
      const approval = await openApproval(tx, { ...asked, approvalId, request: kept }, now);
      const result = await heldAs(tx, approval);
      await recordRequest(tx, context, { result, target: approvalId, change: null });
      return result;
    });
  }

  /** Of what was let pass at once. Throws `policy_denied`, `forbidden`, and WaitsNow. */
  async function judge(
    tx: Repositories,
    context: RequestContext,
    { asker, asked }: Passed,
    looking?: Looking,
  ): Promise<void> {
    const { denied, requirements } = await gate.askAgain(tx, asker, asked, { ...looking, at: clock() });
    if (denied !== null) throw new DomainError('policy_denied', denied);
    if (requirements.length > 0) throw new WaitsNow(requirements);
    await requireStanding(tx, context);
  }

  const askedFor = (approval: OpenApproval) =>
    askedOf(approval, approval.walletId === null ? null : { walletId: approval.walletId, network });

  async function carryOut(approval: ApprovalRecord, signal: AbortSignal, judge: Judge): Promise<void> {
    const { accountId, approvalId, request } = approval;
    const held = operationOf(approval);
    // Approvals from before a restart continue while the service starts.
    const { present } = (await untilAborted(declared.promise, signal)).get(held.id)!;
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
    /**
     * Called once, before requests are served: results are written as these declarations write responses. Throws if an operation that can
     * wait, as a held request or as one of `records`, is not declared or declares other rights.
     */
    declare(all: readonly DeclaredOperation[], records: readonly RecordSubject[]): void {
      assertDeclaredAccess(all, [...operations.values()], records);
      declared.resolve(new Map(all.map((one) => [one.id, one])));
    },
    hold,
    /** Registers how a request that is held elsewhere is carried out. */
    keep<Request, Result>(held: KeptOperation<Request, Result>): void {
      operations.set(held.id, held);
    },
    /** Registers an operation, once, when its service is created; returns the function that requests call. */
    operation<Request, Result, Ready = unknown>(held: HeldOperation<Request, Result, Ready>) {
      operations.set(held.id, held as KeptOperation<Request, Result>);
      return async (request: Request, context: RequestContext): Promise<Result | Held> => {
        const { accountId, signal } = context;
        const { asked, looking, subject, signs, ready } = await held.describe(request, accountId, signal);
        const passed = await gate.decide(askerOf(context), asked, looking);
        const wait = async (requirements: readonly Requirement[]): Promise<Held> => {
          // A text may take long to make: not for what has no room, unless it may be what waits already.
          if (typeof signs === 'function' && !(await mayWait(held, subject, context)))
            await store.write((tx) => roomFor(tx, context));
          const given: Asking = {
            ...{ accountId, subject, operation: asked.operation, requirements },
            walletId: (asked.wallet?.walletId ?? null) as WalletId | null,
            ...{ initiator: initiatorOf(passed), asked: storedAsked(passed) },
            signs: typeof signs === 'function' ? await signs() : signs,
          };
          // What is secret of a request is not in what it signs.
          return hold(held.id, request, given, context, held.secret !== true);
        };
        if (passed.requirements.length > 0) return wait(passed.requirements);
        try {
          return await held.run(
            request,
            { ...atOnce(context), passed, judge: (tx) => judge(tx, context, passed, looking) },
            ready,
          );
        } catch (error) {
          if (error instanceof WaitsNow) return wait(error.requirements);
          throw error;
        }
      };
    },
    /** Erases expired secret results; returns how many. */
    sweep: () => store.write((tx) => tx.approvals.eraseResults(clock())),
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

export type HeldRequests = ReturnType<typeof createHeldRequests>;
