/** Parameters of a DAO: what each means, in which unit and within which bounds, and with what a DAO begins. */
import { DomainError, refuseAll } from '../errors.ts';
import type { Network } from '../network.ts';
import { formatTokens, MAX_SUPPLY, NO_TOKENS, parseTokens, tokensProblem } from './tokens.ts';

export interface Parameters {
  readonly voting_period_hours: number;
  readonly quorum_percent: number;
  readonly threshold_percent: number;
  /** Decimal tokens. */
  readonly proposal_threshold: string;
  readonly timelock_hours: number;
  readonly execution_window_days: number;
  readonly admin_mint: boolean;
}
export type ParameterName = keyof Parameters;

export interface ParameterRule {
  readonly name: ParameterName;
  readonly type: 'number' | 'integer' | 'tokens' | 'boolean';
  readonly unit: string | null;
  readonly default: number | string | boolean;
  /** Both null where a value has none. */
  readonly minimum: number | string | null;
  readonly maximum: number | string | null;
  readonly meaning: string;
}

export const FIRST_PARAMETERS: Parameters = {
  voting_period_hours: 72,
  quorum_percent: 20,
  threshold_percent: 50,
  proposal_threshold: '1.00000000',
  timelock_hours: 24,
  execution_window_days: 14,
  admin_mint: true,
};

/** A second: on regtest and the simulated chain nobody waits for days. */
const SHORTEST_HOURS = 1 / 3600;

export function parameterRules(network: Network): readonly ParameterRule[] {
  const test = network === 'regtest';
  const rule = (name: ParameterName, of: Omit<ParameterRule, 'name' | 'default'>): ParameterRule => ({
    ...{ name, default: FIRST_PARAMETERS[name] },
    ...of,
  });
  return [
    rule('voting_period_hours', {
      ...{ type: 'number', unit: 'hours', minimum: test ? SHORTEST_HOURS : 1, maximum: 8760 },
      meaning: 'How long a proposal can be voted on.',
    }),
    rule('quorum_percent', {
      ...{ type: 'integer', unit: 'percent', minimum: 0, maximum: 100 },
      meaning: 'Share of all voting power at the snapshot that has to vote for the result to count.',
    }),
    rule('threshold_percent', {
      ...{ type: 'integer', unit: 'percent', minimum: 0, maximum: 99 },
      meaning: 'A proposal passes where the share of the votes for it is above this.',
    }),
    rule('proposal_threshold', {
      ...{ type: 'tokens', unit: 'tokens', minimum: formatTokens(NO_TOKENS), maximum: formatTokens(MAX_SUPPLY) },
      meaning: 'Balance that a holder needs to make a proposal.',
    }),
    rule('timelock_hours', {
      ...{ type: 'number', unit: 'hours', minimum: 0, maximum: 8760 },
      meaning: 'How long a passed proposal waits before it can be executed.',
    }),
    rule('execution_window_days', {
      ...{ type: 'number', unit: 'days', minimum: test ? SHORTEST_HOURS / 24 : 1, maximum: 365 },
      meaning: 'How long after that it can be executed.',
    }),
    rule('admin_mint', {
      ...{ type: 'boolean', unit: null, minimum: null, maximum: null },
      meaning: 'Whether administrators may mint tokens without a vote. Once false, it stays false.',
    }),
  ];
}

/** The parameters with these changed. Throws `invalid_value` naming each that cannot be, below `parameters`. */
export function changedParameters(
  now: Parameters,
  changes: Readonly<Record<string, unknown>>,
  network: Network,
): Parameters {
  const rules = new Map<string, ParameterRule>(parameterRules(network).map((rule) => [rule.name, rule]));
  const refused = (field: string, message: string) => new DomainError('invalid_value', message, { field });
  if (Object.keys(changes).length === 0)
    throw refused('parameters', `must name at least one of ${[...rules.keys()].join(', ')}, with its new value`);
  // Each problem takes long to make: of many names none is looked at.
  if (Object.keys(changes).length > rules.size)
    throw refused('parameters', `must name at most the ${rules.size} that there are: ${[...rules.keys()].join(', ')}`);
  const problems = Object.entries(changes).flatMap(([name, value]) => {
    const rule = rules.get(name);
    const problem =
      rule === undefined
        ? `is no parameter: there are ${[...rules.keys()].join(', ')}`
        : (problemOf(rule, value) ?? (name === 'admin_mint' && !now.admin_mint && value ? STAYS_FALSE : null));
    return problem === null ? [] : refused(`parameters.${name.slice(0, 100)}`, problem);
  });
  refuseAll(problems);
  const { proposal_threshold: threshold } = changes;
  const exact = typeof threshold === 'string' ? { proposal_threshold: formatTokens(parseTokens(threshold)) } : {};
  return { ...now, ...changes, ...exact };
}

/** Why a DAO cannot begin with these; null where it can. */
export function parametersProblem(changes: Readonly<Record<string, unknown>>, network: Network): string | null {
  if (Object.keys(changes).length === 0) return null;
  try {
    changedParameters(FIRST_PARAMETERS, changes, network);
    return null;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return `${error.details.field}: ${error.message}`;
  }
}

/** With what a DAO begins, where parametersProblem is null. */
export const firstParameters = (changes: Readonly<Record<string, unknown>>, network: Network): Parameters =>
  Object.keys(changes).length === 0 ? FIRST_PARAMETERS : changedParameters(FIRST_PARAMETERS, changes, network);

const STAYS_FALSE = 'is false, and stays false';

/** Why a parameter cannot have the value; null where it can. */
function problemOf({ type, minimum, maximum, unit }: ParameterRule, value: unknown): string | null {
  if (type === 'boolean') return typeof value === 'boolean' ? null : 'must be true or false';
  if (type === 'tokens')
    return typeof value === 'string' ? tokensProblem(value) : 'must be a decimal amount of tokens, as text';
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  if (typeof value !== 'number' || (type === 'integer' && !Number.isInteger(value)))
    return `must be ${kind} of ${unit}, from ${minimum} to ${maximum}`;
  return value >= Number(minimum) && value <= Number(maximum) ? null : `must be from ${minimum} to ${maximum} ${unit}`;
}
