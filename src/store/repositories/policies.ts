import type { AccountId } from '../../core/ids.ts';
import type { Policy, PolicyAction, PolicyConditions } from '../../core/policies/policy.ts';
import { type Column, flag, integer, named, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { type Page, type PageRequest, type Position, pageOfRows } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

/** Amounts are digits: JSON has no bigint. */
const AMOUNTS = new Set(['amountOverSats', 'sats']);
const withAmounts = <T>(): Column<T, string> => ({
  load: (stored) => JSON.parse(stored, (name, value) => (AMOUNTS.has(name) ? BigInt(value) : value)),
  store: (value) => JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? String(member) : member)),
});
const conditions = withAmounts<PolicyConditions>();
/** Rules that are kept together, and are not in force. */
export const policyList = withAmounts<readonly Policy[]>();
const decision: Column<PolicyAction, string> = { load: JSON.parse, store: (value) => JSON.stringify(value) };

const policiesTable = table('policies', ['policyId'], {
  policyId: text(),
  accountId: text<AccountId>(),
  name: text(),
  enabled: flag,
  /** 1, 2, 3, … without gaps. */
  position: integer,
  when: named('conditions', conditions),
  then: named('decision', decision),
  createdAt: time,
  updatedAt: time,
});
export type PolicyRecord = RecordOf<typeof policiesTable> & Policy;

declare module '../schema.ts' {
  interface Schema {
    policies: RowOf<typeof policiesTable>;
  }
}

const policies = rowsOf(policiesTable);
const shift = prepared((db, p: { accountId: AccountId; from: bigint; to: bigint; by: bigint }) =>
  db
    .updateTable('policies')
    .set((eb) => ({ position: eb('position', '+', p.by) }))
    .where('account_id', '=', p.accountId)
    .where('position', '>=', p.from)
    .where('position', '<=', p.to),
);

const isBehind = ({ position, policyId }: PolicyRecord, { at, id }: Position): boolean =>
  BigInt(position) > at || (BigInt(position) === at && policyId > id);

export function policyRepository(session: Session) {
  return {
    /** By position, also those that are not enabled. */
    list: (accountId: AccountId): Promise<PolicyRecord[]> =>
      policies.all(session, { accountId }, 'order by position, policy_id'),
    /** By position. */
    page: async (
      accountId: AccountId,
      { enabled }: { enabled?: boolean },
      page: PageRequest,
    ): Promise<Page<PolicyRecord>> => {
      const all = await policies.all(
        session,
        { accountId, ...(enabled === undefined ? {} : { enabled }) },
        'order by position, policy_id',
      );
      return await pageOfRows<PolicyRecord, PolicyRecord>('policies', page, {
        rows: async (start, limit) => {
          const begin = 'offset' in start ? Number(start.offset) : all.findIndex((one) => isBehind(one, start.before));
          return begin < 0 ? [] : all.slice(begin, begin + Number(limit));
        },
        count: async () => BigInt(all.length),
        positionOf: ({ position, policyId }) => ({ at: BigInt(position), id: policyId }),
        toRecord: (one) => one,
      });
    },
    find: (accountId: AccountId, policyId: string): Promise<PolicyRecord | null> =>
      policies.find(session, { accountId, policyId }),
    insert: async (policy: PolicyRecord) => {
      await policies.insert(session, [policy]);
    },
    update: async (
      accountId: AccountId,
      policyId: string,
      patch: Partial<Omit<PolicyRecord, 'policyId' | 'accountId'>>,
    ) => {
      await policies.update(session, { accountId, policyId }, patch);
    },
    /** Moves those from one position to another, both with it, by so many. */
    shift: async (accountId: AccountId, from: number, to: number, by: 1 | -1) => {
      await shift.run(session, { accountId, from: BigInt(from), to: BigInt(to), by: BigInt(by) });
    },
    delete: async (accountId: AccountId, policyId: string) => {
      await policies.delete(session, { accountId, policyId });
    },
  };
}
