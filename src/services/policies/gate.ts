/**
 * Evaluates an account's rules. Every operation that moves or commits coins, or signs for a wallet, calls this before it signs, and again
 * in the job that commits it, with the sums of that time: if the verdict has changed, the operation starts again. Committing takes a
 * `Passed`, which only this module creates.
 */

import { DomainError } from '../../core/errors.ts';
import type { AccountId, WalletId } from '../../core/ids.ts';
import type { AccountRules } from '../../core/policies/account-rules.ts';
import { ACTION_WEIGHT, candidatesOfEach, verdictOfEach } from '../../core/policies/evaluate-each.ts';
import {
  type CountedSum,
  type Listed,
  type Requirement,
  type Spending,
  type SpendingOperation,
  type Verdict,
  voiceOf,
} from '../../core/policies/policy.ts';
import { type RecordedSpending, recordedSpending } from '../../core/policies/recorded-spending.ts';
import { type RecordedVerdict, recordedVerdict } from '../../core/policies/recorded-verdict.ts';
import { unmetBy } from '../../core/policies/requirements.ts';
import { committedAt, countsOf, waiting, windowsOf } from '../../core/policies/windows.ts';
import type { Repositories, Store } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { RulesOf } from './rules-of.ts';
import { type Asked, type Asker, type EntriesOf, looksAtEntries, type Owners, spendingOf } from './spending-of.ts';
import { type Besides, spentBefore } from './spent-before.ts';

/** Operations that the service starts itself: refunds, settlements, rebroadcasts. Rules do not apply to them, and they are not counted. */
export const OF_SERVICE = Symbol('of the service');
export type OfService = typeof OF_SERVICE;

/** With all screening lists that have a payee, also those that a rule decides. */
type JudgedVerdict = Verdict & { readonly matching: readonly Listed[] };

declare const made: unique symbol;
/** An operation that the rules allow, or allow with approvals. */
export interface Passed {
  readonly [made]: true;
  readonly asker: Asker;
  readonly asked: Asked;
  /** null if the account has neither rules nor screening lists. */
  readonly verdict: JudgedVerdict | null;
  /** Approvals that are required first. */
  readonly requirements: readonly Requirement[];
  /** The account has rules with windows, so earlier spending mattered. */
  readonly windowed: boolean;
  /** What it adds to the sums, if the account has rules: for decisions made before it is committed. */
  readonly counts: readonly CountedSum[];
  /** What stands in the sums and was not counted again. */
  readonly except: readonly CountedSum[];
  /** It has all its approvals: whoever commits it has the rules judge it in the same job. */
  readonly approved: boolean;
}

/** Options of an evaluation. */
export interface Looking extends Besides {
  /** What this operation has been approved for already: a rule that wants no more than that, of the same people, is not asked again. */
  readonly approvedFor?: readonly Requirement[];
}

export interface Entry {
  readonly policy: RecordedVerdict | null;
  readonly counts: CountedSum[] | null;
  /** For a replay under other rules. */
  readonly asked: RecordedSpending | null;
}

/** The combined entry of one operation that was evaluated in parts. */
export function entriesTogether(entries: readonly Entry[]): Omit<Entry, 'asked'> {
  const counts = entries.flatMap((entry) => entry.counts ?? []);
  const verdicts = entries.flatMap(({ policy }) => policy ?? []);
  const rules = new Map(verdicts.flatMap((verdict) => verdict.rules).map((rule) => [rule.policy_id, rule]));
  const heaviest = verdicts.toSorted((one, other) => ACTION_WEIGHT[other.action] - ACTION_WEIGHT[one.action])[0];
  return {
    policy: heaviest ? { action: heaviest.action, rules: [...rules.values()] } : null,
    counts: counts.length > 0 ? counts : null,
  };
}

