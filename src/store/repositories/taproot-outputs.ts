import type { TaprootOutputRepository } from '../interfaces/taproot-outputs.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
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

export function taprootOutputRepository(session: Session): TaprootOutputRepository {
  return {
    insert: async (output) => {
      await outputs.insert(session, [output]);
    },
    find: (accountId, outputId) => outputs.find(session, { accountId, outputId }),
    list: (accountId, { name, externalId, address }, page) =>
      outputs.page(session, { name: 'taproot-outputs', where: { accountId, name, externalId, address } }, page),
    rename: async (accountId, outputId, { name, externalId, updatedAt }) =>
      (await outputs.update(session, { accountId, outputId }, { name, externalId, updatedAt })) > 0n,
    deleteUnwatched: async (accountId, outputId) => (await deleteUnwatched.run(session, { accountId, outputId })) > 0n,
    watchedBy: async (accountId, scriptPubKey) =>
      (await watching.first(session, { accountId, scriptPubKey }))?.wallet_id ?? null,
  };
}
