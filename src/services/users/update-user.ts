import type { Rights } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import { addsVoice } from '../../core/policies/rules-change.ts';
import { foldLoginName } from '../../core/users/login-name.ts';
import { checkNewPassword } from '../../core/users/password-rules.ts';
import type { UserPatch, UserRecord } from '../../store/repositories/users.ts';
import type { Repositories } from '../../store/store.ts';
import { assertMayChange, assertToCome, grantedRights, type RequestedRights } from '../credentials/grants.ts';
import { hadByUser, rightsOfUser } from '../credentials/rights.ts';
import { ownVoice, type RulesChange } from '../policies/pass-change.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { Credential, RequestContext } from '../requests/request-context.ts';
import { loginNames } from './create-user.ts';
import { setBy } from './password-resets.ts';
import { onRightsIncrease } from './rights-increase.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { noUser, userOf } from './user-of.ts';

/** The record as it is to be. Undefined members of what only an administrator gives stay as they are for the person themselves. */
export interface UserUpdate extends Omit<RequestedRights, 'scopes' | 'limits' | 'requireSignature'> {
  /** What is undefined stays as it is when it is written; else an administrator's is refused, empty or its default. */
  readonly keeps?: true;
  readonly scopes?: readonly string[] | undefined;
  readonly username?: string | undefined;
  readonly email?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly disabled?: boolean | undefined;
  /** A new one; undefined leaves it. */
  readonly password?: string | undefined;
  /** What a person proves with that their new password is theirs to set. */
  readonly currentPassword?: string | undefined;
}

/**
 * Puts the record given in the place of the one there is. Users change their own name and password and nothing else of themselves,
 * whatever their role: so no administrator locks out the last one, and nobody takes an address that is not theirs.
 */
export const updateUser =
  (deps: UserDependencies) =>
  (userId: string, update: UserUpdate, context: RequestContext): Promise<UserRecord> => {
    const { credential } = context;
    const themselves = credential.kind === 'person' && credential.id === userId;
    return themselves ? updateOwn(deps, update, context) : updateAsAdministrator(deps, userId, update, context);
  };

async function updateOwn(deps: UserDependencies, update: UserUpdate, context: RequestContext): Promise<UserRecord> {
  const { store, clock } = deps;
  const { accountId, credential } = context;
  const before = await store.read.users.find(accountId, credential.id);
  if (before === null) throw noUser();
  assertNothingElse(before, update);
  const passwordHash = update.password === undefined ? undefined : await newOwnPassword(deps, before, update, context);
  return store.write(async (tx) => {
    const user = await userOf(tx, accountId, before.userId);
    if (user.passwordHash !== before.passwordHash) {
      throw new DomainError('state_conflict', 'the password was changed by another request meanwhile', {
        field: 'password',
      });
    }
    const at = clock();
    const { name = update.keeps ? user.name : null } = update;
    const patch: UserPatch = {
      name,
      updatedAt: at,
      ...(passwordHash === undefined ? {} : { passwordHash, passwordChangedAt: at }),
    };
    if (passwordHash !== undefined) await endOthers(tx, user, at, credential.sessionId ?? null);
    return change(tx, user, patch, context, null);
  });
}

const sorted = (list: readonly string[] | null | undefined) => list && JSON.stringify([...list].sort());

/** What is for another administrator to change, by its name on the wire: what it is, and what it is to be. */
const OTHERS: Readonly<Record<string, (user: UserRecord, update: UserUpdate) => readonly [unknown, unknown]>> = {
  username: (user, update) => [user.username, update.username],
  email: (user, update) => [user.email, update.email],
  role: (user, update) => [user.role, update.role],
  scopes: (user, update) => [sorted(user.scopes), sorted(update.scopes)],
  tier: (user, update) => [user.tier, update.tier],
  expires_at: (user, update) => [user.expiresAt, update.expiresAt],
  allowed_ips: (user, update) => [sorted(user.allowedIps), sorted(update.allowedIps)],
  may_grant: (user, update) => [user.mayGrant, update.mayGrant],
  disabled: (user, update) => [user.disabledAt !== null, update.disabled],
};