export interface Gate {
  /** Throws `policy_denied`. */
  decide(asker: Asker, asked: Asked, looking?: Looking): Promise<Passed>;
  /** The same verdict without throwing: for dry runs. */
  foresee(asker: Asker, asked: Asked, looking?: Looking): Promise<Passed>;
  /**
   * Called first in the job that commits them. Locks the account's windows, so that concurrent jobs see each other's sums. Always the
   * first lock taken, to avoid deadlocks.
   */
  hold(tx: Repositories, passed: readonly (Passed | OfService)[]): Promise<void>;
  /**
   * In the job of the last approval, and before it is carried out: evaluates the rules again, without the waiting operation's own sums
   * (`except`). `denied`: the reason, or null; `requirements`: the approvals that the rules now require; `counts`: what it adds to the sums.
   */
  askAgain(
    tx: Repositories,
    asker: Asker,
    asked: Asked,
    looking: Looking & { readonly at: number },
  ): Promise<{
    readonly denied: string | null;
    readonly requirements: readonly Requirement[];
    readonly counts: readonly CountedSum[];
  }>;
  /**
   * In the job that commits it: returns what its record stores. Throws VerdictChanged if the verdict is no longer the same; the caller then
   * starts again with `decide`; of what was approved the job has judged that itself. `owners`: the account's wallets by the scripts that it pays. `waits`: it is not signed yet, and counts in
   * every window until it is. `inherited`: sums of what it replaces; `earlier`: of what the job commits with it and has not written yet.
   */
  commitSpend(
    tx: Repositories,
    passed: Passed,
    facts: {
      readonly owners: Owners;
      readonly at: number;
      readonly waits: boolean;
      readonly inherited?: readonly CountedSum[];
      readonly earlier?: readonly CountedSum[];
    },
  ): Promise<Entry>;
}

/** A contract's stakes are paid to no script that is known. */
const NO_OWNERS: Owners = new Map();

/** The verdict changed before the commit: by other spending, or by a change of the rules. */
export class VerdictChanged extends Error {}

export const askerOf = ({ accountId, credential }: Pick<RequestContext, 'accountId' | 'credential'>): Asker => ({
  ...{
    accountId,
    userId: credential.countsAs,
    credentialId: credential.id,
    role: credential.role,
    kind: credential.kind,
  },
});

/** An operation that signs for a wallet or an oracle and moves no coins. */
export const speaking = (operation: SpendingOperation, wallet: Asked['wallet']): Asked => ({
  ...{ operation, wallet, pays: [], feeSats: 0n },
});

