import type { Kysely, Selectable } from 'kysely';
import { DomainError } from '../../core/errors.ts';
import type { OracleKind, OracleRecord, OracleRepository } from '../interfaces/oracles.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { amongTexts, textList } from '../queries/json-lists.ts';
import { newestFirst } from '../queries/newest-first.ts';
import { patchRow } from '../queries/patch-row.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { Schema } from '../schema.ts';
import { bigintOrNull, flag, ifGiven, jsonOrNull, numberOrNull, parsedOrNull } from './column-values.ts';
import { toOracleEvent } from './oracle-events.ts';
import { eventsToPoll } from './polled-events.ts';

/** A refused row answers no change and leaves the transaction going. */
const insertOracles = insertRows(
  'oracles',
  [
    'oracle_id',
    'account_id',
    'name',
    'external_id',
    'kind',
    'public_key',
    'url',
    'secret',
    'is_default',
    'equivocated_at',
    'created_at',
    'updated_at',
  ],
  'on conflict do nothing',
);
interface Key {
  accountId: string;
  oracleId: string;
}
/** With what is known of its nonces. */
const oracleRows = (db: Kysely<Schema>) =>
  db
    .selectFrom('oracles')
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom('oracle_nonces')
        .select((nonce) => nonce.fn.min('reused_at').as('reused_at'))
        .whereRef('oracle_nonces.public_key', '=', 'oracles.public_key')
        .where('reused_at', 'is not', null)
        .as('nonce_reused_at'),
    );
const byId = prepared((db, p: Key) =>
  oracleRows(db).where('oracle_id', '=', p.oracleId).where('account_id', '=', p.accountId),
);
const byDefault = prepared((db, p: { accountId: string }) =>
  oracleRows(db).where('account_id', '=', p.accountId).where('is_default', '=', 1n),
);
const byPublicKey = prepared((db, p: { accountId: string; publicKey: string }) =>
  oracleRows(db).where('account_id', '=', p.accountId).where('public_key', '=', p.publicKey),
);
const markedAmong = prepared((db, p: { accountId: string; ids: string }, kind) =>
  oracleRows(db)
    .where('account_id', '=', p.accountId)
    .where(amongTexts(kind, 'oracle_id', p.ids))
    .where((eb) =>
      eb.or([
        eb('equivocated_at', 'is not', null),
        eb.exists(
          eb
            .selectFrom('oracle_nonces')
            .select('oracle_nonces.public_key')
            .whereRef('oracle_nonces.public_key', '=', 'oracles.public_key')
            .where('reused_at', 'is not', null),
        ),
      ]),
    ),
);
const deleteUnused = prepared((db, p: Key) =>
  db
    .deleteFrom('oracles')
    .where('oracle_id', '=', p.oracleId)
    .where('account_id', '=', p.accountId)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('oracle_events')
            .select('event_id')
            .whereRef('oracle_events.oracle_id', '=', 'oracles.oracle_id')
            .where('oracle_events.account_id', '=', p.accountId),
        ),
      ),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('contract_oracles')
            .select('contract_id')
            .whereRef('contract_oracles.oracle_id', '=', 'oracles.oracle_id')
            .where('contract_oracles.account_id', '=', p.accountId),
        ),
      ),
    ),
);
const patchOracle = patchRow('oracles', ['oracle_id', 'account_id']);
const toOracle = (row: Selectable<Schema['oracles']> & { nonce_reused_at: bigint | null }): OracleRecord => ({
  oracleId: row.oracle_id,
  accountId: row.account_id,
  name: row.name,
  externalId: row.external_id,
  kind: row.kind as OracleKind,
  publicKey: row.public_key,
  url: row.url,
  secret: parsedOrNull(row.secret),
  isDefault: row.is_default === 1n,
  equivocatedAt: numberOrNull(row.equivocated_at),
  nonceReusedAt: numberOrNull(row.nonce_reused_at),
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});

