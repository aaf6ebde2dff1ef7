/** How many requests a minute and a day a credential has, by family and tier. The one place where these numbers stand. */
import type { Tier } from '../../store/records.ts';
import type { Credential } from '../requests/request-context.ts';

/** Families that share a bucket: `api` holds A, B, E and what belongs to none. */
export type LimitGroup = 'api' | 'c' | 'd' | 'f' | 'g';
/** Additive classes: such a request counts in its family's bucket and in the class's. */
export type AdditiveClass = 'bulk' | 'voting';
type Family = 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'oauth' | 'service';

export const LIMIT_WINDOW_MS = 60_000;
/** Days of the clock, UTC. */
export const QUOTA_WINDOW_MS = 86_400_000;
/** Failed authentications of one address (an IPv6 network of 64 bits counts as one). */
export const ADDRESS_LIMIT = 1_000;

const GROUP: Record<Family, LimitGroup> = {
  a: 'api',
  b: 'api',
  c: 'c',
  d: 'd',
  e: 'api',
  f: 'f',
  g: 'g',
  oauth: 'api',
  service: 'api',
};

const same = (requests: number): Record<Tier, number> => ({
  free: requests,
  standard: requests,
  pro: requests,
  enterprise: requests,
  custom: requests,
});

/** Requests per minute. Tiers `enterprise` and `custom` may have numbers of their own instead (docs/decisions/1051). */
const REQUESTS: Record<LimitGroup, Record<Tier, number>> = {
  api: same(1_000),
  c: { free: 100, standard: 100, pro: 1_000, enterprise: 1_000, custom: 100 },
  d: same(100),
  f: { free: 100, standard: 100, pro: 1_000, enterprise: 1_000, custom: 100 },
  g: same(100),
};
const ADDITIVE: Record<AdditiveClass, number> = { bulk: 10, voting: 10 };

/** Requests per day, of all families together; null: as many as the minutes let. */
const PER_DAY: Record<Tier, number | null> = {
  free: 50_000,
  standard: 500_000,
  pro: 2_000_000,
  enterprise: null,
  custom: null,
};

/** Tokens of models per minute: of prompts and answers. */
const TOKENS: Record<Tier, number> = {
  free: 20_000,
  standard: 20_000,
  pro: 200_000,
  enterprise: 200_000,
  custom: 20_000,
};

/** Names under which a credential's record may carry numbers of its own. */
export const OWN_LIMITS = [
  'requests_per_minute',
  'bulk_per_minute',
  'voting_per_minute',
  'requests_per_day',
  'ai_tokens_per_minute',
] as const;

export const groupOf = (family: Family): LimitGroup => GROUP[family];

function ownLimit(credential: Pick<Credential, 'tier' | 'limits'>, name: (typeof OWN_LIMITS)[number]): number | null {
  const { tier, limits } = credential;
  return tier === 'custom' || tier === 'enterprise' ? (limits?.[name] ?? null) : null;
}

export const requestsPerMinute = (credential: Pick<Credential, 'tier' | 'limits'>, group: LimitGroup): number =>
  ownLimit(credential, 'requests_per_minute') ?? REQUESTS[group][credential.tier];

export const additivePerMinute = (credential: Pick<Credential, 'tier' | 'limits'>, additive: AdditiveClass): number =>
  ownLimit(credential, `${additive}_per_minute`) ?? ADDITIVE[additive];

export const tokensPerMinute = (credential: Pick<Credential, 'tier' | 'limits'>): number =>
  ownLimit(credential, 'ai_tokens_per_minute') ?? TOKENS[credential.tier];

/** null: no quota. */
export const requestsPerDay = (credential: Pick<Credential, 'tier' | 'limits'>): number | null =>
  ownLimit(credential, 'requests_per_day') ?? PER_DAY[credential.tier];

/** The most that a credential has in any family under a name that its record may carry; null: no bound. */
export function mostOf(
  credential: Pick<Credential, 'tier' | 'limits'>,
  name: (typeof OWN_LIMITS)[number],
): number | null {
  if (name === 'bulk_per_minute') return additivePerMinute(credential, 'bulk');
  if (name === 'voting_per_minute') return additivePerMinute(credential, 'voting');
  if (name === 'ai_tokens_per_minute') return tokensPerMinute(credential);
  if (name === 'requests_per_day') return requestsPerDay(credential);
  const groups = Object.keys(REQUESTS) as LimitGroup[];
  return Math.max(...groups.map((group) => requestsPerMinute(credential, group)));
}
