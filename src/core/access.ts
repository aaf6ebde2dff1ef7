/** What a credential may do: its role, its scopes and its tier, and what each of them reaches. */

import { closestName } from './closest-name.ts';

/** Each role may do what those before it may. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export const TIERS = ['free', 'standard', 'pro', 'enterprise', 'custom'] as const;
export type Tier = (typeof TIERS)[number];

/** `<plural noun>:read|write`, or `*` for all. */
export const SCOPE_FORM = /^(\*|[a-z][a-z0-9-]{0,62}:(read|write))$/;

/**
 * What operations work on, as their scopes name it, with the least role that opens anything with each scope: viewer to read and operator to
 * write, unless said. null: nothing of it is written. `covers`: what else the scope opens.
 */
export const SCOPE_NOUNS: Readonly<
  Record<string, { readonly read?: Role; readonly write?: Role | null; readonly covers?: readonly string[] }>
> = {
  accounts: { write: 'admin' },
  'address-book': {},
  addresses: {},
  ai: { write: 'viewer' },
  'ai-budgets': { read: 'operator', write: 'admin', covers: ['account-ai-budget'] },
  analytics: {},
  'api-keys': {},
  approvals: { read: 'operator' },
  auth: { write: 'viewer' },
  bitcoin: { write: null },
  blockchain: {},
  blocks: {},
  compliance: { read: 'operator' },
  connections: { read: 'admin', write: 'admin' },
  contracts: {},
  descriptors: { write: null },
  dlc: { write: null },
  fees: { write: null },
  governance: {},
  headers: { write: null },
  idempotency: { write: null },
  mempool: { write: null },
  'merkle-proofs': { write: null },
  messages: {},
  metrics: {},
  mobile: { write: 'viewer' },
  networks: { covers: ['network'] },
  notifications: { write: 'viewer' },
  'oauth-clients': { write: 'admin' },
  oracles: {},
  policies: { read: 'operator', write: 'admin', covers: ['groups', 'enterprise'] },
  psbts: {},
  questions: { write: null },
  replays: { read: 'operator' },
  scripts: { write: null },
  'signing-keys': {},
  taproot: {},
  transactions: { covers: ['transaction'] },
  uris: { write: null },
  usage: { read: 'operator', write: null },
  users: { read: 'admin', write: 'admin', covers: ['user'] },
  wallets: {},
  webhooks: {},
};
const NAMES = Object.keys(SCOPE_NOUNS);

/** Why there is no such scope, naming the one that may be meant; null if there is. */
export function scopeProblem(scope: string): string | null {
  const [noun = '', verb = '', ...more] = scope.split(':');
  if (scope === '*' || (SCOPE_FORM.test(scope) && NAMES.includes(noun))) return null;
  if (scope.length > MAX_LIST_LENGTH) return FORM;
  const parts = scope.trim().split(SEPARATORS);
  if (parts.length > 1 && parts.every((part) => SCOPE_FORM.test(part)))
    return `must be one scope: give each as a member of the list, ${JSON.stringify(parts)}`;
  const near = more.length > 0 ? null : (nearScope(noun, verb) ?? nearScope(verb, noun));
  if (near !== null) return `${scope} is not a scope: did you mean ${near}?`;
  return SCOPE_FORM.test(scope)
    ? `${scope} is not a scope: before the colon it must have one of ${NAMES.join(', ')}`
    : FORM;
}

/** What several scopes in one text are parted by. */
const SEPARATORS = /\s*,\s*|\s+/;
const MAX_LIST_LENGTH = 1_000;
const FORM = 'must look like wallets:read or wallets:write, or be * for all';

function nearScope(noun: string, verb: string): string | null {
  const [knownNoun, knownVerb] = [closestName(noun.trim(), NAMES), closestName(verb.trim(), ['read', 'write'])];
  return knownNoun === null || knownVerb === null ? null : `${knownNoun}:${knownVerb}`;
}

/** custom is enterprise with limits of its own, not more. */
const TIER_RANK: Record<Tier, number> = { free: 0, standard: 1, pro: 2, enterprise: 3, custom: 3 };

export const roleReaches = (role: Role, wanted: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(wanted);

export const tierReaches = (tier: Tier, wanted: Tier): boolean => TIER_RANK[tier] >= TIER_RANK[wanted];

/** What a credential may do, from where and how long. For a token it is its person's or client's record, and the token's scopes. */
export interface Rights {
  readonly role: Role;
  readonly scopes: readonly string[];
  readonly tier: Tier;
  /** Limits of its own (tiers custom and enterprise), by name: `requests_per_minute`, … */
  readonly limits: Readonly<Record<string, number>> | null;
  /** When it ends by itself, epoch milliseconds; null: never. */
  readonly expiresAt: number | null;
  /** Addresses and CIDR blocks; null: from anywhere. */
  readonly allowedIps: readonly string[] | null;
  /** False only where an administrator issued it so under SIGNATURE_POLICY=per-key. */
  readonly requireSignature: boolean;
  /** It may give what goes beyond itself, and this. */
  readonly mayGrant: boolean;
  /** What it may spend on models is bounded: only with may_grant it gives what is not. */
  readonly budgeted?: boolean;
}

/** Whether a credential of this tier may have limits of its own. */
export const hasOwnLimits = (tier: Tier): boolean => tier === 'enterprise' || tier === 'custom';

/** `*` is all; `wallets:write` lets read too. */
export function scopeAllows(scopes: readonly string[], wanted: string): boolean {
  if (scopes.includes('*') || scopes.includes(wanted)) return true;
  return wanted.endsWith(':read') && scopes.includes(`${wanted.slice(0, -':read'.length)}:write`);
}

/** What both lists of scopes allow. */
export function narrowScopes(one: readonly string[], other: readonly string[]): string[] {
  const both = [
    ...one.filter((scope) => scopeAllows(other, scope)),
    ...other.filter((scope) => scopeAllows(one, scope)),
  ];
  return [...new Set(both)];
}
