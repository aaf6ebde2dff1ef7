/**
 * The one gate. Whatever moves or commits an account's coins, or speaks for a wallet, asks here before it signs, and again in the job that
 * commits it, by the figures as they stand then: what fits under no limit any more is asked about anew. What it did not let pass cannot be
 * committed, for nobody else makes a `Passed`.
 */
import { DomainError } from '../../core/errors.ts';
import type { AccountRules } from '../../core/policies/account-rules.ts';
import { evaluate } from '../../core/policies/evaluate.ts';
import type { Requirement, Spending, SpendingOperation, Verdict } from '../../core/policies/policy.ts';
import { type RecordedVerdict, recordedVerdict } from '../../core/policies/recorded-verdict.ts';
import { HOUR_MS, sumsOf, windowsOf } from '../../core/policies/windows.ts';
import type { CountedSum } from '../../store/repositories/counted-sums.ts';
import type { Repositories } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { RulesOf } from './rules-of.ts';
import { type Asked, type Asker, type EntriesOf, type Owners, spendingOf } from './spending-of.ts';
import { type Besides, spentBefore } from './spent-before.ts';

/** What the service does by itself and nobody asked for: refunds, settlements, what is sent again. Never held up, and not counted. */
export const OF_SERVICE = Symbol('of the service');
export type OfService = typeof OF_SERVICE;

declare const made: unique symbol;
/** What the gate let pass. */
export interface Passed {
  readonly [made]: true;
  readonly asker: Asker;
  readonly asked: Asked;
  /** null where the account has no rules to ask. */
  readonly verdict: Verdict | null;
  /** Approvals that are to be had first. */
  readonly requirements: readonly Requirement[];
  /** It was measured by what was spent before. */
  readonly windowed: boolean;
  /** What it will count for, where the account has rules: for what is decided before it is committed. */
  readonly counts: readonly CountedSum[];
}

/** How a spending is looked at. */
export interface Looking extends Besides {
  /** Rules that approved this very thing before: they need not do so again. */
  readonly approvedBy?: readonly string[];
}

export interface Entry {
  readonly policy: RecordedVerdict | null;
  readonly counts: CountedSum[] | null;
}

/** Of one thing that was asked as several. */
export function entriesTogether(entries: readonly Entry[]): Entry {
  const counts = entries.flatMap((entry) => entry.counts ?? []);
  const verdicts = entries.flatMap(({ policy }) => policy ?? []);
  const rules = new Map(verdicts.flatMap((verdict) => verdict.rules).map((rule) => [rule.policy_id, rule]));
  const heaviest = verdicts.toSorted((one, other) => WEIGHT[other.action] - WEIGHT[one.action])[0];
  return {
    policy: heaviest ? { action: heaviest.action, rules: [...rules.values()] } : null,
    counts: counts.length > 0 ? counts : null,
  };
}

export interface Gate {
  /** Throws `policy_denied`. */
  decide(asker: Asker, asked: Asked, looking?: Looking): Promise<Passed>;
  /** The same verdict, thrown by nobody: for dry runs. */
  foresee(asker: Asker, asked: Asked, looking?: Looking): Promise<Passed>;
  /**
   * First of all in the job that commits them: whoever is measured by the account's windows waits here, and then sees what this job has
   * counted. Held before anything else is, so that no two wait for each other in a circle.
   */
  hold(tx: Repositories, passed: readonly (Passed | OfService)[]): Promise<void>;
  /**
   * In the job of the last approval: what the rules say by now, without what waits for it, which counts for `except`. `denied`: why, if so;
   * else the approvals that they want.
   */
  askAgain(
    tx: Repositories,
    asker: Asker,
    asked: Asked,
    looking: { readonly at: number; readonly except: readonly CountedSum[] },
  ): Promise<{ readonly denied: string | null; readonly requirements: readonly Requirement[] }>;
  /**
   * In the job that commits it: what is to stand on its record. Throws VerdictChanged where the rules would say something else by now: then all
   * is to be done again from `decide` on. `owners`: the account's wallets among the scripts it pays. `inherited`: what it stands in for.
   */
  commitSpend(
    tx: Repositories,
    passed: Passed,
    facts: { readonly owners: Owners; readonly at: number; readonly inherited?: readonly CountedSum[] },
  ): Promise<Entry>;
}

