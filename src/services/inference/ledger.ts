/**
 * What calls of models use, and what they may. Before a call begins, the most that it can cost is taken from its budgets in one job, so that calls
 * at once never spend more than there is, in however many processes; when it ends, another job puts what it cost in that place, and writes its
 * usage and audit record. A call whose process died stays charged with what was taken.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Model, Price } from '../../core/inference/backend.ts';
import {
  type Amounts,
  addedOn,
  costOf,
  countedDay,
  dayOf,
  formatUsd,
  type Shortage,
  shortageOf,
  startOfDay,
  startOfMonth,
  sumsOn,
} from '../../core/inference/budget.ts';
import type { Usage } from '../../core/inference/chat.ts';
import { createLru } from '../../core/lru.ts';
import { createOutage, type OutageLog } from '../../outages/outage.ts';
import type { AiCall } from '../../store/repositories/ai-calls.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { appendAudit, appendEntry } from '../audit/append-audit.ts';
import type { AuditedCall } from '../audit/audit-entry.ts';
import type { Allowance } from '../limits/limits.ts';
import type { TokenLimits } from '../limits/token-limits.ts';
import type { RequestContext } from '../requests/request-context.ts';

/** `given_up`: the model took too long, or the service stopped. */
export type CallOutcome = 'done' | 'guard_refused' | 'budget_refused' | 'upstream_failed' | 'given_up' | 'client_gone';
type Asking = Pick<RequestContext, 'requestId' | 'accountId' | 'credential' | 'facts'>;

export interface PlannedCall {
  /** As its answer names it. */
  readonly id: string;
  readonly model: Pick<Model, 'id' | 'contextLength' | 'price'>;
  readonly promptTokens: number;
  /** Of the answer; null: as many as the model takes. */
  readonly maxTokens: number | null;
  /** What is asked, whatever can be JSON: only its digest is kept. */
  readonly prompt: unknown;
}

export interface EndedCall {
  /** Who answered; null: nobody did, and what may have been used costs as the dearest would. */
  readonly by: { readonly upstream: string; readonly price: Price | null } | null;
  readonly usage: Usage;
  readonly outcome: CallOutcome;
}

export interface BegunCall {
  /** Tokens of this minute, without those of the answer. */
  readonly tokens: Allowance;
  /** More of the answer. */
  said(text: string): void;
  /** Once. Never throws: what cannot be written is charged as it was reserved. */
  end(ended: EndedCall): Promise<void>;
}

/** Of a model whose context length nobody says. */
const USUAL_CONTEXT = 131_072;
/** After the longest time that an answer takes: until then its process ends it. */
const GRACE_MS = 120_000;
/** Tokens of a prompt that an upstream may add of its own. */
const MOST_ADDED = 4_000;
const KEPT_DAYS = 400;
const AT_ONCE = 100;
const KNOWN = 10_000;