export function createGate(deps: {
  store: Pick<Store, 'read' | 'write'>;
  rulesOf: RulesOf;
  entriesOf: EntriesOf;
  clock: () => number;
}): Gate {
  const { store, rulesOf, entriesOf, clock } = deps;
  const { read } = store;

  /** null if the account has neither rules nor screening lists. */
  async function verdictOn(
    tx: Repositories,
    rules: AccountRules,
    spending: Spending,
    { asker, asked }: Pick<Passed, 'asker' | 'asked'>,
    looking: Looking,
  ) {
    if (!hasRules(rules)) return null;
    const guarded = treasuryAmong(rules, asked);
    if (guarded !== undefined) return treasuryDenied(guarded);
    const { policies, config } = rules;
    const { also, counterpart, proposer } = asked;
    const facts = { rules, owners: NO_OWNERS, entriesOf, at: spending.at };
    const other = counterpart ? [await spendingOf(tx, asker, { ...asked, ...counterpart }, facts)] : [];
    if (proposer) other.push({ ...spending, initiator: { ...proposer, groups: rules.groupsOf(proposer) } });
    const candidates = [spending, ...other].flatMap((one) => candidatesOfEach(policies, one, also));
    const past = await spentBefore(tx, asker.accountId, windowsOf(candidates), spending.at, looking);
    return withListed(verdictOfEach(candidates, config.defaultAction, past), [spending, ...other]);
  }

  async function foresee(asker: Asker, asked: Asked, looking: Looking = {}): Promise<Passed> {
    const rules = await rulesOf(read, asker.accountId);
    if (!hasRules(rules)) return pass({ ...WITHOUT_RULES, asker, asked });
    const owners = await ownersOf(read, asker.accountId, asked);
    const spending = await spendingOf(read, asker, asked, { rules, owners, entriesOf, at: clock() });
    const verdict = await verdictOn(read, rules, spending, { asker, asked }, looking);
    const requirements = requirementsOf(verdict, looking);
    const windowed = hasWindows(rules);
    const { except = [] } = looking;
    return pass({
      asker,
      asked,
      verdict,
      requirements,
      windowed,
      counts: countsFor(asked, spending),
      except,
      approved: false,
    });
  }

  return {
    foresee,
    async hold(tx, passed) {
      const windowed = passed.find((one) => one !== OF_SERVICE && one.windowed);
      if (windowed !== undefined && windowed !== OF_SERVICE) await tx.enterpriseConfig.lock(windowed.asker.accountId);
    },
    async decide(asker, asked, looking) {
      const passed = await foresee(asker, asked, looking);
      const { verdict } = passed;
      if (verdict?.action !== 'deny') return passed;
      if (verdict.matching.length > 0) await store.write((tx) => noteMatch(tx, verdict, passed));
      throw denied(verdict, asked);
    },
    async askAgain(tx, asker, asked, { at, ...looking }) {
      await tx.enterpriseConfig.lock(asker.accountId);
      const rules = await rulesOf(tx, asker.accountId);
      if (!hasRules(rules)) return { denied: null, requirements: [], counts: [] };
      const owners = await ownersOf(tx, asker.accountId, asked);
      const spending = await spendingOf(tx, asker, asked, { rules, owners, entriesOf, at });
      const verdict = await verdictOn(tx, rules, spending, { asker, asked }, looking);
      const refused = verdict?.action === 'deny' ? denied(verdict, asked).message : null;
      if (refused !== null) await noteMatch(tx, verdict, { asker, asked });
      return { denied: refused, requirements: requirementsOf(verdict, looking), counts: countsFor(asked, spending) };
    },
    async commitSpend(
      tx,
      { asker, asked, windowed, verdict: before, except, approved },
      { owners, at, waits, inherited = [], earlier = [] },
    ) {
      const rules = await rulesOf(tx, asker.accountId);
      if (hasWindows(rules) && !windowed && !approved) throw new VerdictChanged('the rules now have windows');
      const spending = await spendingOf(tx, asker, asked, { rules, owners, entriesOf, at });
      const verdict = await verdictOn(tx, rules, spending, { asker, asked }, { earlier, except });
      if (!approved && meaning(verdict) !== meaning(before))
        throw new VerdictChanged('the verdict of the rules has changed');
      await noteMatch(tx, verdict, { asker, asked });
      const counts = [
        ...(waits ? waiting(inherited) : committedAt(inherited, at)),
        ...countsFor(asked, spending, waits),
      ];
      return {
        policy: verdict && recordedVerdict(verdict),
        counts: counts.length > 0 ? counts : null,
        asked: recordedSpending(spending, {
          ...{ also: asked.also, inherited: inherited.length, looked: looksAtEntries(rules) },
        }),
      };
    },
  };
}

/** Throws `policy_denied` if approvals are required: for operations that cannot wait for approval. */
export function refuseUnapproved({ verdict, requirements, asked }: Passed): void {
  const [first] = requirements;
  if (first === undefined) return;
  const name = verdict?.policies.find(({ policyId }) => policyId === first.policyId)?.name ?? first.policyId;
  throw new DomainError(
    'policy_denied',
    `rule "${name}" requires ${first.required} ${first.required === 1 ? 'approval' : 'approvals'}, and this ${wordOf(asked)} cannot ` +
      'wait for approval',
  );
}

export const isDenied = (passed: Passed | OfService): boolean =>
  passed !== OF_SERVICE && passed.verdict?.action === 'deny';

/** An operation with all its approvals, already evaluated again with the last one and before it is carried out. */
export const approved = (asker: Asker, asked: Asked): Passed =>
  pass({ ...WITHOUT_RULES, asker, asked, approved: true });

const WITHOUT_RULES = {
  ...{ verdict: null, requirements: [], counts: [], windowed: false, except: [], approved: false },
} as const;

const pass = (passed: Omit<Passed, typeof made>): Passed => passed as Passed;

