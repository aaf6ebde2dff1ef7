/** What a credential may do: its role and its scopes must both allow the operation, and the account must not be frozen. */
import { roleReaches, scopeAllows } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import type { Caller } from '../../services/requests/request-context.ts';
import type { Access, Effect } from '../operation.ts';

/** `params` are the path's, as they came. Throws `forbidden`, saying what is missing. */
export function authorize(
  caller: Caller,
  declaration: { access: Access; effect: Effect },
  params: Readonly<Record<string, unknown>> = {},
): void {
  const { access, effect } = declaration;
  if (access === 'public') return;
  const lacks = [
    ...(ownsWhatItNames(caller, access, params) ? [] : lacksOf(caller, access)),
    ...(caller.accountFrozen && effect === 'write' ? ['the account is frozen: it can be read but not changed'] : []),
  ];
  if (lacks.length > 0) throw new DomainError('forbidden', lacks.join('; '));
}

/** All at once, so that whoever asks for more asks once. */
function lacksOf({ platform, credential: { role, scopes } }: Caller, access: Exclude<Access, 'public'>): string[] {
  const lacks: string[] = [];
  if (access.platform && !platform) lacks.push('this is for administrators of the account that runs the service');
  const weak = !roleReaches(role, access.role);
  const shut = !scopeAllows(scopes, access.scope);
  if (weak && shut) {
    const needs = `the role ${access.role} and the scope ${access.scope}`;
    lacks.push(`this needs ${needs}: the credential has the role ${role} and not that scope`);
  } else if (weak) lacks.push(`this needs the role ${access.role}; the credential has ${role}`);
  else if (shut) lacks.push(`this needs the scope ${access.scope}, which the credential does not have`);
  return lacks;
}

/** A person at their own record. */
export function ownsWhatItNames(
  { credential }: Caller,
  access: Exclude<Access, 'public'>,
  params: Readonly<Record<string, unknown>>,
): boolean {
  if (access.own === undefined || credential.kind !== 'person') return false;
  return access.own === true || params[access.own] === credential.id;
}
