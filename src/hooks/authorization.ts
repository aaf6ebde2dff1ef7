/** What a credential may do: its role and its scopes must both allow the operation. */
import { DomainError } from '../core/errors.ts';
import type { Caller } from '../services/requests/request-context.ts';
import type { Role } from '../store/records.ts';
import type { Access, Effect } from './operation.ts';

const RANK: Record<Role, number> = { viewer: 0, operator: 1, admin: 2 };

/** `*` is all; `wallets:write` lets read too. */
export function scopeAllows(scopes: readonly string[], wanted: string): boolean {
  if (scopes.includes('*') || scopes.includes(wanted)) return true;
  return wanted.endsWith(':read') && scopes.includes(`${wanted.slice(0, -':read'.length)}:write`);
}

/** Throws `forbidden`, saying what is missing. */
export function authorize(caller: Caller, declaration: { access: Access; effect: Effect }): void {
  const { access, effect } = declaration;
  if (access === 'public') return;
  const { role, scopes } = caller.credential;
  if (RANK[role] < RANK[access.role]) {
    throw new DomainError('forbidden', `this needs the role ${access.role}; the credential has ${role}`);
  }
  if (!scopeAllows(scopes, access.scope)) {
    throw new DomainError('forbidden', `this needs the scope ${access.scope}, which the credential does not have`);
  }
  if (caller.accountFrozen && effect === 'write') {
    throw new DomainError('forbidden', 'the account is frozen: it can be read but not changed');
  }
}