/** Some enabled rule has a window. */
const hasWindows = ({ policies }: AccountRules): boolean =>
  policies.some(({ enabled, when }) => enabled && when.window !== undefined);

const hasRules = ({ policies, config, lists, treasuries }: AccountRules): boolean =>
  lists.size > 0 || treasuries.length > 0 || config.defaultAction === 'deny' || policies.some(({ enabled }) => enabled);

/** What it adds to the sums: a proposer's own, too. */
function countsFor({ proposer }: Asked, spending: Spending, waits = false): CountedSum[] {
  const counts = countsOf(spending, waits);
  if (proposer === undefined || voiceOf(proposer) === voiceOf(spending.initiator)) return counts;
  const own = counts
    .filter(({ scope }) => scope === 'initiator')
    .map((sum) => ({ ...sum, subject: voiceOf(proposer) }));
  return [...counts, ...own];
}

/** The treasury that it would spend, or speak for; none where a proposal decided it, which only services/governance asks. */
const treasuryAmong = (
  { treasuries }: AccountRules,
  { operation, wallet, counterpart }: Asked,
): WalletId | undefined =>
  operation === 'treasury_spend'
    ? undefined
    : treasuries.find((walletId) => walletId === wallet?.walletId || walletId === counterpart?.wallet?.walletId);

const treasuryDenied = (walletId: WalletId): JudgedVerdict => ({
  ...{ action: 'deny', policies: [], requirements: [], listed: [], matching: [] },
  message: `wallet ${walletId} is a treasury, which only passed proposals of type treasury_spend spend: name another in wallet_id`,
});

/** Action and approvals: must be the same at the commit. The figures may differ. */
const meaning = (verdict: Verdict | null): string =>
  verdict === null ? JSON.stringify(['allow']) : JSON.stringify([verdict.action, ...verdict.requirements]);

const requirementsOf = (verdict: Verdict | null, { approvedFor = [] }: Looking): Requirement[] =>
  verdict?.action === 'approve' ? unmetBy(verdict.requirements, approvedFor) : [];

function withListed(verdict: Verdict, spendings: readonly Spending[]): JudgedVerdict {
  const lists = new Map(spendings.flatMap(({ listed = [] }) => listed).map((list) => [list.listId, list]));
  return { ...verdict, matching: [...lists.values()] };
}

/** The event of a payee that is on a screening list; none where no payee is. */
async function noteMatch(
  tx: Repositories,
  verdict: JudgedVerdict | null,
  { asker, asked: { operation, wallet } }: Pick<Passed, 'asker' | 'asked'>,
): Promise<void> {
  const [first] = verdict?.matching ?? [];
  if (verdict === null || first === undefined) return;
  const lists = verdict.matching.map(({ listId, name, address }) => ({ list_id: listId, name, address }));
  await tx.events.append({
    ...{ accountId: asker.accountId, channel: 'screening', ref: first.listId },
    data: { operation, decision: verdict.action, wallet_id: wallet?.walletId ?? null, lists },
  });
}

async function ownersOf(read: Repositories, accountId: AccountId, { pays, screens = [] }: Asked): Promise<Owners> {
  const scripts = [...new Set([...pays.flatMap(({ scriptPubKey }) => scriptPubKey ?? []), ...screens])];
  if (scripts.length === 0) return new Map();
  const held = (await read.ledger.scriptsMatching(scripts)).filter((script) => script.accountId === accountId);
  return Map.groupBy(held, (script) => script.scriptPubKey);
}

function denied({ policies, message, listed }: Verdict, asked: Asked): DomainError {
  const rule = policies.find(({ action }) => action === 'deny');
  if (listed.length > 0 || (rule === undefined && message !== null))
    return new DomainError('policy_denied', `this ${wordOf(asked)} is denied: ${message}`);
  return new DomainError(
    'policy_denied',
    rule === undefined
      ? `no rule matches this ${wordOf(asked)}, and default_action is deny`
      : `rule "${rule.name}" denies this ${wordOf(asked)}${message ? `: ${message}` : ''}`,
  );
}

const wordOf = ({ operation }: Asked): string => operation.replaceAll('_', ' ');
