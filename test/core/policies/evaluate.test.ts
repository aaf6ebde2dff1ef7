/** What rules decide: each condition at its bound, and all of them together. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { candidatesOf, verdictOf } from '../../../src/core/policies/evaluate.ts';
import type { PastSpending, Policy, PolicyConditions, Spending } from '../../../src/core/policies/policy.ts';
import { countsOf, hoursOfWindow, windowsOf } from '../../../src/core/policies/windows.ts';
import { leastRatio } from '../../builders/worst/thread-cpu.ts';
import { payee, rule, spending } from './spendings.ts';

const NOTHING: PastSpending = () => ({ amountSats: 0n, count: 0 });
const evaluate = (policies: readonly Policy[], byDefault: 'allow' | 'deny', asked: Spending, past: PastSpending) =>
  verdictOf(candidatesOf(policies, asked), byDefault, past);
const matched = (when: PolicyConditions, asked: Spending, past = NOTHING) =>
  evaluate([rule(when)], 'allow', asked, past).policies[0]?.matched ?? null;

it.each<[string, PolicyConditions, bigint, boolean]>([
  ['amount below', { amountOverSats: 1_001n }, 1_000n, false],
  ['amount at', { amountOverSats: 1_000n }, 1_000n, false],
  ['amount above', { amountOverSats: 999n }, 1_000n, true],
  ['fee at', { feeOver: { sats: 100n } }, 1_000n, false],
  ['fee above', { feeOver: { sats: 99n } }, 1_000n, true],
  ['share at', { feeOver: { shareMillionths: 100_000 } }, 1_000n, false],
  ['share above', { feeOver: { shareMillionths: 100_000 } }, 999n, true],
  ['share of nothing', { feeOver: { shareMillionths: 100_000 } }, 0n, false],
  ['window at', { window: { hours: 24, per: 'account', amountOverSats: 1_500n } }, 1_000n, false],
  ['window above', { window: { hours: 24, per: 'account', amountOverSats: 1_499n } }, 1_000n, true],
  ['count at', { window: { hours: 24, per: 'wallet', countOver: 3 } }, 1_000n, false],
  ['count above', { window: { hours: 24, per: 'initiator', countOver: 2 } }, 1_000n, true],
])('%s', (_name, when, amountSats, expected) => {
  const asked = spending({ payees: [payee(amountSats)] });
  expect(matched(when, asked, () => ({ amountSats: 500n, count: 2 })) !== null).toBe(expected);
});

it.each<[string, PolicyConditions, Record<string, string> | null]>([
  ['no condition', {}, {}],
  ['operations', { operations: ['bump', 'payment'] }, { operations: 'payment' }],
  ['another operation', { operations: ['bump'] }, null],
  ['wallets', { wallets: ['wal_a'] }, { wallets: 'wal_a' }],
  ['another wallet', { wallets: ['wal_b'] }, null],
  ['another asset', { assets: ['USD'] }, null],
  ['a role exactly', { initiators: { roles: ['operator'] } }, { initiators: 'role operator' }],
  ['no role above', { initiators: { roles: ['admin', 'viewer'] } }, null],
  ['a person', { initiators: { roles: ['admin'], userIds: ['usr_a'] } }, { initiators: 'usr_a' }],
  ['a key', { initiators: { apiKeyIds: ['key_a'] } }, { initiators: 'key_a' }],
  ['a group', { initiators: { groups: ['grp_b', 'grp_a'] } }, { initiators: 'grp_a' }],
  ['an entry', { destinations: { entries: ['abe_b'] } }, { destinations: 'b is abe_b' }],
  ['a tag', { destinations: { tags: ['x', 'bank'] } }, { destinations: 'b is tagged bank' }],
  ['outside', { destinations: { outside: true } }, { destinations: 'c is not in the address book' }],
  ['no such tag', { destinations: { tags: ['x'] } }, null],
  ['one condition of two', { wallets: ['wal_a'], operations: ['cpfp'] }, null],
  [
    'figures',
    { amountOverSats: 5n, window: { hours: 2, per: 'destination', amountOverSats: 4n } },
    { amount_over: '0.00000006 above 0.00000005', window: '0.00000005 above 0.00000004 in 2 hours, per destination b' },
  ],
])('%s', (_name, when, expected) => {
  const payees = [payee(3n, 'b', [{ entryId: 'abe_b', tags: ['bank'] }]), payee(1n, 'c'), payee(2n, 'b')];
  expect(matched(when, spending({ payees }))).toEqual(expected);
});

it('one denial denies, all approvals are required, what matches nothing is the default', () => {
  const from = { roles: ['admin'] as const };
  const approve = (policyId: string, position: number) =>
    rule({}, { policyId, position, then: { action: 'approve', required: position, from, expiresInHours: 1 } });
  const allow = rule({}, { policyId: 'pol_allow', then: { action: 'allow' } });
  const off = rule({}, { enabled: false });
  const verdict = (policies: Policy[], byDefault: 'allow' | 'deny' = 'allow') =>
    evaluate(policies, byDefault, spending(), NOTHING);
  expect(verdict([off])).toEqual({ action: 'allow', policies: [], requirements: [], message: null, listed: [] });
  expect(verdict([], 'deny')).toMatchObject({ action: 'deny', policies: [], message: null });
  expect(verdict([allow], 'deny')).toMatchObject({ action: 'allow', policies: [{ policyId: 'pol_allow' }] });
  const two = verdict([approve('pol_2', 2), allow, approve('pol_1', 1)]);
  expect(two).toMatchObject({ action: 'approve', requirements: [{ required: 1 }, { required: 2 }] });
  const denied = verdict([rule({}, { position: 9, then: { action: 'deny', message: 'late' } }), allow, rule({})]);
  expect(denied).toMatchObject({ action: 'deny', message: 'no' });
});

it('a rule that allows for payees allows nobody beside them; one that denies or wants approvals holds where any is one', () => {
  const bank = payee(1n, 'a', [{ entryId: 'abe_a', tags: ['bank'] }]);
  const known = payee(1n, 'b', [{ entryId: 'abe_b', tags: [] }]);
  const stranger = payee(1n, 'c');
  const allowed = (destinations: PolicyConditions['destinations'], ...payees: (typeof bank)[]) =>
    evaluate(
      [rule({ destinations: destinations! }, { then: { action: 'allow' } })],
      'deny',
      spending({ payees }),
      NOTHING,
    ).action;
  expect(allowed({ tags: ['bank'] }, bank, bank)).toBe('allow');
  expect(allowed({ entries: ['abe_a', 'abe_b'] }, bank, known)).toBe('allow');
  expect(allowed({ tags: ['bank'], outside: true }, bank, stranger)).toBe('allow');
  expect(allowed({ tags: ['bank'] }, bank, stranger)).toBe('deny');
  expect(allowed({ tags: ['bank'] }, bank, known)).toBe('deny');
  expect(allowed({ outside: true }, stranger, bank)).toBe('deny');
  expect(allowed({ outside: true })).toBe('deny');
  const denied = evaluate(
    [rule({ destinations: { outside: true } })],
    'allow',
    spending({ payees: [bank, stranger] }),
    NOTHING,
  );
  expect(denied.action).toBe('deny');
});

const conditions: fc.Arbitrary<PolicyConditions> = fc.oneof(
  fc.record({ amountOverSats: fc.bigInt(0n, 4_000n) }),
  fc.record({ destinations: fc.constantFrom({ outside: true as const }, { tags: ['bank'] }) }),
  fc.record({
    window: fc.record({
      hours: fc.integer({ min: 1, max: 48 }),
      per: fc.constantFrom('account', 'wallet', 'initiator', 'destination'),
      amountOverSats: fc.bigInt(0n, 8_000n),
    }),
  }),
);
const then = fc.constantFrom<Policy['then']>(
  { action: 'allow' },
  { action: 'deny', message: 'no' },
  { action: 'approve', required: 1, from: { roles: ['admin'] }, expiresInHours: 1 },
);
const policies = fc
  .array(fc.record({ when: conditions, then, enabled: fc.boolean() }), { maxLength: 12 })
  .map((all) => all.map((one, i) => rule(one.when, { ...one, policyId: `pol_${i}`, position: i })));
const payees = fc.array(
  fc.record({ address: fc.constantFrom('a', 'b', 'c'), amountSats: fc.bigInt(1n, 3_000n), tag: fc.boolean() }),
  { maxLength: 4 },
);

it('the order in which rules and payees stand makes no difference, and only sums that were named are asked for', () => {
  fc.assert(
    fc.property(policies, payees, (all, paid) => {
      const list = paid.map(({ address, amountSats, tag }) =>
        payee(amountSats, address, tag ? [{ entryId: 'abe_a', tags: ['bank'] }] : []),
      );
      const asked = spending({ payees: list });
      const named = new Set(
        windowsOf([candidatesOf(all, asked)]).flatMap(({ scope, subjects, hours }) =>
          subjects.flatMap((subject) => hours.map((length) => `${scope} ${subject} ${length}`)),
        ),
      );
      const past: PastSpending = (scope, subject, hours) => {
        expect(named).toContain(`${scope} ${subject} ${hours}`);
        return { amountSats: BigInt(hours * subject.length), count: hours };
      };
      const verdict = evaluate(all, 'allow', asked, past);
      expect(evaluate(all.toReversed(), 'allow', asked, past)).toEqual(verdict);
      const { action } = evaluate(all, 'allow', spending({ payees: list.toReversed() }), past);
      expect(action).toBe(verdict.action);
    }),
  );
});

it('a window reaches back never less than its hours, and counts what a spending adds to it', () => {
  const at = Date.UTC(2026, 11, 31, 23, 59);
  const { first, last } = hoursOfWindow(at, 24);
  expect([new Date(first * 3_600_000).toISOString(), new Date(last * 3_600_000).toISOString()]).toEqual([
    '2026-12-30T23:00:00.000Z',
    '2026-12-31T23:00:00.000Z',
  ]);
  expect(countsOf(spending({ payees: [] }))).toEqual([]);
  const sum = { hour: last, amountSats: 3n, count: 1 };
  expect(countsOf(spending({ payees: [payee(1n, 'a'), payee(2n, 'a')], at }))).toEqual([
    { scope: 'account', subject: '', ...sum },
    { scope: 'wallet', subject: 'wal_a', ...sum },
    { scope: 'initiator', subject: 'usr_a', ...sum },
    { scope: 'destination', subject: 'a', ...sum },
    { scope: 'credential', subject: 'key_a', ...sum },
  ]);
});

it('100 rules over 500 payees are decided well within a request', async () => {
  const list = Array.from({ length: 500 }, (_, i) => payee(1n, `a${i}`, [{ entryId: `abe_${i}`, tags: [`t${i}`] }]));
  const when = (i: number): PolicyConditions => ({
    destinations: { entries: Array.from({ length: 50 }, (_, j) => `abe_${j + 480}`) },
    hours: { timezone: 'Europe/Berlin', from: '00:00', to: '00:00' },
    window: { hours: 1 + (i % 8), per: 'destination', amountOverSats: 10n },
  });
  const all = Array.from({ length: 100 }, (_, i) => rule(when(i), { policyId: `pol_${i}`, position: i }));
  const asked = spending({ payees: list });
  const once = () => {
    const candidates = candidatesOf(all, asked);
    windowsOf([candidates]);
    verdictOf(candidates, 'allow', NOTHING);
  };
  expect(await leastRatio(once, 1)).toBeLessThanOrEqual(1);
});

const NAMES = ['a', 'b', 'c', 'd'];
const names = fc.subarray(NAMES);
const entriesOfPayee = fc.array(
  fc.record(
    { entryId: fc.constantFrom(...NAMES), tags: names, pending: fc.constant(true as const) },
    { requiredKeys: ['entryId', 'tags'] },
  ),
  { maxLength: 2 },
);
const destinations = fc.record(
  { entries: names, tags: names, outside: fc.constant(true as const) },
  { requiredKeys: [] },
);

it('a rule that allows matches where its names of effective entries have every payee, another where those of any entries have one', () => {
  // Sets above and below 32 members, and lists that end within a word.
  const lists = fc
    .tuple(fc.array(entriesOfPayee, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 70 }))
    .map(([kinds, times]) => Array.from({ length: times }, (_, i) => kinds[Math.min(i, kinds.length - 1)]!));
  fc.assert(
    fc.property(lists, destinations, (list, named) => {
      const effective = (entries: (typeof list)[number]) => entries.filter(({ pending }) => !pending);
      const among = (entries: (typeof list)[number], those = entries) =>
        (named.outside === true && effective(entries).length === 0) ||
        those.some(
          ({ entryId, tags }) => named.entries?.includes(entryId) || tags.some((tag) => named.tags?.includes(tag)),
        );
      const asked = spending({ payees: list.map((entries, i) => payee(1n, `p${i}`, entries)) });
      const matches = (action: Policy['then']) =>
        evaluate([rule({ destinations: named }, { then: action })], 'allow', asked, NOTHING).policies.length === 1;
      expect(matches({ action: 'allow' })).toBe(list.every((entries) => among(entries, effective(entries))));
      expect(matches({ action: 'deny', message: '' })).toBe(list.some((entries) => among(entries)));
    }),
  );
});

it('an entry that is not effective yet requires approval, and permits nothing that the default denies', () => {
  const then = { action: 'approve', required: 1, from: { roles: ['admin'] }, expiresInHours: 1 } as const;
  const asked = spending({ payees: [payee(1n, 'a', [{ entryId: 'abe_a', tags: ['bank'], pending: true }])] });
  const by = (byDefault: 'allow' | 'deny', named: PolicyConditions['destinations'] = { tags: ['bank'] }) =>
    evaluate([rule({ destinations: named }, { then })], byDefault, asked, NOTHING).action;
  expect([by('allow'), by('deny'), by('deny', { outside: true })]).toEqual(['approve', 'deny', 'approve']);
});

it('200 rules that allow 100 tags each, over 500 payees of 20 tags, are decided well within a request', async () => {
  // Only the last tag is among the names, and it is the last of them.
  const tags = [...Array.from({ length: 19 }, (_, i) => `t${i}`), 'bank'];
  const named = [...Array.from({ length: 99 }, (_, i) => `other${i}`), 'bank'];
  const list = Array.from({ length: 500 }, (_, i) => payee(1n, `a${i}`, [{ entryId: `abe_${i}`, tags }]));
  const allow = (i: number) =>
    rule({ destinations: { tags: named } }, { policyId: `pol_${i}`, position: i, then: { action: 'allow' } });
  const all = Array.from({ length: 200 }, (_, i) => allow(i));
  const once = () => expect(evaluate(all, 'deny', spending({ payees: list }), NOTHING).policies).toHaveLength(200);
  expect(await leastRatio(once, 1)).toBeLessThanOrEqual(1);
});
