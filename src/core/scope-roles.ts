/** Which role the operations of a scope ask for, and what follows for a credential that has both. */
import { type Rights, type Role, roleReaches } from './access.ts';

/** The least role with which a scope opens anything, where that is not viewer to read and operator to write. */
const MIN_ROLE: Readonly<Record<string, Role>> = {
  'accounts:write': 'admin',
  'auth:write': 'viewer',
  'compliance:read': 'operator',
  'oauth-clients:write': 'admin',
  'users:read': 'admin',
  'users:write': 'admin',
};

const MIN_TO_WRITE: Role = 'operator';

/** Nothing of these is written: their write scope opens what is read. */
export const ONLY_READ: readonly string[] = [
  ...['bitcoin', 'blockchain', 'descriptors', 'dlc', 'fees', 'headers', 'idempotency', 'mempool', 'merkle-proofs'],
  ...['scripts', 'uris'],
];

export function leastRole(scope: string): Role {
  if (scope === '*') return MIN_TO_WRITE;
  const [noun = '', verb] = scope.split(':');
  if (verb === 'write' && ONLY_READ.includes(noun)) return leastRole(`${noun}:read`);
  return MIN_ROLE[scope] ?? (verb === 'write' ? MIN_TO_WRITE : 'viewer');
}

/** What of its scopes a role cannot use, in words: nothing of it is refused, since a role may be raised later. */
export function scopeWarnings({ role, scopes }: Pick<Rights, 'role' | 'scopes'>): string[] {
  const beyond = new Map<string, string[]>();
  for (const scope of scopes) {
    const needed = leastRole(scope);
    if (roleReaches(role, needed)) continue;
    const reads =
      scope === '*' || (scope.endsWith(':write') && roleReaches(role, leastRole(scope.replace(/write$/, 'read'))));
    const what = reads
      ? `can only read with the role ${role}: to write needs`
      : `does nothing with the role ${role}: it needs`;
    const key = `${what} the role ${needed}`;
    beyond.set(key, [...(beyond.get(key) ?? []), scope]);
  }
  return [...beyond].map(([what, which]) => `${which.join(', ')} ${what}`);
}

/** Besides, that nothing can be written without a key to sign with. `keyless` names what has none; null where there is one. */
export function credentialWarnings(
  rights: Pick<Rights, 'role' | 'scopes' | 'requireSignature'>,
  keyless: 'client' | 'user' | null,
): string[] {
  const writes = rights.scopes.some((scope) => scope === '*' || scope.endsWith(':write'));
  if (keyless === null || !writes || !rights.requireSignature) return scopeWarnings(rights);
  return [
    `made without public_key, this ${keyless} can only read: whatever modifies is signed by a key that is enrolled for it ` +
      '(an administrator enrols one later by POST /api/v1/signing-keys)',
    ...scopeWarnings(rights),
  ];
}
