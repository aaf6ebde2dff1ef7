/** The operations that make, change or end credentials and people. One that is declared later is found by its form, or by what it writes. */
import type { AnyOperation } from '../../src/hooks/operation.ts';
import type { KeyOwner } from '../../src/store/repositories/signing-keys.ts';

interface RightsOperation {
  /** changes: opens a way in. ends: takes away alone. freezes: whole accounts, by administrators of the platform. */
  readonly does: 'makes' | 'changes' | 'ends' | 'freezes';
  readonly kinds: readonly KeyOwner['kind'][];
}

const ALL = ['api_key', 'oauth_client', 'person'] as const;
export const RIGHTS_OPERATIONS: Readonly<Record<string, RightsOperation>> = {
  'api-key.create': { does: 'makes', kinds: ['api_key'] },
  'api-key.rotate': { does: 'changes', kinds: ['api_key'] },
  'api-key.revoke': { does: 'ends', kinds: ['api_key'] },
  'ai-budget.replace': { does: 'changes', kinds: ['api_key'] },
  'oauth-client.create': { does: 'makes', kinds: ['oauth_client'] },
  'oauth-client.rotate': { does: 'changes', kinds: ['oauth_client'] },
  'oauth-client.revoke': { does: 'ends', kinds: ['oauth_client'] },
  'signing-key.create': { does: 'changes', kinds: ALL },
  'signing-key.revoke': { does: 'ends', kinds: ALL },
  'user.create': { does: 'makes', kinds: ['person'] },
  'user.update': { does: 'changes', kinds: ['person'] },
  'user.delete': { does: 'ends', kinds: ['person'] },
  'user-resource.create': { does: 'makes', kinds: ['person'] },
  'user-resource.update': { does: 'changes', kinds: ['person'] },
  'user-resource.delete': { does: 'ends', kinds: ['person'] },
  'user-password.reset': { does: 'changes', kinds: ['person'] },
  'user-totp.remove': { does: 'changes', kinds: ['person'] },
  'user-session.end': { does: 'ends', kinds: ['person'] },
  'account.create': { does: 'makes', kinds: ['api_key'] },
  'account.freeze': { does: 'freezes', kinds: [] },
  'account.unfreeze': { does: 'freezes', kinds: [] },
};

/** Tables that hold who may do what, and by what they show it. Accounts count their payments, too: they are known by the form. */
export const RIGHTS_TABLES =
  /^(api_keys|oauth_clients|users|login_names|recovery_codes|sessions|refresh_tokens|password_resets|sso_identities|signing_keys)$/;

const SUBJECTS = /\{(account_id|api_key_id|client_id|user_id|session_id|key_id)\}/;
const FIELDS =
  /"(scopes|may_grant|allowed_ips|credential|api_key|client_secret|private_key|reset_token|recovery_codes)":/;

const CONNECTIONS = /^\/api\/v1\/enterprise\/connect(ions\/|$)/;

/** An approval tells whose key voted. */
const VOTES = /^\/api\/v1\/enterprise\/approvals\//;

/** By its form. What is public is guarded by what it is given; what is one's own works on nobody else. */
export function changesRights({ effect, access, path, body, success }: AnyOperation): boolean {
  if (effect !== 'write' || access === 'public' || access.own === true) return false;
  // What a connection presents elsewhere opens nothing here.
  if (CONNECTIONS.test(path) || VOTES.test(path)) return false;
  return SUBJECTS.test(path) || FIELDS.test(fieldsOf(body)) || FIELDS.test(fieldsOf(success.schema));
}

/** The names that a schema's fields have, wherever they stand. */
function fieldsOf(schema: unknown, seen = new Set<unknown>()): string {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return '';
  seen.add(schema);
  const { shape, def } = schema as { shape?: object; def?: object };
  const names = Object.keys(shape ?? {}).map((name) => `"${name}":`);
  const inner = [...Object.values(shape ?? {}), ...Object.values(def ?? {}).flat()];
  return [...names, ...inner.map((one) => fieldsOf(one, seen))].join('');
}
