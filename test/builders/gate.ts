/** The gate over a store, with rules that a test has. */
import { type AccountRules, NO_RULES } from '../../src/core/policies/account-rules.ts';
import { createGate, type Gate } from '../../src/services/policies/gate.ts';
import { createRulesOf } from '../../src/services/policies/rules-of.ts';
import type { Store } from '../../src/store/store.ts';

/** `stored`: the rules that are in the database. */
export const gateOver = (
  store: Store,
  rules: (() => AccountRules) | 'stored' = () => NO_RULES,
  clock: () => number = Date.now,
): Gate =>
  createGate({
    read: store.read,
    rulesOf: rules === 'stored' ? createRulesOf() : async () => rules(),
    entriesOf: async () => new Map(),
    clock,
  });