/** Lost at the commit: others spent meanwhile, or the rules were changed. */
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

/** What speaks for a wallet, or for an oracle, and moves nothing. */
export const speaking = (operation: SpendingOperation, wallet: Asked['wallet']): Asked => ({
  ...{ operation, wallet, pays: [], feeSats: 0n },
});

export function createGate(deps: {
  read: Repositories;
  rulesOf: RulesOf;
  entriesOf: EntriesOf;
  clock: () => number;
}): Gate {
  const { read, rulesOf, entriesOf, clock } = deps;

  /** null where nothing is to be asked. */
  async function verdictOn(
    tx: Repositories,
    rules: AccountRules,
    spending: Spending,
    { asker, asked: { also } }: Pick<Passed, 'asker' | 'asked'>,
    looking: Looking,
  ) {
    if (!hasRules(rules)) return null;
    const { policies, config } = rules;
    const operations = also === undefined ? [spending.operation] : [spending.operation, also];
    const spendings = operations.map((operation) => ({ ...spending, operation }));
    const windows = spendings.flatMap((one) => windowsOf(policies, one));
    const past = await spentBefore(tx, asker.accountId, windows, spending.at, looking);
    return spendings.map((one) => evaluate(policies, config.defaultAction, one, past)).reduce(bothOf);
  }

  async function foresee(asker: Asker, asked: Asked, looking: Looking = {}): Promise<Passed> {
    const rules = await rulesOf(read, asker.accountId);
    if (!hasRules(rules)) return pass({ asker, asked, verdict: null, requirements: [], windowed: false, counts: [] });
    const owners = await ownersOf(read, asker.accountId, asked);
    const spending = await spendingOf(read, asker, asked, { rules, owners, entriesOf, at: clock() });
    const verdict = await verdictOn(read, rules, spending, { asker, asked }, looking);
    const requirements = requirementsOf(verdict, looking);
    const windowed = hasWindows(rules);
    return pass({ asker, asked, verdict, requirements, windowed, counts: countsOf(spending) });
  }

  return {
    foresee,
    async hold(tx, passed) {
      const windowed = passed.find((one) => one !== OF_SERVICE && one.windowed);
      if (windowed !== undefined && windowed !== OF_SERVICE) await tx.enterpriseConfig.lock(windowed.asker.accountId);
    },
    async decide(asker, asked, looking) {
      const passed = await foresee(asker, asked, looking);
      if (passed.verdict?.action === 'deny') throw denied(passed.verdict, asked);
      return passed;
    },
    async askAgain(tx, asker, asked, { at, except }) {
      await tx.enterpriseConfig.lock(asker.accountId);
      const rules = await rulesOf(tx, asker.accountId);
      if (!hasRules(rules)) return { denied: null, requirements: [] };
      const owners = await ownersOf(tx, asker.accountId, asked);
      const spending = await spendingOf(tx, asker, asked, { rules, owners, entriesOf, at });
      const verdict = await verdictOn(tx, rules, spending, { asker, asked }, { except });
      const refused = verdict?.action === 'deny' ? denied(verdict, asked).message : null;
      return { denied: refused, requirements: requirementsOf(verdict, {}) };
    },
    async commitSpend(tx, { asker, asked, windowed, verdict: before }, { owners, at, inherited = [] }) {
      const rules = await rulesOf(tx, asker.accountId);
      if (hasWindows(rules) && !windowed) throw new VerdictChanged('the rules measure by windows by now');
      const spending = await spendingOf(tx, asker, asked, { rules, owners, entriesOf, at });
      const verdict = await verdictOn(tx, rules, spending, { asker, asked }, {});
      if (meaning(verdict) !== meaning(before)) throw new VerdictChanged('the rules would decide otherwise by now');
      const counts = [...inherited, ...countsOf(spending)];
      return { policy: verdict && recordedVerdict(verdict), counts: counts.length > 0 ? counts : null };
    },
  };
}

