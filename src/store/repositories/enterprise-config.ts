import type { AccountId, WalletId } from '../../core/ids.ts';
import type { EnterpriseConfig } from '../../core/policies/account-rules.ts';
import { integer, json, named, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const configTable = table('enterprise_config', ['accountId'], {
  accountId: text<AccountId>(),
  /** Grows with each change of the account's rules, groups and config. */
  version: integer,
  defaultAction: text<EnterpriseConfig['defaultAction']>(),
  internalWallets: json<readonly WalletId[]>(),
  addressBookDelayHours: integer,
  travelRule: named(
    'travel_rule_sats',
    orNull<NonNullable<EnterpriseConfig['travelRule']>, bigint>({
      load: (thresholdSats) => ({ thresholdSats }),
      store: ({ thresholdSats }) => thresholdSats,
    }),
  ),
  policyChange: orNull(json<NonNullable<EnterpriseConfig['policyChange']>>()),
  treasuries: json<readonly WalletId[]>(),
  updatedAt: time,
});
export type EnterpriseConfigRecord = RecordOf<typeof configTable>;

declare module '../schema.ts' {
  interface Schema {
    enterprise_config: RowOf<typeof configTable>;
  }
}

const configs = rowsOf(configTable);
/** Of two jobs that make an account's row at once the second waits here for the first, and finds its row. */
const insertMissing = prepared((db, p: { accountId: AccountId; at: bigint }) =>
  db
    .insertInto('enterprise_config')
    .values({
      account_id: p.accountId,
      version: 0n,
      default_action: 'allow',
      internal_wallets: '[]',
      address_book_delay_hours: 0n,
      travel_rule_sats: null,
      policy_change: null,
      treasuries: '[]',
      updated_at: p.at,
    })
    .onConflict((conflict) => conflict.column('account_id').doNothing()),
);

export function enterpriseConfigRepository(session: Session) {
  const find = (accountId: AccountId) => configs.find(session, { accountId });
  return {
    /** null where the account never set any rules. */
    find,
    /** Until the job ends no other job changes the account's rules, or gets past this. null where it never set any. */
    lock: (accountId: AccountId) => configs.findForUpdate(session, { accountId }),
    /** The same, of an account that is about to set some. The first time the version is 0: whoever changes something raises it. */
    lockOrMake: async (accountId: AccountId, at: number): Promise<EnterpriseConfigRecord> => {
      await insertMissing.run(session, { accountId, at: BigInt(at) });
      const record = await configs.findForUpdate(session, { accountId });
      if (record === null) throw new Error('the row that was just made is gone');
      return record;
    },
    update: async (accountId: AccountId, patch: Partial<Omit<EnterpriseConfigRecord, 'accountId'>>) => {
      await configs.update(session, { accountId }, patch);
    },
  };
}
