import type { Selectable } from 'kysely';
import { DomainError } from '../../core/errors.ts';
import type { LoginNames, UserRepository } from '../interfaces/users.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { patchRow } from '../queries/patch-row.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { Schema } from '../schema.ts';
import { bigintOrNull, flag, ifGiven, jsonOrNull } from './column-values.ts';
import { listUsers } from './user-pages.ts';
import { toUser } from './user-rows.ts';

const insertUsers = insertRows('users', [
  'user_id',
  'account_id',
  'username',
  'email',
  'name',
  'role',
  'scopes',
  'tier',
  'expires_at',
  'allowed_ips',
  'may_grant',
  'had_rights',
  'set_by_rights',
  'password_hash',
  'password_changed_at',
  'totp_secret',
  'totp_confirmed_at',
  'totp_last_step',
  'disabled_at',
  'deleted_at',
  'last_login_at',
  'created_at',
  'updated_at',
]);
/** Where the name is taken (also by a job under way, which this one waits for) no row changes. */
const insertNames = insertRows('login_names', ['name', 'account_id', 'user_id'], 'on conflict (name) do nothing');
const insertCodes = insertRows('recovery_codes', ['account_id', 'user_id', 'digest', 'used_at']);
const findUser = prepared((db, p: { accountId: string; userId: string }) =>
  db.selectFrom('users').selectAll().where('user_id', '=', p.userId).where('account_id', '=', p.accountId),
);
const findById = prepared((db, p: { userId: string }) =>
  db.selectFrom('users').selectAll().where('user_id', '=', p.userId).where('deleted_at', 'is', null),
);
const findByName = prepared((db, p: { name: string }) =>
  db
    .selectFrom('users')
    .innerJoin('login_names', 'login_names.user_id', 'users.user_id')
    .selectAll('users')
    .where('login_names.name', '=', p.name),
);
/** The row lock of an update that changes nothing. */
const holdUser = prepared((db, p: { accountId: string; userId: string }) =>
  db
    .updateTable('users')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('user_id', '=', p.userId)
    .where('account_id', '=', p.accountId)
    .returningAll(),
);
const deleteNames = prepared((db, p: { accountId: string; userId: string }) =>
  db.deleteFrom('login_names').where('user_id', '=', p.userId).where('account_id', '=', p.accountId),
);
const loggedIn = prepared((db, p: { accountId: string; userId: string; at: bigint }) =>
  db
    .updateTable('users')
    .set({ last_login_at: p.at })
    .where('user_id', '=', p.userId)
    .where('account_id', '=', p.accountId),
);
const takeStep = prepared((db, p: { accountId: string; userId: string; step: bigint }) =>
  db
    .updateTable('users')
    .set({ totp_last_step: p.step })
    .where('user_id', '=', p.userId)
    .where('account_id', '=', p.accountId)
    .where('totp_last_step', '<', p.step),
);
const deleteCodes = prepared((db, p: { accountId: string; userId: string }) =>
  db.deleteFrom('recovery_codes').where('user_id', '=', p.userId).where('account_id', '=', p.accountId),
);
const takeCode = prepared((db, p: { accountId: string; userId: string; digest: string; at: bigint }) =>
  db
    .updateTable('recovery_codes')
    .set({ used_at: p.at })
    .where('user_id', '=', p.userId)
    .where('account_id', '=', p.accountId)
    .where('digest', '=', p.digest)
    .where('used_at', 'is', null),
);
const countCodes = prepared((db, p: { accountId: string; userId: string }) =>
  db
    .selectFrom('recovery_codes')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('user_id', '=', p.userId)
    .where('account_id', '=', p.accountId)
    .where('used_at', 'is', null),
);
const patchUser = patchRow('users', ['user_id', 'account_id']);

