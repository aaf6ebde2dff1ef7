import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import type { PageRequest } from '../records.ts';
import type { TaprootOutputFilter, TaprootOutputRecord } from '../tables/taproot.ts';
import { taprootOutputs } from '../tables/taproot.ts';

const outputs = rowsOf(taprootOutputs);
const deleteUnwatched = prepared((db, p: { accountId: string; outputId: string }) =>
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

export function taprootOutputRepository(session: Session) {
  return {
    insert: async (output: TaprootOutputRecord) => {
      await outputs.insert(session, [output]);
    },
    find: (accountId: string, outputId: string) => outputs.find(session, { accountId, outputId }),
    /** Newest first. */
    list: (accountId: string, { name, externalId, address }: TaprootOutputFilter, page: PageRequest) =>
      outputs.page(session, { name: 'taproot-outputs', where: { accountId, name, externalId, address } }, page),
    /** What the owner calls it: the rest never changes. False where it is not the account's. */
    rename: async (
      accountId: string,
      outputId: string,
      { name, externalId, updatedAt }: Pick<TaprootOutputRecord, 'name' | 'externalId' | 'updatedAt'>,
    ) => (await outputs.update(session, { accountId, outputId }, { name, externalId, updatedAt })) > 0n,
    /** False where it is not the account's, or a wallet of the account watches its script: the tree may be what spends a coin. */
    deleteUnwatched: async (accountId: string, outputId: string) =>
      (await deleteUnwatched.run(session, { accountId, outputId })) > 0n,
    /** A wallet of the account that watches the script; null where none does. */
    watchedBy: async (accountId: string, scriptPubKey: string) =>
      (await watching.first(session, { accountId, scriptPubKey }))?.wallet_id ?? null,
  };
}