function differs(field: string, user: UserRecord, update: UserUpdate): boolean {
  const [is, toBe] = OTHERS[field]!(user, update);
  return toBe !== undefined && toBe !== is;
}

/** Sending the record back as it was read is no change. */
function assertNothingElse(user: UserRecord, update: UserUpdate): void {
  for (const field of Object.keys(OTHERS)) {
    if (!differs(field, user, update)) continue;
    throw new DomainError('forbidden', `your own ${field} is for another administrator to change`, { field });
  }
}

async function newOwnPassword(
  { passwords, throttle }: UserDependencies,
  user: UserRecord,
  { password = '', currentPassword }: UserUpdate,
  context: RequestContext,
): Promise<string> {
  const field = 'current_password';
  if (user.passwordHash === null) {
    throw new DomainError('forbidden', 'a first password is set with a one-time link: ask an administrator for one', {
      field: 'password',
    });
  }
  if (currentPassword === undefined) {
    throw new DomainError('invalid_value', 'current_password is missing: a new password needs the one it replaces', {
      field,
      reason: 'is missing',
    });
  }
  checkNewPassword(password, user, 'password');
  const attempt = await throttle.begin(foldLoginName(user.username), context.facts.remoteAddress);
  const checked = await passwords.verify(currentPassword, user.passwordHash, context).catch(async (error: unknown) => {
    await attempt.withdraw();
    throw error;
  });
  if (!checked.right) {
    await attempt.failed();
    throw new DomainError('forbidden', 'current_password is wrong', { field });
  }
  await attempt.withdraw();
  return passwords.hash(password, context);
}

async function updateAsAdministrator(
  deps: UserDependencies,
  userId: string,
  update: UserUpdate,
  context: RequestContext,
): Promise<UserRecord> {
  const { store, passwords, clock } = deps;
  const { accountId, credential } = context;
  const { password } = update;
  if (!update.keeps) wholeUpdate(update);
  const before = await store.read.users.find(accountId, userId);
  const account = await store.read.accounts.find(accountId);
  if (account === null || before === null || before.deletedAt !== null) throw noUser();
  assertToCome(update.expiresAt, clock());
  /** What the person is to have, where the caller may change them and give it. */
  const granted = (user: UserRecord): Rights => {
    assertMayChange(credential, hadByUser(user));
    const { expiresAt = user.expiresAt, allowedIps = user.allowedIps, mayGrant = user.mayGrant } = update;
    const { role, scopes, tier } = wholeUpdate(update, user);
    return grantedRights({ role, scopes, tier, expiresAt, allowedIps, mayGrant }, account, credential, 'required');
  };
  granted(before);
  const { username, email } = wholeUpdate(update, before);
  if (password !== undefined) checkNewPassword(password, { username, email }, 'password');
  const passwordHash = password === undefined ? undefined : await passwords.hash(password, context);
  return store.write(async (tx) => {
    const user = await userOf(tx, accountId, userId);
    const rights = granted(user);
    const { username, email, name, role, scopes, disabled } = wholeUpdate(update, user);
    const { expiresAt, allowedIps, mayGrant } = rights;
    const at = clock();
    const names = loginNames({ username, email });
    const held = loginNames(user);
    const renamed = names.username !== held.username || names.email !== held.email;
    if (renamed) await tx.users.setLoginNames(accountId, userId, names);
    // Who had the former address does not sign on by it any more.
    if (names.email !== held.email) await tx.sso.deleteIdentities(accountId, userId);
    if (disabled) {
      await tx.sessions.endAll(accountId, userId, at, 'disabled');
      await tx.passwordResets.deleteAll(accountId, userId);
    }
    if (passwordHash !== undefined) await endOthers(tx, user, at, null);
    const widened = await onRightsIncrease(deps, tx, user, rights, context);
    // An address that this request leaves as somebody lesser may have set it would open single sign-on.
    const dropsEmail = 'setByRights' in widened && names.email === held.email && held.email !== null;
    if (dropsEmail) await tx.users.setLoginNames(accountId, userId, { ...names, email: null });
    const keepsEmail = names.email === held.email && !dropsEmail;
    if (!keepsEmail && held.email !== null)
      await tx.emailConfirmations.update({ accountId, email: held.email }, { digest: null });
    const patch: UserPatch = {
      username,
      email: dropsEmail ? null : email,
      emailVerifiedAt: keepsEmail ? user.emailVerifiedAt : null,
      name,
      role,
      scopes,
      tier: rights.tier,
      expiresAt,
      allowedIps,
      mayGrant,
      disabledAt: disabled ? (user.disabledAt ?? at) : null,
      updatedAt: at,
      ...(renamed || passwordHash !== undefined ? setBy(user, context) : {}),
      ...widened,
      ...(passwordHash === undefined ? {} : { passwordHash, passwordChangedAt: at }),
    };
    return change(tx, user, patch, context, await changeOf(tx, user, { ...user, ...patch }, { update, credential }));
  });
}

