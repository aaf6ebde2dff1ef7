/**
 * Requests without a record of their own that need approval: the request is stored encrypted with the approval. After the last vote the
 * function that would have answered it runs, from the database alone, and its response is stored with the approval as `result`.
 */
import { DomainError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { ApprovalText } from '../../core/policies/approval-text.ts';
import type { Requirement } from '../../core/policies/policy.ts';
import type { WalletId } from '../../store/records.ts';
import type { ApprovalRecord } from '../../store/repositories/approvals.ts';
import type { Repositories } from '../../store/store.ts';
import { askerOf, type Looking, type Passed } from '../policies/gate.ts';
import { ownVoice } from '../policies/pass-change.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { requireStanding } from '../requests/require-standing.ts';
import type { RecordSubject } from './approval-subject.ts';
import { initiatorOf, storedAsked } from './asked-again.ts';
import { bindingOf, createCarryingOut, type HeldDeps } from './carry-out-held.ts';
import { assertDeclaredAccess } from './declared-access.ts';
import { Held, heldAs } from './held-answer.ts';
import {
  type AnyHeld,
  atOnce,
  canonicalText,
  type DeclaredOperation,
  type HeldOperation,
  type KeptOperation,
} from './held-operation.ts';
import { makeRoom } from './held-room.ts';
import { type NewApproval, openApproval } from './open-approval.ts';
import { sameWaiting } from './same-waiting.ts';

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

/** Bytes of the stored request, and of the text that is approved. */
const MAX_REQUEST = 2 * 1024 * 1024;

export function createHeldRequests(deps: HeldDeps & { randomBytes: (size: number) => Uint8Array }) {
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

  return {
    ...createCarryingOut(deps, operationOf, declared.promise),
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
  };
}

export type HeldRequests = ReturnType<typeof createHeldRequests>;
