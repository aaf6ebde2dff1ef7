/** Which role the operations of a scope ask for, and what follows for a credential that has both. */
import { type Rights, type Role, roleReaches, SCOPE_NOUNS } from './access.ts';

/** The write scope of what is never written opens what is read. */
export function leastRole(scope: string): Role {
  const [noun = '', verb] = scope.split(':');
  const { read = 'viewer', write = 'operator' } = SCOPE_NOUNS[noun] ?? {};
  return verb === 'read' ? read : (write ?? read);
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
