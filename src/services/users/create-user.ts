import { DomainError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import { addsVoice } from '../../core/policies/rules-change.ts';
import { foldLoginName, usernameOf } from '../../core/users/login-name.ts';
import { checkNewPassword } from '../../core/users/password-rules.ts';
import type { LoginNames, UserRecord } from '../../store/repositories/users.ts';
import { assertToCome, grantedRights, type RequestedRights } from '../credentials/grants.ts';
import { reachOf } from '../credentials/rights.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { newResetLink, type ResetLink } from './password-resets.ts';
import type { UserDependencies } from './user-dependencies.ts';

export interface NewUser extends Omit<RequestedRights, 'limits' | 'requireSignature'> {
  /** null: made of the e-mail address. */
  readonly username: string | null;
  readonly email: string | null;
  readonly name: string | null;
  /** null: the person is invited by a one-time link. */
  readonly password: string | null;
  /** A public JWK whose signatures the person signs with; null: none. */
  readonly publicKey: unknown;
  readonly disabled: boolean;
}

export interface CreatedUser {
  readonly user: UserRecord;
  /** A public key was enrolled with the user. */
  readonly signs: boolean;
  readonly invitation: ResetLink | null;
}

export const loginNames = (user: Pick<UserRecord, 'username' | 'email'>): LoginNames => ({
  username: foldLoginName(user.username),
  email: user.email === null ? null : foldLoginName(user.email),
});

/** What people have where nothing is said. */
const USUAL_ROLE = 'viewer';

/** Throws `already_exists` where username or e-mail address is taken anywhere in the service, `forbidden` for too high a grant. */
export const createUser =
  (deps: UserDependencies) =>
  async (given: NewUser, context: RequestContext): Promise<CreatedUser> => {
    const { store, passwords, signingKeys, clock, randomBytes } = deps;
    const { accountId, credential } = context;
    const { email, name, password, publicKey, disabled } = given;
    const username = given.username ?? usernameOf(email ?? '');
    const account = await store.read.accounts.find(accountId);
    if (account === null) throw new DomainError('not_found', 'the account is gone');
    const asked = { ...given, role: given.role ?? USUAL_ROLE };
    assertToCome(given.expiresAt, clock());
    const rights = grantedRights(asked, account, credential, 'required');
    const { role, scopes, tier, expiresAt, allowedIps, mayGrant } = rights;
    if (password !== null) checkNewPassword(password, { username, email }, 'password');
    const passwordHash = password === null ? null : await passwords.hash(password, context);
    const at = clock();
    const user: UserRecord = {
      userId: newId('usr', randomBytes),
      accountId,
      username,
      email,
      emailVerifiedAt: null,
      name,
      role,
      scopes,
      tier,
      expiresAt,
      allowedIps,
      mayGrant,
      hadRights: rights,
      setByRights: reachOf(credential),
      passwordHash,
      passwordChangedAt: passwordHash === null ? null : at,
      totpSecret: null,
      totpConfirmedAt: null,
      totpLastStep: 0,
      disabledAt: disabled ? at : null,
      deletedAt: null,
      lastLoginAt: null,
      createdAt: at,
      updatedAt: at,
    };
    const invitation = passwordHash === null && !disabled ? newResetLink(deps, user) : null;
    const created: CreatedUser = { user, signs: publicKey !== null, invitation: invitation?.reset ?? null };
    await store.write(async (tx) => {
      await tx.users.insert(user, loginNames(user));
      await invitation?.store(tx);
      const owner = { accountId, kind: 'person', id: user.userId } as const;
      const key =
        publicKey === null ? null : await signingKeys.enrol(tx, owner, { name: username, publicJwk: publicKey });
      const gains = { signing_keys: key === null ? [] : [key.keyId] };
      const change = addsVoice(rights, { own: false }) ? { before: null, after: user, gains } : null;
      await recordRequest(tx, context, { result: created, target: user.userId, change });
    });
    return created;
  };