export function userRepository(session: Session): UserRepository {
  async function nameUser(accountId: string, userId: string, names: LoginNames): Promise<void> {
    for (const field of ['username', 'email'] as const) {
      const name = names[field];
      if (name === null || (field === 'email' && name === names.username)) continue;
      const { changes } = await insertNames(session, [{ name, account_id: accountId, user_id: userId }]);
      if (changes === 0n) {
        throw new DomainError('already_exists', `this ${field} is taken: choose another`, { field });
      }
    }
  }
  const first = (row: Selectable<Schema['users']> | null) => row && toUser(row);

  return {
    insert: async (user, names) => {
      await insertUsers(session, [
        {
          user_id: user.userId,
          account_id: user.accountId,
          username: user.username,
          email: user.email,
          name: user.name,
          role: user.role,
          scopes: JSON.stringify(user.scopes),
          tier: user.tier,
          expires_at: bigintOrNull(user.expiresAt),
          allowed_ips: jsonOrNull(user.allowedIps),
          may_grant: flag(user.mayGrant),
          had_rights: jsonOrNull(user.hadRights),
          set_by_rights: jsonOrNull(user.setByRights),
          password_hash: user.passwordHash,
          password_changed_at: bigintOrNull(user.passwordChangedAt),
          totp_secret: user.totpSecret,
          totp_confirmed_at: bigintOrNull(user.totpConfirmedAt),
          totp_last_step: BigInt(user.totpLastStep),
          disabled_at: bigintOrNull(user.disabledAt),
          deleted_at: bigintOrNull(user.deletedAt),
          last_login_at: bigintOrNull(user.lastLoginAt),
          created_at: BigInt(user.createdAt),
          updated_at: BigInt(user.updatedAt),
        },
      ]);
      await nameUser(user.accountId, user.userId, names);
    },
    find: async (accountId, userId) => first(await findUser.first(session, { accountId, userId })),
    findById: async (userId) => first(await findById.first(session, { userId })),
    findByLoginName: async (name) => first(await findByName.first(session, { name })),
    hold: async (accountId, userId) => first(await holdUser.first(session, { accountId, userId })),
    list: (accountId, filter, page) => listUsers(session, accountId, filter, page),
    update: async (accountId, userId, patch) => {
      await patchUser(
        session,
        {
          username: patch.username,
          email: patch.email,
          name: patch.name,
          role: patch.role,
          scopes: ifGiven(patch.scopes, JSON.stringify),
          tier: patch.tier,
          expires_at: ifGiven(patch.expiresAt, bigintOrNull),
          allowed_ips: ifGiven(patch.allowedIps, jsonOrNull),
          may_grant: ifGiven(patch.mayGrant, flag),
          had_rights: ifGiven(patch.hadRights, jsonOrNull),
          set_by_rights: ifGiven(patch.setByRights, jsonOrNull),
          password_hash: patch.passwordHash,
          password_changed_at: ifGiven(patch.passwordChangedAt, bigintOrNull),
          totp_secret: patch.totpSecret,
          totp_confirmed_at: ifGiven(patch.totpConfirmedAt, bigintOrNull),
          disabled_at: ifGiven(patch.disabledAt, bigintOrNull),
          deleted_at: ifGiven(patch.deletedAt, bigintOrNull),
          updated_at: ifGiven(patch.updatedAt, BigInt),
        },
        { user_id: userId, account_id: accountId },
      );
      session.note('credentials');
    },
    setLoginNames: async (accountId, userId, names) => {
      await deleteNames.run(session, { accountId, userId });
      if (names !== null) await nameUser(accountId, userId, names);
    },
    loggedIn: async (accountId, userId, at) => {
      await loggedIn.run(session, { accountId, userId, at: BigInt(at) });
    },
    takeTotpStep: async (accountId, userId, step) =>
      (await takeStep.run(session, { accountId, userId, step: BigInt(step) })) > 0n,
    setRecoveryCodes: async (accountId, userId, digests) => {
      await deleteCodes.run(session, { accountId, userId });
      await insertCodes(
        session,
        digests.map((digest) => ({ account_id: accountId, user_id: userId, digest, used_at: null })),
      );
    },
    takeRecoveryCode: async (accountId, userId, digest, at) =>
      (await takeCode.run(session, { accountId, userId, digest, at: BigInt(at) })) > 0n,
    countRecoveryCodes: async (accountId, userId) =>
      Number((await countCodes.first(session, { accountId, userId }))?.count ?? 0n),
  };
}
