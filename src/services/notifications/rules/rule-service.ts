/** Notification rules as requests make, show, change and delete them. */
import { DomainError } from '../../../core/errors.ts';
import { EVENT_TYPES, typesMatching } from '../../../core/events/event-types.ts';
import { type AccountId, newId } from '../../../core/ids.ts';
import type { Target } from '../../../core/notifications/notification.ts';
import type { Page, PageRequest, WalletId } from '../../../store/records.ts';
import type { RulePatch, RuleRecord } from '../../../store/repositories/notification-rules.ts';
import type { Repositories, Store } from '../../../store/store.ts';
import { recordRequest } from '../../requests/record-request.ts';
import type { RequestContext } from '../../requests/request-context.ts';
import {
  assertMayChange,
  assertMayDelete,
  assertReadable,
  madeBy,
  onBehalfOf,
  typesOf,
} from '../../webhooks/webhook-rights.ts';
import { inboxOf } from '../inbox.ts';
import type { AssertReachable } from '../recipients.ts';

export type { RuleRecord };

/** Of an account. */
const MAX_RULES = 100;
const NAMED = { noun: 'rule', field: 'rule_id' };

type Given = Pick<
  RuleRecord,
  'description' | 'events' | 'channel' | 'amountOverSats' | 'wallets' | 'digest' | 'timezone' | 'enabled'
>;
export type MadeRule = RuleRecord & { readonly warnings: readonly string[] };
/** `target`: null, whoever makes it. */
export type NewRule = Given & { readonly target: Target | null };
type RuleChange = Partial<NewRule>;

export function createRuleService(deps: {
  store: Store;
  /** Throws where the channel is not configured, does not take the target, or there is none such. */
  assertReachable: AssertReachable;
  /** Whether a subject has a device with a push subscription. */
  hasPush: (accountId: AccountId, subject: string) => Promise<boolean>;
  onChanged: () => void;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
}) {
  const { store, assertReachable, hasPush, onChanged, clock, randomBytes } = deps;
  const { read } = store;

  async function required(tx: Pick<Repositories, 'notificationRules'>, ruleId: string, { accountId }: RequestContext) {
    const rule = await tx.notificationRules.findForUpdate(accountId, ruleId);
    if (rule === null) throw noSuchRule();
    return rule;
  }

  async function assertWallets(wallets: readonly string[] | null, { accountId }: RequestContext): Promise<void> {
    for (const [at, walletId] of (wallets ?? []).entries()) {
      if ((await read.wallets.find(accountId, walletId as WalletId)) !== null) continue;
      throw new DomainError('invalid_value', `the account has no wallet ${walletId}`, { field: `wallets[${at}]` });
    }
  }

  async function warningsOf(channel: RuleRecord['channel'], { kind, id }: Target, { accountId }: RequestContext) {
    if (channel !== 'push' || kind === 'group' || (await hasPush(accountId, id))) return [];
    return [`${id} has no device with a push subscription: set one, or name somebody who has one in to`];
  }

  return {
    /** Throws `invalid_value`, `not_found`, `not_configured`, `forbidden`, `policy_refused`. */
    async create(given: NewRule, context: RequestContext): Promise<MadeRule> {
      const { accountId, credential } = context;
      assertReadable(credential, given.events);
      assertAmounts(given);
      await assertWallets(given.wallets, context);
      const target = given.target ?? (await ownTarget(read, given.channel, context));
      const warnings = await warningsOf(given.channel, target, context);
      const made = await store.write(async (tx) => {
        await assertReachable(tx, given.channel, target, context);
        await tx.accounts.lock(accountId);
        if ((await tx.notificationRules.count(accountId)) >= MAX_RULES)
          throw new DomainError('policy_refused', `an account has at most ${MAX_RULES} notification rules: delete one`);
        const at = clock();
        const rule: RuleRecord = {
          ...{ ruleId: newId('nrl', randomBytes), accountId, ...given, target, readsBlocks: readsBlocks(given) },
          ...{ ...madeBy(credential), disabledReason: null, toldSeq: await tx.events.lastSeq() },
          ...{ gathered: 0, lines: [], nextAt: null, createdAt: at, updatedAt: at },
        };
        await tx.notificationRules.insert(rule);
        const result = { ...rule, warnings };
        await recordRequest(tx, context, { result, target: rule.ruleId });
        return result;
      });
      onChanged();
      return made;
    },

    /** Throws `not_found`. */
    async get(ruleId: string, { accountId }: RequestContext): Promise<RuleRecord> {
      const rule = await read.notificationRules.find(accountId, ruleId);
      if (rule === null) throw noSuchRule();
      return rule;
    },

    list: (page: PageRequest, { accountId }: RequestContext): Promise<Page<RuleRecord>> =>
      read.notificationRules.list(accountId, page),

    /**
     * Changed by another credential, it still sends what its maker may read, within the rights of both; whoever changes `to` or `channel` becomes
     * its maker. Once enabled it notifies of what happens from then on. Throws as `create`, `not_found` and `state_conflict`.
     */
    async update(ruleId: string, change: RuleChange, context: RequestContext): Promise<RuleRecord> {
      const { credential } = context;
      await assertWallets(change.wallets ?? null, context);
      const made = await store.write(async (tx) => {
        const rule = await required(tx, ruleId, context);
        const at = clock();
        await assertMayChange(tx, rule, credential, at, NAMED);
        const { rights, maker } = onBehalfOf(rule, credential, {
          changesTarget: change.channel !== undefined || !!change.target,
        });
        const { target, ...rest } = change;
        const next = { ...rule, ...rest, ...(target && { target }) };
        if (change.events !== undefined) assertReadable(rights, next.events);
        assertAmounts(next);
        await assertReachable(tx, next.channel, next.target, context);
        const isBack = next.enabled && !rule.enabled;
        const patch: RulePatch = {
          ...{ ...next, ...maker, readsBlocks: readsBlocks(next), updatedAt: at },
          ...(next.digest !== rule.digest && rule.gathered > 0 && { nextAt: at }),
          ...(next.enabled ? { disabledReason: null } : { nextAt: null, gathered: 0, lines: [] }),
          ...(isBack && { toldSeq: await tx.events.lastSeq() }),
        };
        await tx.notificationRules.update(rule, patch);
        const result = { ...rule, ...patch };
        await recordRequest(tx, context, { result, target: ruleId });
        return result;
      });
      onChanged();
      return made;
    },

    /** Throws `not_found`, and `forbidden` where it tells of what the caller may not read. */
    delete: (ruleId: string, context: RequestContext): Promise<void> =>
      store.write(async (tx) => {
        const rule = await required(tx, ruleId, context);
        assertMayDelete(rule, context.credential, NAMED);
        await tx.notificationRules.delete(rule);
        await recordRequest(tx, context, { result: undefined, target: ruleId });
      }),
  };
}
export type RuleService = ReturnType<typeof createRuleService>;

