/**
 * What every modifying operation calls once, in the write job of its effect: the answer for retries, the signature's nonce and the
 * audit record are then committed with the effect, or not at all.
 */

import type { UpdateData } from '../../core/events/channels.ts';
import { securityNoticeOf } from '../../core/events/security-notices.ts';
import type { Repositories } from '../../store/store.ts';
import { appendAudit } from '../audit/append-audit.ts';
import { passChange, type RulesChange } from '../policies/pass-change.ts';
import { keepAnswer } from './idempotency.ts';
import { nonceReused, spendNonce } from './nonces.ts';
import { NO_ACCOUNT, type RequestContext } from './request-context.ts';
import { requireStanding } from './require-standing.ts';

export interface RequestEffect {
  /** What the operation answers (before `present`). */
  readonly result: unknown;
  /** Id of what was made or changed: a txid, wal_…, key_…; null where there is no single one. */
  readonly target: string | null;
  /** Of an operation that changes who may decide: how; null where this request does not. */
  readonly change?: RulesChange | null;
  /** For public operations, where the operation itself finds out who asks: login, a token request. */
  readonly as?: Pick<RequestContext, 'accountId' | 'credential'>;
  /** What the audit record fixes besides: what anybody can check it against later. */
  readonly commitment?: string;
}

export async function recordRequest(tx: Repositories, context: RequestContext, effect: RequestEffect): Promise<void> {
  // Whoever gave up takes it that nothing is done any more: so it is, until the job commits.
  context.signal.throwIfAborted();
  await passChange(tx, context, effect);
  if (context.recordInstead !== undefined) return context.recordInstead(tx, effect);
  await requireStanding(tx, context);
  if (!(await spendNonce(tx, context))) throw nonceReused();
  await keepAnswer(tx, context, effect);
  await tellSecurity(tx, context, effect);
  const { target, as, commitment } = effect;
  context.outcome.recorded = await appendAudit(tx, context, { outcome: 'done', target, as, commitment });
}

async function tellSecurity(
  tx: Pick<Repositories, 'events'>,
  context: RequestContext,
  { target, as: { accountId, credential } = context }: RequestEffect,
): Promise<void> {
  const { operation, remoteAddress } = context.facts;
  const notice = securityNoticeOf(operation);
  if (notice === null || accountId === NO_ACCOUNT) return;
  const { kind, id } = credential;
  const data: UpdateData['security'] = {
    ...{ notice, operation, target, credential: { kind, id }, remote_address: remoteAddress },
  };
  await tx.events.append({ accountId, channel: 'security', ref: target ?? id, data });
}
