/** Changes of who may decide: which of them wait for approvals where `policy_change` is set, and what is read by whoever approves one. */

import type { z } from 'zod';
import { type Rights, roleReaches, scopeAllows } from '../access.ts';
import { canonicalJson } from '../audit-log/canonical-json.ts';
import { DomainError } from '../errors.ts';
import type { SIGNS } from './signs-text.ts';

type May = Pick<Rights, 'role' | 'scopes'>;

/** Scopes of what changes who may decide, or by which rules. */
export const DECIDING_SCOPES = [
  'address-book:write',
  'api-keys:write',
  'approvals:write',
  'oauth-clients:write',
  'policies:write',
  'signing-keys:write',
  'users:write',
];

/** Whether it may vote on approvals at all; which ones, `mayApprove` says (requirements.ts). */
export const canVote = ({ role, scopes }: May): boolean =>
  roleReaches(role, 'operator') && scopeAllows(scopes, 'approvals:write');

/** Whether it may ask for anything that could have to be approved. */
const mayAsk = ({ role, scopes }: May): boolean =>
  roleReaches(role, 'operator') && scopes.some((scope) => scope === '*' || scope.endsWith(':write'));

/**
 * Whether giving somebody these rights waits for approval. Under another voice it does even where they only ask: one person would ask as one
 * voice and approve as the other. Under one's own voice nobody can approve what the same person asked for.
 */
export const addsVoice = (rights: May, { own }: { readonly own: boolean }): boolean =>
  own ? canVote(rights) : mayAsk(rights);

export type RulesChangeText = z.infer<(typeof SIGNS)['rules_change']>;

/** Not shown: what differs each time that the same is done, what follows from the rest, and the place of a rule, which decides nothing. */
const NOT_SHOWN = new Set([
  ...['account_id', 'address_book_id', 'api_key_id', 'client_id', 'group_id', 'list_id', 'policy_id', 'user_id'],
  ...['active', 'created_at', 'effective_at', 'last_login_at', 'last_used_at', 'missing', 'overlap_ends_at'],
  ...['position', 'prefix', 'previous_secret_until', 'proof_message', 'updated_at', 'version'],
]);

/** UTF-16 code units: what people read, sign the digest of, and take in exports. */
const MAX_TEXT = 256 * 1024;

/** `before` and `after` as they are answered. Throws `too_large` where nobody could read it. */
export function rulesChangeText(change: {
  readonly target: string | null;
  readonly before: object | null;
  readonly after: object | null;
  readonly proposal?: RulesChangeText['proposal'];
}): RulesChangeText {
  const shown = (record: object | null) =>
    record && Object.fromEntries(Object.entries(jsonOf(record)).filter(([name]) => !NOT_SHOWN.has(name)));
  const { target, before, after, proposal } = change;
  return {
    ...{ kind: 'rules_change', target, before: shown(before), after: shown(after) },
    ...(proposal === undefined ? {} : { proposal }),
  };
}

/** Without members that are undefined. */
function jsonOf(record: object): object {
  const text = JSON.stringify(record);
  if (text.length <= MAX_TEXT) return JSON.parse(text);
  throw new DomainError(
    'too_large',
    'it waits for approval, and is more than anybody reads: ask for it in smaller parts',
  );
}

export const sameChange = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other);
