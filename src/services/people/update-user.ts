import { DomainError } from '../../core/errors.ts';
import { foldLoginName } from '../../core/people/login-name.ts';
import { checkNewPassword } from '../../core/people/password-rules.ts';
import type { UserPatch, UserRecord } from '../../store/interfaces/users.ts';
import type { Role, Tier } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import { assertMayGrant, assertMayTouch, assertTierWithin } from '../credentials/grants.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { loginNames } from './create-user.ts';
import { assertMayTakeOver } from './password-resets.ts';
import type { PeopleDependencies } from './people-dependencies.ts';
import { noUser, userOf } from './user-of.ts';

/** The record as it is to be. Undefined members of what only an administrator gives stay as they are for the person themselves. */
export interface UserUpdate {
  readonly username?: string | undefined;
  readonly email?: string | null | undefined;
  readonly name: string | null;
  readonly role?: Role | undefined;
  readonly scopes?: string[] | undefined;
  readonly tier?: Tier | undefined;
  readonly disabled?: boolean | undefined;
  /** A new one; undefined leaves it. */
  readonly password?: string | undefined;
  /** What a person proves with that their new password is theirs to set. */
  readonly currentPassword?: string | undefined;
}

/**
 * Puts the record given in the place of the one there is. People change their own name and password and nothing else of themselves,
 * whatever their role: so no administrator locks out the last one, and nobody takes an address that is not theirs.
 */
export const updateUser =
  (deps: PeopleDependencies) =>
  (userId: string, update: UserUpdate, context: RequestContext): Promise<UserRecord> => {
    const { credential } = context;
    const themselves = credential.kind === 'person' && credential.id === userId;
    return themselves ? updateOwn(deps, update, context) : updateAsAdministrator(deps, userId, update, context);
  };

async function updateOwn(deps: PeopleDependencies, update: UserUpdate, context: RequestContext): Promise<UserRecord> {
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
    const patch: UserPatch = {
      name: update.name,
      updatedAt: at,
      ...(passwordHash === undefined ? {} : { passwordHash, passwordChangedAt: at }),
    };
    if (passwordHash !== undefined) await endOthers(tx, user, at, credential.sessionId ?? null);
    return change(tx, user, patch, context);
  });
}

const OWN: Readonly<
  Record<'username' | 'email' | 'role' | 'scopes' | 'tier' | 'disabled', (user: UserRecord) => unknown>
> = {
  username: (user) => user.username,
  email: (user) => user.email,
  role: (user) => user.role,
  scopes: (user) => JSON.stringify([...user.scopes].sort()),
  tier: (user) => user.tier,
  disabled: (user) => user.disabledAt !== null,
};

/** Sending the record back as it was read is no change. */
function assertNothingElse(user: UserRecord, update: UserUpdate): void {
  for (const field of Object.keys(OWN) as (keyof typeof OWN)[]) {
    const given = field === 'scopes' && update.scopes ? JSON.stringify([...update.scopes].sort()) : update[field];
    if (given === undefined || given === OWN[field](user)) continue;
    throw new DomainError('forbidden', `your own ${field} is for another administrator to change`, { field });
  }
}

async function newOwnPassword(
  { passwords, throttle }: PeopleDependencies,
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
  const checked = await passwords.verify(currentPassword, user.passwordHash).catch(async (error: unknown) => {
    await attempt.withdraw();
    throw error;
  });
  if (!checked.right) {
    await attempt.failed();
    throw new DomainError('forbidden', 'current_password is wrong', { field });
  }
  await attempt.withdraw();
  return passwords.hash(password);
}

async function updateAsAdministrator(
  deps: PeopleDependencies,
  userId: string,
  update: UserUpdate,
  context: RequestContext,
): Promise<UserRecord> {
  const { store, passwords, clock } = deps;
  const { accountId, credential } = context;
  const { username, email = null, name, role, scopes, tier = 'standard', disabled = false, password } = update;
  if (username === undefined || role === undefined || scopes === undefined) {
    const field = username === undefined ? 'username' : role === undefined ? 'role' : 'scopes';
    throw new DomainError('invalid_value', `${field} is missing: PUT takes the whole record`, {
      field,
      reason: 'is missing',
    });
  }
  const before = await store.read.users.find(accountId, userId);
  if (before === null || before.deletedAt !== null) throw noUser();
  assertMayTouch(credential, before);
  assertMayGrant(credential, { role, scopes });
  if (password !== undefined) {
    assertMayTakeOver(context, before);
    checkNewPassword(password, { username, email }, 'password');
  }
  const passwordHash = password === undefined ? undefined : await passwords.hash(password);
  return store.write(async (tx) => {
    const user = await userOf(tx, accountId, userId);
    assertMayTouch(credential, user);
    const account = await tx.accounts.find(accountId);
    if (account !== null) assertTierWithin(account, tier);
    const at = clock();
    const names = loginNames({ username, email });
    const held = loginNames(user);
    // Whose the new address is signs on as them.
    if (names.email !== held.email) assertMayTakeOver(context, user);
    if (names.username !== held.username || names.email !== held.email) {
      await tx.users.setLoginNames(accountId, userId, names);
    }
    if (disabled) {
      await tx.sessions.endAll(accountId, userId, at, 'disabled');
      await tx.passwordResets.deleteAll(accountId, userId);
    }
    if (passwordHash !== undefined) await endOthers(tx, user, at, null);
    const patch: UserPatch = {
      username,
      email,
      name,
      role,
      scopes,
      tier,
      disabledAt: disabled ? (user.disabledAt ?? at) : null,
      updatedAt: at,
      ...(passwordHash === undefined ? {} : { passwordHash, passwordChangedAt: at }),
    };
    return change(tx, user, patch, context);
  });
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
): Promise<UserRecord> {
  await tx.users.update(user.accountId, user.userId, patch);
  const changed: UserRecord = { ...user, ...patch };
  await recordRequest(tx, context, { result: changed, target: user.userId });
  return changed;
}
