import type { Selectable } from 'kysely';
import type { Network } from '../../core/network.ts';
import type { StoredTree, TaprootOutputRecord, TaprootOutputRepository } from '../interfaces/taproot-outputs.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { newestFirst } from '../queries/newest-first.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { Schema } from '../schema.ts';
import { jsonOrNull, parsedOrNull } from './column-values.ts';

const insertOutputs = insertRows('taproot_outputs', [
  'output_id',
  'account_id',
  'name',
  'external_id',
  'network',
  'internal_key',
  'script_tree',
  'leaf_count',
  'merkle_root',
  'output_key',
  'parity',
  'script_pubkey',
  'address',
  'created_at',
  'updated_at',
]);
interface Key {
  accountId: string;
  outputId: string;
}
const byId = prepared((db, p: Key) =>
  db
    .selectFrom('taproot_outputs')
    .selectAll()
    .where('output_id', '=', p.outputId)
    .where('account_id', '=', p.accountId),
);
const setNames = prepared((db, p: Key & { name: string | null; externalId: string | null; at: bigint }) =>
  db
    .updateTable('taproot_outputs')
    .set({ name: p.name, external_id: p.externalId, updated_at: p.at })
    .where('output_id', '=', p.outputId)
    .where('account_id', '=', p.accountId),
);
const deleteUnwatched = prepared((db, p: Key) =>
  db
    .deleteFrom('taproot_outputs')
    .where('output_id', '=', p.outputId)
    .where('account_id', '=', p.accountId)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('scripts')
            .select('scripts.script_id')
            .whereRef('scripts.script_pubkey', '=', 'taproot_outputs.script_pubkey')
            .whereRef('scripts.account_id', '=', 'taproot_outputs.account_id'),
        ),
      ),
    ),
);
const watching = prepared((db, p: { accountId: string; scriptPubKey: string }) =>
  db
    .selectFrom('scripts')
    .select('wallet_id')
    .where('script_pubkey', '=', p.scriptPubKey)
    .where('account_id', '=', p.accountId)
    .orderBy('script_id')
    .limit(1n),
);

const toOutput = (row: Selectable<Schema['taproot_outputs']>): TaprootOutputRecord => ({
  outputId: row.output_id,
  accountId: row.account_id,
  name: row.name,
  externalId: row.external_id,
  network: row.network as Network,
  internalKey: row.internal_key,
  tree: parsedOrNull<StoredTree>(row.script_tree),
  leafCount: Number(row.leaf_count),
  merkleRoot: row.merkle_root,
  outputKey: row.output_key,
  parity: row.parity === 1n ? 1 : 0,
  scriptPubKey: row.script_pubkey,
  address: row.address,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});

export function taprootOutputRepository(session: Session): TaprootOutputRepository {
  return {
    insert: async (output) => {
      await insertOutputs(session, [
        {
          output_id: output.outputId,
          account_id: output.accountId,
          name: output.name,
          external_id: output.externalId,
          network: output.network,
          internal_key: output.internalKey,
          script_tree: jsonOrNull(output.tree),
          leaf_count: BigInt(output.leafCount),
          merkle_root: output.merkleRoot,
          output_key: output.outputKey,
          parity: BigInt(output.parity),
          script_pubkey: output.scriptPubKey,
          address: output.address,
          created_at: BigInt(output.createdAt),
          updated_at: BigInt(output.updatedAt),
        },
      ]);
    },
    find: async (accountId, outputId) => {
      const row = await byId.first(session, { accountId, outputId });
      return row && toOutput(row);
    },
    list: (accountId, filter, page) => {
      let matching = session.db.selectFrom('taproot_outputs').where('account_id', '=', accountId);
      if (filter.name !== undefined) matching = matching.where('name', '=', filter.name);
      if (filter.externalId !== undefined) matching = matching.where('external_id', '=', filter.externalId);
      if (filter.address !== undefined) matching = matching.where('address', '=', filter.address);
      return newestFirst('taproot-outputs', page, {
        rows: (start, limit) => {
          const rows = matching.selectAll().orderBy('created_at', 'desc').orderBy('output_id', 'desc').limit(limit);
          if ('offset' in start) return rows.offset(start.offset).execute();
          const { createdAt, id } = start.before;
          return rows.where((eb) => eb(eb.refTuple('created_at', 'output_id'), '<', eb.tuple(createdAt, id))).execute();
        },
        count: async () =>
          (await matching.select((eb) => eb.fn.countAll<bigint>().as('count')).executeTakeFirstOrThrow()).count,
        idOf: (row) => row.output_id,
        toRecord: toOutput,
      });
    },
    rename: async (accountId, outputId, { name, externalId, updatedAt }) =>
      (await setNames.run(session, { accountId, outputId, name, externalId, at: BigInt(updatedAt) })) > 0n,
    deleteUnwatched: async (accountId, outputId) => (await deleteUnwatched.run(session, { accountId, outputId })) > 0n,
    watchedBy: async (accountId, scriptPubKey) =>
      (await watching.first(session, { accountId, scriptPubKey }))?.wallet_id ?? null,
  };
}
