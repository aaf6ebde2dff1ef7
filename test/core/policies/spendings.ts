/** Spendings and rules to compare, with what a test does not say left at the plainest. */
import type { Payee, Policy, PolicyConditions, Spending } from '../../../src/core/policies/policy.ts';

const NOON = Date.UTC(2026, 5, 3, 12);

export const payee = (amountSats: bigint, address = 'bcrt1payee', entries: Payee['entries'] = []): Payee => ({
  address,
  amountSats,
  entries,
});

export function spending({ payees = [payee(1_000n)], ...given }: Partial<Spending> = {}): Spending {
  return {
    operation: 'payment',
    walletId: 'wal_a',
    asset: 'BTC',
    initiator: { userId: 'usr_a', credentialId: 'key_a', role: 'operator', groups: ['grp_a'] },
    amountSats: payees.reduce((sum, one) => sum + one.amountSats, 0n),
    feeSats: 100n,
    payees,
    at: NOON,
    ...given,
  };
}

export const rule = (when: PolicyConditions, given: Partial<Policy> = {}): Policy => ({
  policyId: 'pol_a',
  name: 'rule',
  enabled: true,
  position: 1,
  when,
  then: { action: 'deny', message: 'no' },
  ...given,
});