/** The record as an administrator wants it. */
function wholeUpdate(update: UserUpdate, user?: UserRecord) {
  const kept = update.keeps && user;
  const { username = kept?.username, role = kept?.role, scopes = kept?.scopes, tier = kept?.tier } = update;
  const { disabled = kept ? kept.disabledAt !== null : false } = update;
  const { email = kept ? kept.email : null, name = kept ? kept.name : null } = update;
  if (username === undefined || role === undefined || scopes === undefined) {
    const field = username === undefined ? 'username' : role === undefined ? 'role' : 'scopes';
    throw new DomainError('invalid_value', `${field} is missing: PUT takes the whole record`, {
      field,
      reason: 'is missing',
    });
  }
  return { username, email, name, role, scopes, tier, disabled };
}

/** How it changes who may decide; null where it does not, or does nothing but disable. */
async function changeOf(
  tx: Repositories,
  before: UserRecord,
  after: UserRecord,
  { update: { password }, credential }: { readonly update: UserUpdate; readonly credential: Credential },
): Promise<RulesChange | null> {
  const { accountId, userId: id } = before;
  const own = ownVoice(credential) === id;
  const [had, has] = [before, after].map((user) => addsVoice(rightsOfUser(user), { own }));
  if (!had && !has) return null;
  const disables = after.disabledAt !== null && password === undefined;
  const shown = { ...after, disabled: after.disabledAt !== null };
  if (disables && Object.keys(OTHERS).every((field) => field === 'disabled' || !differs(field, before, shown)))
    return null;
  // Whoever enrolled one of these has this voice: it is for the approvers to ask the person whether they did.
  const { data: keys } = await tx.signingKeys.page(
    accountId,
    { owner: { kind: 'person', id }, revoked: false },
    { limit: 1_000, offset: 0 },
  );
  const { passwordChangedAt: at } = before;
  const besides = {
    signing_keys: keys.map(({ keyId }) => keyId).sort(),
    password_changed_at: at === null ? null : new Date(at).toISOString(),
  };
  return { before, after, besides, gains: password === undefined ? {} : { password: 'a new one' } };
}

/** A new password ends what the old one opened, one-time links too. */
async function endOthers(tx: Repositories, user: UserRecord, at: number, except: string | null): Promise<void> {
  await tx.sessions.endAll(user.accountId, user.userId, at, 'password', except);
  await tx.passwordResets.deleteAll(user.accountId, user.userId);
}

async function change(
  tx: Repositories,
  user: UserRecord,
  patch: UserPatch,
  context: RequestContext,
  change: RulesChange | null,
): Promise<UserRecord> {
  await tx.users.update(user.accountId, user.userId, patch);
  const changed: UserRecord = { ...user, ...patch };
  await recordRequest(tx, context, { result: changed, target: user.userId, change });
  return changed;
}
