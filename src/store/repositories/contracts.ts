import { sql } from 'kysely';
import { DomainError } from '../../core/errors.ts';
import type { Txid } from '../../core/outpoint.ts';
import type { ContractPatch, ContractRecord, ContractRepository } from '../interfaces/contracts.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { amongTexts, textList } from '../queries/json-lists.ts';
import { newestFirst } from '../queries/newest-first.ts';
import { patchRow } from '../queries/patch-row.ts';
import { prepared } from '../queries/prepared.ts';
import { LARGE_AT_ONCE } from '../queries/rows-in-parts.ts';
import type { Session } from '../queries/session.ts';
import { contractColumns, contractPatch, toContract } from './contract-rows.ts';
import { countAttestedOf, dueAfter, open } from './due-contracts.ts';
import { AWAITING, awaitEventsOf } from './polled-events.ts';

/** A refused row answers no change and leaves the transaction going. */
const insertContracts = insertRows(
  'contracts',
  [
    'contract_id',
    'account_id',
    'external_id',
    'status',
    'role',
    'dialect',
    'oracle_ids',
    'event_ids',
    'threshold',
    'payouts',
    'descriptor',
    'collateral_sats',
    'offer_collateral_sats',
    'fee_rate_sat_vb',
    'cet_locktime',
    'refund_locktime',
    'offer_side',
    'accept_side',
    'offer_id',
    'oracle_proof',
    'temporary_contract_id',
    'coin_hold',
    'dlc_contract_id',
    'funding_txid',
    'funding_vout',
    'funding_height',
    'closing_txid',
    'closing_kind',
    'closing_height',
    'closing_block_hash',
    'outcome',
    'progress',
    'expires_at',
    'reason',
    'created_at',
    'updated_at',
  ],
  'on conflict do nothing',
);
const insertOracles = insertRows('contract_oracles', [
  'contract_id',
  'position',
  'account_id',
  'oracle_id',
  'event_id',
]);
const insertFundings = insertRows('contract_fundings', ['contract_id', 'account_id', 'txid', 'vout']);
interface Key {
  accountId: string;
  contractId: string;
}
const deleteOracles = prepared((db, p: Key) =>
  db.deleteFrom('contract_oracles').where('contract_id', '=', p.contractId).where('account_id', '=', p.accountId),
);
const deleteFunding = prepared((db, p: Key) =>
  db.deleteFrom('contract_fundings').where('contract_id', '=', p.contractId).where('account_id', '=', p.accountId),
);
const byId = prepared((db, p: Key) =>
  db.selectFrom('contracts').selectAll().where('contract_id', '=', p.contractId).where('account_id', '=', p.accountId),
);
const heldById = prepared((db, p: Key, kind) => {
  const contract = db
    .selectFrom('contracts')
    .selectAll()
    .where('contract_id', '=', p.contractId)
    .where('account_id', '=', p.accountId);
  return kind === 'postgres' ? contract.forNoKeyUpdate() : contract;
});
const byExternalId = prepared((db, p: { accountId: string; externalId: string }) =>
  db
    .selectFrom('contracts')
    .select('contract_id')
    .where('account_id', '=', p.accountId)
    .where('external_id', '=', p.externalId),
);
const byOfferIds = prepared((db, p: { accountId: string; ids: string }, kind) => {
  const contracts = db
    .selectFrom('contracts')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .where(amongTexts(kind, 'offer_id', p.ids))
    .orderBy('contract_id');
  return kind === 'postgres' ? contracts.forNoKeyUpdate() : contracts;
});
const byCoinHolds = prepared((db, p: { accountId: string; ids: string }, kind) => {
  const contracts = db
    .selectFrom('contracts')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .where(amongTexts(kind, 'coin_hold', p.ids))
    .orderBy('contract_id');
  return kind === 'postgres' ? contracts.forNoKeyUpdate() : contracts;
});
const patchContract = patchRow('contracts', ['contract_id', 'account_id']);
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
const messageOf = prepared((db, p: Key & { type: string }) =>
  db
    .selectFrom('contract_messages')
    .select('message')
    .where('contract_id', '=', p.contractId)
    .where('type', '=', p.type)
    .where('account_id', '=', p.accountId),
);
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
const waiting = prepared((db, p: { accountId: string; oracleId: string; eventId: string }) =>
  db
    .selectFrom('contracts')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .where('status', 'in', ['offered', 'accepted', 'signed', 'funded', 'confirmed'])
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
const heldAccount = prepared((db, p: { accountId: string }, kind) => {
  const account = db.selectFrom('accounts').select('account_id').where('account_id', '=', p.accountId);
  return kind === 'postgres' ? account.forNoKeyUpdate() : account;
});
const openOffers = prepared((db, p: { accountId: string; role: string }) =>
  db
    .selectFrom('contracts')
    .innerJoin('contract_messages', 'contract_messages.contract_id', 'contracts.contract_id')
    .select([
      sql<bigint>`count(*)`.as('count'),
      // Of bytes neither database reads them for it.
      sql<bigint>`cast(coalesce(sum(length(contract_messages.message)), 0) as bigint)`.as('bytes'),
    ])
    .where('contracts.account_id', '=', p.accountId)
    .where('contracts.status', '=', 'offered')
    .where('contracts.role', '=', p.role)
    .where('contract_messages.account_id', '=', p.accountId)
    .where('contract_messages.type', '=', 'offer'),
);
const byFundings = prepared((db, p: { txids: string }, kind) => {
  const contracts = db
    .selectFrom('contracts')
    .selectAll()
    .where(amongTexts(kind, 'funding_txid', p.txids))
    .orderBy('contract_id');
  return kind === 'postgres' ? contracts.forNoKeyUpdate() : contracts;
});
const byClosing = prepared((db, p: { txid: Txid }, kind) => {
  const contracts = db.selectFrom('contracts').selectAll().where('closing_txid', '=', p.txid).orderBy('contract_id');
  return kind === 'postgres' ? contracts.forNoKeyUpdate() : contracts;
});

export function contractRepository(session: Session): ContractRepository {
  async function linkOracles(
    { accountId, contractId }: Key,
    oracleIds: readonly string[],
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
    await deleteFunding.run(session, { accountId, contractId });
    if (!fundingTxid || fundingVout === null || fundingVout === undefined) return;
    await insertFundings(session, [
      { contract_id: contractId, account_id: accountId, txid: fundingTxid, vout: BigInt(fundingVout) },
    ]);
  }

  const find = async (accountId: string, contractId: string): Promise<ContractRecord | null> => {
    const row = await byId.first(session, { accountId, contractId });
    return row && toContract(row);
  };

  return {
    insert: async (contract) => {
      const { accountId, externalId } = contract;
      const { changes } = await insertContracts(session, [contractColumns(contract)]);
      if (changes === 0n) {
        if (externalId !== null && (await byExternalId.first(session, { accountId, externalId })) !== null) {
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
    hold: async (accountId, contractId) => {
      const row = await heldById.first(session, { accountId, contractId });
      return row && toContract(row);
    },
    list: (accountId, filter, page) => {
      let matching = session.db.selectFrom('contracts').where('account_id', '=', accountId);
      if (filter.status !== undefined) matching = matching.where('status', '=', filter.status);
      if (filter.role !== undefined) matching = matching.where('role', '=', filter.role);
      if (filter.externalId !== undefined) matching = matching.where('external_id', '=', filter.externalId);
      const { oracleId } = filter;
      if (oracleId !== undefined) {
        matching = matching.where('contract_id', 'in', (eb) =>
          eb
            .selectFrom('contract_oracles')
            .select('contract_oracles.contract_id')
            .where('contract_oracles.oracle_id', '=', oracleId),
        );
      }
      return newestFirst('contracts', page, {
        rows: (start, limit) => {
          const rows = matching.selectAll().orderBy('created_at', 'desc').orderBy('contract_id', 'desc').limit(limit);
          if ('offset' in start) return rows.offset(start.offset).execute();
          const { createdAt, id } = start.before;
          return rows
            .where((eb) => eb(eb.refTuple('created_at', 'contract_id'), '<', eb.tuple(createdAt, id)))
            .execute();
        },
        count: async () =>
          (await matching.select((eb) => eb.fn.countAll<bigint>().as('count')).executeTakeFirstOrThrow()).count,
        idOf: (row) => row.contract_id,
        toRecord: toContract,
        atOnce: LARGE_AT_ONCE,
      });
    },
    update: async (accountId, contractId, patch) => {
      const columns = contractPatch(patch);
      if (Object.values(columns).every((value) => value === undefined)) return;
      const key = { accountId, contractId };
      const changed = await patchContract(session, columns, { contract_id: contractId, account_id: accountId });
      if (changed === 0n) throw new DomainError('not_found', 'there is no such contract', { field: 'contract_id' });
      if (patch.fundingTxid !== undefined) await watch(key, patch);
      if (patch.oracleIds !== undefined || patch.eventIds !== undefined) {
        const contract = await find(accountId, contractId);
        await deleteOracles.run(session, key);
        if (contract) await linkOracles(key, contract.oracleIds, contract.eventIds);
      }
      if (patch.status !== undefined && AWAITING.includes(patch.status)) await awaitEventsOf.run(session, key);
    },
    putMessage: async (accountId, contractId, type, message) => {
      await putMessage.run(session, { accountId, contractId, type, message });
    },
    message: async (accountId, contractId, type) =>
      (await messageOf.first(session, { accountId, contractId, type }))?.message ?? null,
    open: async (after, limit) => {
      const { createdAt, contractId } = after ?? { createdAt: -1, contractId: '' };
      const rows = await openAfter.all(session, { createdAt: BigInt(createdAt), contractId, limit: BigInt(limit) });
      return rows.map(toContract);
    },
    due: async ({ now, height, medianTime }, after, limit) => {
      const rows = await dueAfter.all(session, {
        now: BigInt(now),
        height: BigInt(height),
        medianTime: BigInt(medianTime),
        createdAt: BigInt(after?.createdAt ?? -1),
        contractId: after?.contractId ?? '',
        limit: BigInt(limit),
      });
      return rows.map(toContract);
    },
    waitingFor: async (accountId, oracleId, eventId) =>
      (await waiting.all(session, { accountId, oracleId, eventId })).map(toContract),
    openOffers: async (accountId, role) => {
      await heldAccount.first(session, { accountId });
      const open = await openOffers.first(session, { accountId, role });
      return { count: Number(open?.count ?? 0), bytes: Number(open?.bytes ?? 0) };
    },
    byOfferIds: async (accountId, ids) =>
      (await byOfferIds.all(session, { accountId, ids: textList(ids) })).map(toContract),
    byCoinHolds: async (accountId, ids) =>
      (await byCoinHolds.all(session, { accountId, ids: textList(ids) })).map(toContract),
    byFundingTxid: async (txid) => (await byFundings.all(session, { txids: textList([txid]) })).map(toContract),
    byFundingTxids: async (txids) => (await byFundings.all(session, { txids: textList(txids) })).map(toContract),
    byClosingTxid: async (txid) => (await byClosing.all(session, { txid })).map(toContract),
  };
}
