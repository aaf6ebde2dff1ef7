/** The gate over a store, with rules that a test has. */
import { randomBytes } from 'node:crypto';
import { type AccountRules, NO_RULES } from '../../src/core/policies/account-rules.ts';
import { createHeldRequests, type HeldRequests } from '../../src/services/approvals/held-requests.ts';
import { createGate, type Gate } from '../../src/services/policies/gate.ts';
import { createRulesOf } from '../../src/services/policies/rules-of.ts';
import { createTextCipher } from '../../src/services/secrets/text-cipher.ts';
import type { Store } from '../../src/store/store.ts';

/** `stored`: the rules that are in the database. */
export const gateOver = (
  store: Store,
  rules: (() => AccountRules) | 'stored' = () => NO_RULES,
  clock: () => number = Date.now,
): Gate =>
  createGate({
    store,
    rulesOf: rules === 'stored' ? createRulesOf() : async () => rules(),
    entriesOf: async () => new Map(),
    clock,
  });

/** Requests by that gate, at once or held. */
export const heldOver = (store: Store, gate: Gate, clock: () => number = Date.now): HeldRequests =>
  createHeldRequests({
    ...{ store, gate, clock, randomBytes, network: 'regtest' },
    cipher: createTextCipher(randomBytes(32), randomBytes),
  });