export function createInferenceLedger(deps: {
  readonly store: Store;
  readonly tokenLimits: TokenLimits;
  readonly clock: () => number;
  readonly log: OutageLog;
  /** Of digests: 32 bytes. */
  readonly digestKey: Uint8Array;
  /** How long an answer takes at most. */
  readonly lastsMs: number;
}) {
  const { store, tokenLimits, clock, digestKey, lastsMs } = deps;
  const digestKeys = createLru<AccountId, KeyObject>(KNOWN);
  /** The key that a key's rotations began with never changes. */
  const lines = createLru<string, string>(KNOWN);
  const ended = new Map<CallOutcome, number>();
  let [written, unwritten] = [0, 0];
  const count = (outcome: CallOutcome): void => void ended.set(outcome, (ended.get(outcome) ?? 0) + 1);
  const lost = createOutage({
    ...{ part: 'usage of models', log: deps.log, clock },
    began: 'what calls of models used cannot be written: they are charged as reserved',
    ended: 'what calls of models used is written again',
  });

  function kept(): void {
    written++;
    lost.ended();
  }

  function failed(error: unknown): void {
    unwritten++;
    lost.began(error);
  }

  function digestOf(accountId: AccountId) {
    const known = digestKeys.get(accountId);
    const derived = () => createSecretKey(createHmac('sha256', digestKey).update(accountId).digest());
    return createHmac('sha256', known ?? digestKeys.set(accountId, derived()));
  }

  /** Whose budget it is in, besides the account's: a key and those that it was rotated to have one together. */
  async function subjectOf({ accountId, credential: { kind, id } }: Pick<RequestContext, 'accountId' | 'credential'>) {
    if (kind !== 'api_key') return id;
    const place = `${accountId} ${id}`;
    return lines.get(place) ?? lines.set(place, await store.read.apiKeys.firstOfLine(accountId, id));
  }

  /** Answers it as it counts. */
  async function reserve(tx: Repositories, call: AiCall): Promise<AiCall> {
    const budgets = await tx.aiBudgets.lock(call.accountId, call.subject);
    const day = countedDay(call.day, budgets);
    const most: Amounts = { tokens: BigInt(call.tokens), micros: call.micros };
    for (const budget of budgets) {
      const sums = sumsOn(budget, day);
      const shortage = shortageOf(budget, sums, most);
      if (shortage !== null)
        throw new BudgetUsed(budget.subject === '' ? 'the account' : 'this API key', shortage, clock());
      await tx.aiBudgets.update(budget, addedOn(sums, day, most));
    }
    const counted = { ...call, day };
    await tx.aiCalls.insert(counted);
    return counted;
  }

  /** What it used in the place of what was reserved. False where its time was over, and it was charged as reserved. */
  async function settle(tx: Repositories, call: AiCall, used: Used): Promise<boolean> {
    if (!(await tx.aiCalls.delete(call))) return false;
    const tokens = BigInt(used.promptTokens + used.completionTokens);
    const rest: Amounts = { tokens: tokens - BigInt(call.tokens), micros: used.micros - call.micros };
    for (const budget of await tx.aiBudgets.lock(call.accountId, call.subject))
      await tx.aiBudgets.update(budget, addedOn(budget, call.day, rest));
    await addUsage(tx, call, used);
    return true;
  }

  function planned({ accountId, credential, facts }: Asking, plan: PlannedCall, subject: string): AiCall {
    const { model, promptTokens, maxTokens } = plan;
    const completion = maxTokens ?? Math.max(0, (model.contextLength ?? USUAL_CONTEXT) - promptTokens);
    const now = clock();
    return {
      ...{ accountId, callId: plan.id, subject, operation: facts.operation, model: model.id, promptTokens },
      ...{ credentialKind: credential.kind, credentialId: credential.id },
      ...{ tokens: promptTokens + completion, micros: costOf(model.price, promptTokens, completion) },
      ...{ requireSignature: credential.requireSignature, day: dayOf(now) },
      ...{ endsAt: now + lastsMs + GRACE_MS, createdAt: now },
    };
  }

  /** Of a call that did not begin. */
  async function refused(
    context: Asking,
    plan: Omit<PlannedCall, 'prompt'>,
    outcome: CallOutcome,
    promptDigest: string | null,
  ) {
    count(outcome);
    const call: AuditedCall = {
      ...{
        model: plan.model.id,
        upstream: null,
        promptTokens: plan.promptTokens,
        completionTokens: 0,
        estimated: true,
      },
      ...{ cost: formatUsd(0n), promptDigest, answerDigest: null },
    };
    await store.write((tx) => appendAudit(tx, context, { outcome, target: plan.id, call })).then(kept, failed);
  }

  const promptDigestOf = (accountId: AccountId, prompt: unknown): string =>
    digestOf(accountId).update(JSON.stringify(prompt)).digest('hex');

  return {
    /** Throws `rate_limited` where a budget does not reach as far as the call could, or the minute has too few tokens left. */
    async begin(context: Asking, plan: PlannedCall): Promise<BegunCall> {
      const { accountId, credential } = context;
      const tokens = await tokenLimits.take(credential, plan.promptTokens);
      const drafted = planned(context, plan, await subjectOf(context));
      const promptDigest = promptDigestOf(accountId, plan.prompt);
      const call = await store
        .write((tx) => reserve(tx, drafted))
        .catch(async (error: unknown) => {
          if (error instanceof BudgetUsed) await refused(context, plan, 'budget_refused', promptDigest);
          throw error;
        });
      const answer = digestOf(accountId);
      let bytes = 0;
      return {
        tokens,
        said(text) {
          bytes += Buffer.byteLength(text);
          answer.update(text);
        },
        async end({ by, usage, outcome }) {
          count(outcome);
          // A token has a byte at least; what templates add is little.
          const promptTokens = credible(usage.promptTokens, 2 * plan.promptTokens + MOST_ADDED);
          const completionTokens = credible(usage.completionTokens, Math.max(call.tokens - plan.promptTokens, bytes));
          const micros = costOf(by === null ? plan.model.price : by.price, promptTokens, completionTokens);
          const audited: AuditedCall = {
            ...{ model: call.model, upstream: by?.upstream ?? null, promptTokens, completionTokens },
            ...{ estimated: usage.estimated, cost: formatUsd(micros), promptDigest },
            answerDigest: bytes > 0 ? answer.digest('hex') : null,
          };
          const uncounted = promptTokens + completionTokens - plan.promptTokens;
          await tokenLimits.add(credential, uncounted);
          await store
            .write(async (tx) => {
              await settle(tx, call, { promptTokens, completionTokens, micros });
              await appendAudit(tx, context, { outcome, target: call.callId, call: audited });
            })
            .then(kept, failed);
        },
      };
    },
    /** What the guard refused, before anything was reserved: of a text with a secret there is not even a digest. */
    refusedByGuard: (context: Asking, plan: Omit<PlannedCall, 'prompt'>) =>
      refused(context, plan, 'guard_refused', null),
    /** Since the process began. */
    counts: () => ({ ended: [...ended], written, unwritten }),
    /**
     * Calls whose process ended before them are charged as reserved, and usage beyond the retention is deleted; returns how many there were.
     */
    async sweep(): Promise<number> {
      let swept = await store.write((tx) => tx.aiUsage.deleteBefore(clock() - KEPT_DAYS * 86_400_000));
      for (;;) {
        const due = await store.read.aiCalls.due(clock(), AT_ONCE);
        for (const call of due) await store.write((tx) => charge(tx, call));
        swept += due.length;
        if (due.length < AT_ONCE) return swept;
      }
    },
  };
}