export function oracleRepository(session: Session): OracleRepository {
  const find = async (accountId: string, oracleId: string): Promise<OracleRecord | null> => {
    const row = await byId.first(session, { accountId, oracleId });
    return row && toOracle(row);
  };
  return {
    insert: async (oracle) => {
      const { changes } = await insertOracles(session, [
        {
          oracle_id: oracle.oracleId,
          account_id: oracle.accountId,
          name: oracle.name,
          external_id: oracle.externalId,
          kind: oracle.kind,
          public_key: oracle.publicKey,
          url: oracle.url,
          secret: jsonOrNull(oracle.secret),
          is_default: flag(oracle.isDefault),
          equivocated_at: bigintOrNull(oracle.equivocatedAt),
          created_at: BigInt(oracle.createdAt),
          updated_at: BigInt(oracle.updatedAt),
        },
      ]);
      if (changes > 0n) return;
      const { accountId, publicKey } = oracle;
      if ((await byPublicKey.first(session, { accountId, publicKey })) !== null) {
        throw new DomainError('already_exists', 'an oracle of this public key is registered already', {
          field: 'public_key',
        });
      }
      throw new DomainError('already_exists', 'the account has its own oracle already');
    },
    find,
    marked: async (accountId, oracleIds) =>
      (await markedAmong.all(session, { accountId, ids: textList(oracleIds) })).map(toOracle),
    findDefault: async (accountId) => {
      const row = await byDefault.first(session, { accountId });
      return row && toOracle(row);
    },
    findByPublicKey: async (accountId, publicKey) => {
      const row = await byPublicKey.first(session, { accountId, publicKey });
      return row && toOracle(row);
    },
    list: (accountId, filter, page) => {
      let matching = oracleRows(session.db).where('account_id', '=', accountId);
      if (filter.kind !== undefined) matching = matching.where('kind', '=', filter.kind);
      if (filter.externalId !== undefined) matching = matching.where('external_id', '=', filter.externalId);
      return newestFirst('oracles', page, {
        rows: (start, limit) => {
          const rows = matching.orderBy('created_at', 'desc').orderBy('oracle_id', 'desc').limit(limit);
          if ('offset' in start) return rows.offset(start.offset).execute();
          const { createdAt, id } = start.before;
          return rows.where((eb) => eb(eb.refTuple('created_at', 'oracle_id'), '<', eb.tuple(createdAt, id))).execute();
        },
        count: async () =>
          (
            await matching
              .clearSelect()
              .select((eb) => eb.fn.countAll<bigint>().as('count'))
              .executeTakeFirstOrThrow()
          ).count,
        idOf: (row) => row.oracle_id,
        toRecord: toOracle,
      });
    },
    update: async (accountId, oracleId, patch) => {
      const columns = {
        name: patch.name,
        external_id: patch.externalId,
        url: patch.url,
        equivocated_at: ifGiven(patch.equivocatedAt, bigintOrNull),
        updated_at: ifGiven(patch.updatedAt, BigInt),
      };
      await patchOracle(session, columns, { oracle_id: oracleId, account_id: accountId });
      return await find(accountId, oracleId);
    },
    delete: async (accountId, oracleId) => (await deleteUnused.run(session, { accountId, oracleId })) > 0n,
    toPoll: async (now, { ofEach, all }) => {
      const rows = await eventsToPoll.all(session, { now: BigInt(now), ofEach: BigInt(ofEach), all: BigInt(all) });
      const known = new Map<string, OracleRecord | null>();
      const found = [];
      for (const { awaited, ...row } of rows) {
        const oracle = known.get(row.oracle_id) ?? (await find(row.account_id, row.oracle_id));
        known.set(row.oracle_id, oracle);
        if (oracle) found.push({ oracle, event: toOracleEvent(row), awaited: awaited === 1n });
      }
      return found;
    },
  };
}