/** Throws `policy_denied` where approvals are to be had first, for what nobody could approve yet. */
export function refuseUnapproved({ verdict, requirements, asked }: Passed): void {
  const [first] = requirements;
  if (first === undefined) return;
  const name = verdict?.policies.find(({ policyId }) => policyId === first.policyId)?.name ?? first.policyId;
  throw new DomainError(
    'policy_denied',
    `rule "${name}" wants ${first.required} ${first.required === 1 ? 'approval' : 'approvals'} of this ${wordOf(asked)}, which cannot be ` +
      'asked for here',
  );
}

export const isDenied = (passed: Passed | OfService): boolean =>
  passed !== OF_SERVICE && passed.verdict?.action === 'deny';

/** Of what the last approval and the gate, asked again in its job, let pass: for whoever carries it out. */
export const approved = (asker: Asker, asked: Asked): Passed =>
  pass({ asker, asked, verdict: null, requirements: [], counts: [], windowed: false });

const pass = (passed: Omit<Passed, typeof made>): Passed => passed as Passed;

/** Some rule measures by what was spent before. */
const hasWindows = ({ policies }: AccountRules): boolean =>
  policies.some(({ enabled, when }) => enabled && when.window !== undefined);

const hasRules = ({ policies, config }: AccountRules): boolean =>
  config.defaultAction === 'deny' || policies.some(({ enabled }) => enabled);

const WEIGHT = { allow: 0, approve: 1, deny: 2 } as const;

/** Of one thing that is two operations: both must be let pass. */
function bothOf(one: Verdict, other: Verdict): Verdict {
  const isNew = ({ policyId }: { policyId: string }) => one.policies.every((policy) => policy.policyId !== policyId);
  return {
    action: WEIGHT[one.action] >= WEIGHT[other.action] ? one.action : other.action,
    policies: [...one.policies, ...other.policies.filter(isNew)],
    requirements: [...one.requirements, ...other.requirements.filter(isNew)],
    message: one.message ?? other.message,
  };
}

/** Action and approvals: what must still be so at the commit. The figures may have moved. */
const meaning = (verdict: Verdict | null): string =>
  verdict === null ? JSON.stringify(['allow']) : JSON.stringify([verdict.action, ...verdict.requirements]);

const requirementsOf = (verdict: Verdict | null, { approvedBy = [] }: Looking): Requirement[] =>
  verdict?.action === 'approve' ? verdict.requirements.filter(({ policyId }) => !approvedBy.includes(policyId)) : [];

const countsOf = (spending: Spending): CountedSum[] =>
  [...sumsOf(spending), ...usedBy(spending)].map((sum) => ({ ...sum, hour: Math.floor(spending.at / HOUR_MS) }));

/** What usage shows of the credential (services/usage): no rule asks for it. */
const usedBy = ({ amountSats, payees, initiator: { credentialId: subject } }: Spending) =>
  amountSats === 0n && payees.length === 0 ? [] : [{ scope: 'credential', subject, amountSats, count: 1 }];

async function ownersOf(read: Repositories, accountId: string, { pays }: Asked): Promise<Owners> {
  const scripts = [...new Set(pays.flatMap(({ scriptPubKey }) => scriptPubKey ?? []))];
  if (scripts.length === 0) return new Map();
  const held = (await read.ledger.scriptsMatching(scripts)).filter((script) => script.accountId === accountId);
  return Map.groupBy(held, (script) => script.scriptPubKey);
}

function denied({ policies, message }: Verdict, asked: Asked): DomainError {
  const rule = policies.find(({ action }) => action === 'deny');
  return new DomainError(
    'policy_denied',
    rule === undefined
      ? `no rule allows this ${wordOf(asked)}, and what no rule allows is denied (default_action)`
      : `rule "${rule.name}" denies this ${wordOf(asked)}${message ? `: ${message}` : ''}`,
  );
}

const wordOf = ({ operation }: Asked): string => operation.replaceAll('_', ' ');
