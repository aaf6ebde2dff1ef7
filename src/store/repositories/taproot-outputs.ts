import type { AccountId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import { integer, json, named, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

/** A leaf, or the two halves of a branch; scripts in hex. */
export type StoredTree = { readonly script: string; readonly leafVersion: number } | readonly [StoredTree, StoredTree];

export interface TaprootOutputFilter {
  name?: string;
  externalId?: string;
  address?: string;
}

export const taprootOutputs = table('taproot_outputs', ['outputId'], {
  outputId: text(),
  accountId: text<AccountId>(),
  name: orNull(text()),
  externalId: orNull(text()),
  network: text<Network>(),
  /** x-only */
  internalKey: text(),
  tree: named('script_tree', orNull(json<StoredTree>())),
  leafCount: integer,
  merkleRoot: orNull(text()),
  /** x-only */
  outputKey: text(),
  parity: { load: (stored: bigint): 0 | 1 => (stored === 1n ? 1 : 0), store: BigInt },
  scriptPubKey: named('script_pubkey', text()),
  address: text(),
  createdAt: time,
  updatedAt: time,
});
/** All keys and hashes in hex. */
export type TaprootOutputRecord = RecordOf<typeof taprootOutputs>;

declare module '../schema.ts' {
  interface Schema {
    taproot_outputs: RowOf<typeof taprootOutputs>;
  }
}

const outputs = rowsOf(taprootOutputs);
const deleteUnwatched = prepared((db, p: { accountId: AccountId; outputId: string }) =>
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
const watching = prepared((db, p: { accountId: AccountId; scriptPubKey: string }) =>
  db
    .selectFrom('scripts')
    .select('wallet_id')
    .where('script_pubkey', '=', p.scriptPubKey)
    .where('account_id', '=', p.accountId)
    .orderBy('script_id')
    .limit(1n),
);

export function taprootOutputRepository(session: Session) {
  return {
    insert: async (output: TaprootOutputRecord) => {
      await outputs.insert(session, [output]);
    },
    find: (accountId: AccountId, outputId: string) => outputs.find(session, { accountId, outputId }),
    /** Newest first. */
    list: (accountId: AccountId, { name, externalId, address }: TaprootOutputFilter, page: PageRequest) =>
      outputs.page(session, { name: 'taproot-outputs', where: { accountId, name, externalId, address } }, page),
    /** What the owner calls it: the rest never changes. False where it is not the account's. */
    rename: async (
      accountId: AccountId,
      outputId: string,
      { name, externalId, updatedAt }: Pick<TaprootOutputRecord, 'name' | 'externalId' | 'updatedAt'>,
    ) => (await outputs.update(session, { accountId, outputId }, { name, externalId, updatedAt })) > 0n,
    /** False where it is not the account's, or a wallet of the account watches its script: the tree may be what spends a coin. */
    deleteUnwatched: async (accountId: AccountId, outputId: string) =>
      (await deleteUnwatched.run(session, { accountId, outputId })) > 0n,
    /** A wallet of the account that watches the script; null where none does. */
    watchedBy: async (accountId: AccountId, scriptPubKey: string) =>
      (await watching.first(session, { accountId, scriptPubKey }))?.wallet_id ?? null,
  };
}
