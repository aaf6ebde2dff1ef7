/** The gate over a store, with rules that a test has. */
import { type AccountRules, NO_RULES } from '../../src/core/policies/account-rules.ts';
import type { Payee } from '../../src/core/policies/policy.ts';
import { createGate, type Gate } from '../../src/services/policies/gate.ts';
import type { Store } from '../../src/store/store.ts';

export const gateOver = (
  store: Store,
  rules: () => AccountRules = () => NO_RULES,
  clock: () => number = Date.now,
  entries: ReadonlyMap<string, Payee['entries']> = new Map(),
): Gate => createGate({ read: store.read, rulesOf: async () => rules(), entriesOf: async () => entries, clock });
