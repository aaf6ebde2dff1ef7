import { sql } from 'kysely';
import { DomainError } from '../../core/errors.ts';
import type { AccountId, ContractId, OracleId } from '../../core/ids.ts';
import type { Txid } from '../../core/outpoint.ts';
import { byColumns } from '../queries/by-columns.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { amongTexts, textList } from '../queries/json-lists.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { LARGE_AT_ONCE } from '../queries/rows-in-parts.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import {
  type ContractFilter,
  type ContractMessageType,
  type ContractPatch,
  type ContractRecord,
  type ContractRole,
  type DueAt,
  contracts as table,
} from './contract-rows.ts';
import { countAttestedOf, dueAfter, open } from './due-contracts.ts';
import { AWAITING, awaitEventsOf } from './polled-events.ts';

/** A refused row answers no change and leaves the transaction going. */
const contracts = rowsOf(table, 'on conflict do nothing');
const insertOracles = insertRows('contract_oracles', [
  'contract_id',
  'position',
  'account_id',
  'oracle_id',
  'event_id',
]);
const insertFundings = insertRows('contract_fundings', ['contract_id', 'account_id', 'txid', 'vout']);
interface Key {
  accountId: AccountId;
  contractId: ContractId;
}
const links = byColumns('contract_oracles');
const fundings = byColumns('contract_fundings');
const byOfferIds = prepared((db, p: { accountId: AccountId; ids: string }, kind) => {
  const found = db
    .selectFrom('contracts')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .where(amongTexts(kind, 'offer_id', p.ids))
    .orderBy('contract_id');
  return kind === 'postgres' ? found.forNoKeyUpdate() : found;
});
const byCoinHolds = prepared((db, p: { accountId: AccountId; ids: string }, kind) => {
  const found = db
    .selectFrom('contracts')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .where(amongTexts(kind, 'coin_hold', p.ids))
    .orderBy('contract_id');
  return kind === 'postgres' ? found.forNoKeyUpdate() : found;
});
const putMessage = prepared((db, p: Key & { type: string; message: Uint8Array }) =>
  db
    .insertInto('contract_messages')
    .values({ contract_id: p.contractId, type: p.type, account_id: p.accountId, message: p.message })
    .onConflict((conflict) =>
      conflict
        .columns(['contract_id', 'type'])
        .doUpdateSet((eb) => ({ message: eb.ref('excluded.message') }))
        .where('contract_messages.account_id', '=', p.accountId),
    ),
);
const messages = byColumns('contract_messages');
const openAfter = prepared((db, p: { createdAt: bigint; contractId: string; limit: bigint }) =>
  db
    .selectFrom('contracts')
    .selectAll()
    .where(open)
    .where((eb) => eb(eb.refTuple('created_at', 'contract_id'), '>', eb.tuple(p.createdAt, p.contractId)))
    .orderBy('created_at')
    .orderBy('contract_id')
    .limit(p.limit),
);
const waiting = prepared((db, p: { accountId: AccountId; oracleId: OracleId; eventId: string }) =>
  db
    .selectFrom('contracts')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .where('status', 'in', ['awaiting_approval', 'offered', 'accepted', 'signed', 'funded', 'confirmed'])
    .where('contract_id', 'in', (eb) =>
      eb
        .selectFrom('contract_oracles')
        .select('contract_oracles.contract_id')
        .where('oracle_id', '=', p.oracleId)
        .where('event_id', '=', p.eventId),
    )
    .orderBy('created_at')
    .orderBy('contract_id'),
);
/** Jobs on PostgreSQL do not see each other's rows: who counts holds what all of the account's count by. */
const heldAccount = prepared((db, p: { accountId: AccountId }, kind) => {
  const account = db.selectFrom('accounts').select('account_id').where('account_id', '=', p.accountId);
  return kind === 'postgres' ? account.forNoKeyUpdate() : account;
});
const openOffers = prepared((db, p: { accountId: AccountId; role: string }) =>
  db
    .selectFrom('contracts')
    .innerJoin('contract_messages', 'contract_messages.contract_id', 'contracts.contract_id')
    .select([
      sql<bigint>`count(*)`.as('count'),
      // Of bytes neither database reads them for it.
      sql<bigint>`cast(coalesce(sum(length(contract_messages.message)), 0) as bigint)`.as('bytes'),
    ])
    .where('contracts.account_id', '=', p.accountId)
    .where('contracts.status', 'in', ['awaiting_approval', 'offered'])
    .where('contracts.role', '=', p.role)
    .where('contract_messages.account_id', '=', p.accountId)
    .where('contract_messages.type', '=', 'offer'),
);
const byFundings = prepared((db, p: { txids: string }, kind) => {
  const found = db
    .selectFrom('contracts')
    .selectAll()
    .where(amongTexts(kind, 'funding_txid', p.txids))
    .orderBy('contract_id');
  return kind === 'postgres' ? found.forNoKeyUpdate() : found;
});
export function contractRepository(session: Session) {
  async function linkOracles(
    { accountId, contractId }: Key,
    oracleIds: readonly OracleId[],
    eventIds: readonly string[],
  ) {
    await insertOracles(
      session,
      oracleIds.map((oracleId, position) => ({
        contract_id: contractId,
        position: BigInt(position),
        account_id: accountId,
        oracle_id: oracleId,
        event_id: eventIds[position] ?? null,
      })),
    );
    await countAttestedOf(session, { accountId, contractId });
  }

  /** A changed outpoint is a new row: whoever reads what was added since sees it. */
  async function watch({ accountId, contractId }: Key, { fundingTxid, fundingVout }: ContractPatch): Promise<void> {
    await fundings.delete(session, { contract_id: contractId, account_id: accountId });
    if (!fundingTxid || fundingVout === null || fundingVout === undefined) return;
    await insertFundings(session, [
      { contract_id: contractId, account_id: accountId, txid: fundingTxid, vout: BigInt(fundingVout) },
    ]);
  }

  const find = (accountId: AccountId, contractId: ContractId) => contracts.find(session, { accountId, contractId });

  return {
    /** Throws `already_exists` where the account has this very offer in this role (field message), or the external_id (field external_id). */
    insert: async (contract: ContractRecord) => {
      const { accountId, externalId } = contract;
      if ((await contracts.insert(session, [contract])) === 0n) {
        if (externalId !== null && (await contracts.count(session, { accountId, externalId })) > 0) {
          throw new DomainError('already_exists', 'a contract of the account has this external_id already', {
            field: 'external_id',
          });
        }
        throw new DomainError('already_exists', 'the account has a contract of this very offer already', {
          field: 'message',
        });
      }
      await linkOracles(contract, contract.oracleIds, contract.eventIds);
      if (AWAITING.includes(contract.status)) await awaitEventsOf.run(session, contract);
      if (contract.fundingTxid !== null) await watch(contract, contract);
    },
    find,
    /** For a job that goes by what it reads: until that ends no other job changes the record. */
    findForUpdate: (accountId: AccountId, contractId: ContractId) =>
      contracts.findForUpdate(session, { accountId, contractId }),
    /** Newest first. */
    list: (accountId: AccountId, { status, role, externalId, oracleId }: ContractFilter, page: PageRequest) =>
      contracts.page(
        session,
        {
          name: 'contracts',
          where: { accountId, status, role, externalId },
          and: (eb) => [
            oracleId === undefined
              ? undefined
              : eb('contract_id', 'in', (of) =>
                  of
                    .selectFrom('contract_oracles')
                    .select('contract_oracles.contract_id')
                    .where('contract_oracles.oracle_id', '=', oracleId),
                ),
          ],
          atOnce: LARGE_AT_ONCE,
        },
        page,
      ),
    /** Of one that the job holds, or by whoever is alone with it. */
    update: async (accountId: AccountId, contractId: ContractId, patch: ContractPatch) => {
      if (Object.values(patch).every((value) => value === undefined)) return;
      const key = { accountId, contractId };
      const changed = await contracts.update(session, key, patch);
      if (changed === 0n) throw new DomainError('not_found', 'there is no such contract', { field: 'contract_id' });
      if (patch.fundingTxid !== undefined) await watch(key, patch);
      if (patch.oracleIds !== undefined || patch.eventIds !== undefined) {
        const contract = await find(accountId, contractId);
        await links.delete(session, { contract_id: contractId, account_id: accountId });
        if (contract) await linkOracles(key, contract.oracleIds, contract.eventIds);
      }
      if (patch.status !== undefined && AWAITING.includes(patch.status)) await awaitEventsOf.run(session, key);
    },
    putMessage: async (
      accountId: AccountId,
      contractId: ContractId,
      type: ContractMessageType,
      message: Uint8Array,
    ) => {
      await putMessage.run(session, { accountId, contractId, type, message });
    },
    message: async (accountId: AccountId, contractId: ContractId, type: ContractMessageType) =>
      (await messages.select(session, { contract_id: contractId, type, account_id: accountId }))[0]?.message ?? null,
    /** In every account, by what is left to be done: statuses awaiting_approval to refunded, and those closed by a CET whose outcome is to be learned. Oldest first. */
    open: async (after: { createdAt: number; contractId: ContractId } | null, limit: number) => {
      const { createdAt, contractId } = after ?? { createdAt: -1, contractId: '' };
      const rows = await openAfter.all(session, { createdAt: BigInt(createdAt), contractId, limit: BigInt(limit) });
      return rows.map(contracts.record);
    },
    /**
     * Of those the ones that have something to be done by now: what is being made or sent; what nobody has answered in time, or before its
     * event was attested or its refund was open; confirmed ones whose refund is open, or whose CETs are and of as many of whose events as
     * decide them an attestation is kept. Those that wait for the chain, an oracle or the other side are not among them. Oldest first.
     */
    due: async (
      { now, height, medianTime }: DueAt,
      after: { createdAt: number; contractId: ContractId } | null,
      limit: number,
    ) => {
      const rows = await dueAfter.all(session, {
        now: BigInt(now),
        height: BigInt(height),
        medianTime: BigInt(medianTime),
        createdAt: BigInt(after?.createdAt ?? -1),
        contractId: after?.contractId ?? '',
        limit: BigInt(limit),
      });
      return rows.map(contracts.record);
    },
    /** Those that wait for an attestation of this event, or end by it: awaiting_approval to confirmed. */
    waitingFor: async (accountId: AccountId, oracleId: OracleId, eventId: string) =>
      (await waiting.all(session, { accountId, oracleId, eventId })).map(contracts.record),
    /** What waits to be approved or accepted, and what its offers come to. Until the job ends no other job of the account asks: a bound holds. */
    openOffers: async (accountId: AccountId, role: ContractRole) => {
      await heldAccount.first(session, { accountId });
      const open = await openOffers.first(session, { accountId, role });
      return { count: Number(open?.count ?? 0), bytes: Number(open?.bytes ?? 0) };
    },
    /** Until the job ends no other job changes them. */
    byOfferIds: async (accountId: AccountId, ids: readonly string[]) =>
      (await byOfferIds.all(session, { accountId, ids: textList(ids) })).map(contracts.record),
    /** Those that hold coins under one of these names (core/dlc/coin-hold.ts); until the job ends no other job changes them. */
    byCoinHolds: async (accountId: AccountId, ids: readonly Txid[]) =>
      (await byCoinHolds.all(session, { accountId, ids: textList(ids) })).map(contracts.record),
    /** Two where the account took its own offer. */
    fundedBy: (accountId: AccountId, fundingTxid: Txid) => contracts.all(session, { accountId, fundingTxid }),
    /** Crosses accounts, as the ledger does; until the job ends no other job changes them. */
    byFundingTxid: async (txid: Txid) =>
      (await byFundings.all(session, { txids: textList([txid]) })).map(contracts.record),
    byFundingTxids: async (txids: readonly Txid[]) =>
      (await byFundings.all(session, { txids: textList(txids) })).map(contracts.record),
    byClosingTxid: (txid: Txid) => contracts.allForUpdate(session, { closingTxid: txid }, 'order by contract_id'),
  };
}