/** E-mail goes to people; a webhook must be named. */
async function ownTarget(
  read: Pick<Repositories, 'apiKeys'>,
  channel: RuleRecord['channel'],
  context: RequestContext,
): Promise<Target> {
  const { id } = context.credential;
  if (channel === 'in_app') return { kind: 'subject', id: await inboxOf(read, context) };
  if (channel === 'push') return { kind: 'subject', id };
  if (channel === 'email' && id.startsWith('usr_')) return { kind: 'user', id };
  const why =
    channel === 'email'
      ? 'the credential has no e-mail address: name one of its fields user_id, group_id and address'
      : 'the channel webhook needs its field webhook_id';
  throw new DomainError('invalid_value', `to is required: ${why}`, { field: 'to' });
}

/** An event without an amount exceeds none, so the rule would never notify of it. Throws `invalid_value`. */
function assertAmounts({ events, amountOverSats }: Pick<RuleRecord, 'events' | 'amountOverSats'>): void {
  const hasAmount = (pattern: string): boolean =>
    typesMatching(pattern).some((type) => ['transactions', 'deposits'].includes(EVENT_TYPES[type].channel));
  const at = amountOverSats === null ? -1 : events.findIndex((pattern) => !hasAmount(pattern));
  if (at === -1) return;
  throw new DomainError(
    'invalid_value',
    `events[${at}] ${events[at]} has no amount, so amount_over would never be met: leave out one of the two`,
    { field: `events[${at}]` },
  );
}

const noSuchRule = (): DomainError => new DomainError('not_found', 'there is no such rule', { field: 'rule_id' });

const readsBlocks = (of: Pick<RuleRecord, 'events'>): boolean =>
  typesOf(of).some((type) => EVENT_TYPES[type].channel === 'blocks');
