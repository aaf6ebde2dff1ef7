import type { Rights, Role, Tier } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import { byColumns } from '../queries/by-columns.ts';
import { flag, integer, json, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { amongTexts, ofAccountByIds, textList } from '../queries/json-lists.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

export interface UserFilter {
  role?: Role;
  disabled?: boolean;
  /** Folded (core/users/login-name.ts). */
  loginName?: string;
}

export type UserPatch = Partial<
  Omit<UserRecord, 'userId' | 'accountId' | 'totpLastStep' | 'lastLoginAt' | 'createdAt'>
>;

/** Folded. */
export interface LoginNames {
  username: string;
  email: string | null;
}

export const usersTable = table('users', ['userId'], {
  userId: text(),
  accountId: text<AccountId>(),
  username: text(),
  email: orNull(text()),
  /** When the person confirmed it (services/users/email-confirmation.ts); null: they have not. */
  emailVerifiedAt: orNull(time),
  name: orNull(text()),
  role: text<Role>(),
  scopes: json<readonly string[]>(),
  tier: text<Tier>(),
  /** Until when, and from where, the person may log in and what that opened is taken; null: for ever, from anywhere. */
  expiresAt: orNull(time),
  allowedIps: orNull(json<readonly string[]>()),
  mayGrant: flag,
  /** All that the person has had; null: what they have now. */
  hadRights: orNull(json<Rights>()),
  /** What all had who made the person or changed what they log in or sign with; null: not known. */
  setByRights: orNull(json<Rights>()),
  /** `$argon2id$v=19$m=…,t=…,p=…$salt$hash`; null until a person has set a password. */
  passwordHash: orNull(text()),
  passwordChangedAt: orNull(time),
  /** Encrypted under a key of the service. */
  totpSecret: orNull(text()),
  /** When the second factor came into force; null while it is only offered. */
  totpConfirmedAt: orNull(time),
  /** The newest time step whose code was taken: none is taken twice. */
  totpLastStep: integer,
  disabledAt: orNull(time),
  /** Disabled for good: the row stays for the audit log, its names are free. */
  deletedAt: orNull(time),
  lastLoginAt: orNull(time),
  createdAt: time,
  updatedAt: time,
});
export type UserRecord = RecordOf<typeof usersTable>;

declare module '../schema.ts' {
  interface Schema {
    users: RowOf<typeof usersTable>;
    /** What a person may log in with: username and e-mail address, folded, each once in the whole service. */
    login_names: { name: string; account_id: AccountId; user_id: string };
    recovery_codes: { account_id: AccountId; user_id: string; digest: string; used_at: bigint | null };
  }
}

const findAmong = prepared((db, p: { accountId: AccountId; ids: string }, kind) =>
  db
    .selectFrom('users')
    .selectAll()
    .where(ofAccountByIds(kind, p.accountId))
    .where(amongTexts(kind, 'user_id', p.ids)),
);
const users = rowsOf(usersTable);
/** Where the name is taken (also by a job under way, which this one waits for) no row changes. */
const insertNames = insertRows('login_names', ['name', 'account_id', 'user_id'], 'on conflict (name) do nothing');
const insertCodes = insertRows('recovery_codes', ['account_id', 'user_id', 'digest', 'used_at']);
const names = byColumns('login_names');
const codes = byColumns('recovery_codes');
const findByName = prepared((db, p: { name: string }) =>
  db
    .selectFrom('users')
    .innerJoin('login_names', 'login_names.user_id', 'users.user_id')
    .selectAll('users')
    .where('login_names.name', '=', p.name),
);
const takeStep = prepared((db, p: { accountId: AccountId; userId: string; step: bigint }) =>
  db
    .updateTable('users')
    .set({ totp_last_step: p.step })
    .where('user_id', '=', p.userId)
    .where('account_id', '=', p.accountId)
    .where('totp_last_step', '<', p.step),
);

export function userRepository(session: Session) {
  async function nameUser(accountId: AccountId, userId: string, chosen: LoginNames): Promise<void> {
    for (const field of ['username', 'email'] as const) {
      const name = chosen[field];
      if (name === null || (field === 'email' && name === chosen.username)) continue;
      const { changes } = await insertNames(session, [{ name, account_id: accountId, user_id: userId }]);
      if (changes === 0n) {
        throw new DomainError('already_exists', `this ${field} is taken: choose another`, { field });
      }
    }
  }

  return {
    /** Throws DomainError `already_exists` (at username or email) where one of the folded names is taken in the service. */
    insert: async (user: UserRecord, chosen: LoginNames) => {
      await users.insert(session, [user]);
      await nameUser(user.accountId, user.userId, chosen);
    },
    /** Those of these that there are, in whatever state. */
    among: async (accountId: AccountId, ids: readonly string[]) =>
      (await findAmong.all(session, { accountId, ids: textList(ids) })).map(users.record),
    find: (accountId: AccountId, userId: string) => users.find(session, { accountId, userId }),
    /** Whatever the account: this is how a caller's account becomes known. Deleted ones are not found. */
    findById: (userId: string) => users.find(session, { userId, deletedAt: null }),
    /** By a folded username or e-mail address, whatever the account. */
    findByLoginName: async (name: string) => {
      const row = await findByName.first(session, { name });
      return row && users.record(row);
    },
    /** For a job that goes by what it reads: until that ends no other job changes the record. */
    findForUpdate: (accountId: AccountId, userId: string) => users.findForUpdate(session, { accountId, userId }),
    /** Newest first, without the deleted. */
    list: (accountId: AccountId, { role, disabled, loginName }: UserFilter, page: PageRequest) =>
      users.page(
        session,
        {
          name: 'users',
          where: { accountId, role, deletedAt: null },
          given: { disabledAt: disabled },
          and: (eb) => [
            loginName === undefined
              ? undefined
              : eb('user_id', 'in', (of) =>
                  of.selectFrom('login_names').select('login_names.user_id').where('login_names.name', '=', loginName),
                ),
          ],
        },
        page,
      ),
    /** Every process forgets what it knew of the person. */
    update: async (accountId: AccountId, userId: string, patch: UserPatch) => {
      await users.update(session, { accountId, userId }, patch);
      session.note('credentials');
    },
    /** Puts these in the place of the names there were; none frees them. Throws as `insert` does. */
    setLoginNames: async (accountId: AccountId, userId: string, chosen: LoginNames | null) => {
      await names.delete(session, { user_id: userId, account_id: accountId });
      if (chosen !== null) await nameUser(accountId, userId, chosen);
    },
    loggedIn: async (accountId: AccountId, userId: string, at: number) => {
      await users.update(session, { accountId, userId }, { lastLoginAt: at });
    },
    /** False where this step's code, or a later one's, was taken before. */
    takeTotpStep: async (accountId: AccountId, userId: string, step: number) =>
      (await takeStep.run(session, { accountId, userId, step: BigInt(step) })) > 0n,
    /** Puts these digests in the place of the codes there were. */
    setRecoveryCodes: async (accountId: AccountId, userId: string, digests: readonly string[]) => {
      await codes.delete(session, { user_id: userId, account_id: accountId });
      await insertCodes(
        session,
        digests.map((digest) => ({ account_id: accountId, user_id: userId, digest, used_at: null })),
      );
    },
    /** False where there is no such unused code. */
    takeRecoveryCode: async (accountId: AccountId, userId: string, digest: string, at: number) => {
      const unused = { user_id: userId, account_id: accountId, digest, used_at: null };
      return (await codes.update(session, { used_at: BigInt(at) }, unused)) > 0n;
    },
    countRecoveryCodes: (accountId: AccountId, userId: string) =>
      codes.count(session, { user_id: userId, account_id: accountId, used_at: null }),
  };
}