export type InferenceLedger = ReturnType<typeof createInferenceLedger>;

interface Used {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly micros: bigint;
}

const credible = (tokens: number, most: number): number =>
  Number.isSafeInteger(tokens) && tokens > 0 ? Math.min(tokens, most) : 0;

async function addUsage(tx: Pick<Repositories, 'aiUsage'>, call: AiCall, used: Used): Promise<void> {
  const { accountId, credentialId, model, subject, day } = call;
  const sums = {
    ...{ accountId, credentialId, model, subject, calls: 1, micros: used.micros },
    ...{ promptTokens: BigInt(used.promptTokens), completionTokens: BigInt(used.completionTokens) },
  };
  await tx.aiUsage.add([
    { ...sums, span: 'day', startsAt: startOfDay(day) },
    { ...sums, span: 'month', startsAt: startOfMonth(day) },
  ]);
}

/** Its budgets have it already. */
async function charge(tx: Repositories, call: AiCall): Promise<void> {
  if (!(await tx.aiCalls.delete(call))) return;
  const { accountId, promptTokens, micros } = call;
  const completionTokens = call.tokens - promptTokens;
  await addUsage(tx, call, { promptTokens, completionTokens, micros });
  await appendEntry(tx, {
    ...{ accountId, operation: call.operation, target: call.callId, outcome: 'lost', request: null },
    credential: { kind: call.credentialKind, id: call.credentialId, requireSignature: call.requireSignature },
    call: {
      ...{ model: call.model, upstream: null, promptTokens, completionTokens, estimated: true },
      ...{ cost: formatUsd(micros), promptDigest: null, answerDigest: null },
    },
  });
}

class BudgetUsed extends DomainError {
  constructor(whose: string, { unit, per, limit, used, wanted, until }: Shortage, now: number) {
    const shown = (amount: bigint): string => (unit === 'tokens' ? `${amount} tokens` : `${formatUsd(amount)} USD`);
    const seconds = Math.max(1, Math.ceil((until - now) / 1000));
    super(
      'rate_limited',
      `the budget of ${whose} for models is ${shown(limit)} a ${per}: ${shown(used)} are used, or kept for calls under way, and this call may ` +
        `take ${shown(wanted)} (a smaller max_tokens makes that less); the next ${per} begins in ${seconds} s`,
      { retryAfterSeconds: seconds },
    );
  }
}
