import type { Logger } from 'pino';
import { EVENT_TYPE_NAMES } from '../../../core/events/event-types.ts';
import type { AccountId } from '../../../core/ids.ts';
import type { RuleRecord } from '../../../store/repositories/notification-rules.ts';
import type { Store } from '../../../store/store.ts';
import { createDispatcher, type Listener, type Listeners } from '../../webhooks/dispatcher.ts';
import { typesOf } from '../../webhooks/webhook-rights.ts';
import { createApplyRule } from './apply-rule.ts';
import { createRuleService } from './rule-service.ts';
import { createSecurityNotices } from './security-notices.ts';

const ofRule = (rule: RuleRecord): Listener => ({ key: rule.ruleId, accountId: rule.accountId, types: typesOf(rule) });
const SECURITY = EVENT_TYPE_NAMES.filter((type) => type.startsWith('security.'));
/** Of each account, without a row. */
const ofSecurity = (accountId: AccountId): Listener => ({ key: `security ${accountId}`, accountId, types: SECURITY });

export function createRules(
  deps: {
    store: Store;
    clock: () => number;
    randomBytes: (size: number) => Uint8Array;
    log: Pick<Logger, 'info' | 'warn'>;
    roundMs?: number;
  } & Omit<Parameters<typeof createRuleService>[0], 'onChanged'> &
    Parameters<typeof createApplyRule>[0] &
    Parameters<typeof createSecurityNotices>[0],
) {
  const { read } = deps.store;
  const applyRule = createApplyRule(deps);
  const sendSecurityNotices = createSecurityNotices(deps);
  const listeners: Listeners = {
    name: 'notificationRules',
    reading: {
      failed: 'events for notification rules could not be read',
      recovered: 'events for notification rules are read again',
    },
    storing: {
      began: 'notifications of events could not be stored',
      ended: 'notifications of events are stored again',
    },
    listening: async (accountId) => [
      ofSecurity(accountId),
      ...(await read.notificationRules.listening(accountId)).map(ofRule),
    ],
    readingBlocks: async (after, limit) => (await read.notificationRules.readingBlocks(after, limit)).map(ofRule),
    due: async (now, limit) => (await read.notificationRules.due(now, limit)).map(ofRule),
    bringForward: (tx, now) => tx.notificationRules.bringForward(now),
    perform: ({ key, accountId }, events) =>
      key.startsWith('nrl_')
        ? applyRule({ accountId, ruleId: key as RuleRecord['ruleId'] }, events.seen)
        : sendSecurityNotices(accountId, events),
  };
  const { worker, lagMs } = createDispatcher({ ...deps, listeners });
  const ruleService = createRuleService({ ...deps, onChanged: () => worker.wake() });
  return { rules: ruleService, worker, lagMs };
}
