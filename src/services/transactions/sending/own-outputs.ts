/** Outputs that pay scripts of the account's own wallets. */

import type { AccountId } from '../../../core/ids.ts';
import type { Txid } from '../../../core/outpoint.ts';
import type { CoinRecord, ScriptRecord } from '../../../store/records.ts';
import type { Repositories } from '../../../store/store.ts';

/** Of wallets of any account. */
export const scriptsOf = (
  tx: Pick<Repositories, 'ledger'>,
  places: readonly { readonly scriptPubKey: string }[],
): Promise<ScriptRecord[]> => tx.ledger.scriptsMatching(scriptPubKeysOf(places));

export const scriptPubKeysOf = (places: readonly { readonly scriptPubKey: string }[]): string[] => [
  ...new Set(places.map((place) => place.scriptPubKey)),
];

/** Scripts of the account's wallets among the outputs, by script; the same one may belong to several wallets. */
export const ownersOf = async (
  tx: Repositories,
  accountId: AccountId,
  outputs: readonly { readonly scriptPubKey: string }[],
): Promise<Map<string, ScriptRecord[]>> => ownersAmong(await scriptsOf(tx, outputs), accountId, outputs);

export function ownersAmong(
  scripts: readonly ScriptRecord[],
  accountId: AccountId,
  outputs: readonly { readonly scriptPubKey: string }[],
): Map<string, ScriptRecord[]> {
  const owners = new Map<string, ScriptRecord[]>();
  const paid = new Set(outputs.map((output) => output.scriptPubKey));
  for (const script of scripts) {
    if (script.accountId !== accountId || !paid.has(script.scriptPubKey)) continue;
    owners.set(script.scriptPubKey, [...(owners.get(script.scriptPubKey) ?? []), script]);
  }
  return owners;
}

/** Watches the outputs that belong to wallets of the account: they may be spent from now on. */
export async function insertOwnCoins(
  tx: Repositories,
  { accountId, txid, version, outputs }: SignedOutputs,
  owners: Map<string, ScriptRecord[]>,
  now: number,
): Promise<void> {
  const coins = outputs.flatMap((output, vout) =>
    (owners.get(output.scriptPubKey) ?? []).map(
      (script): CoinRecord => ({
        walletId: script.walletId,
        accountId,
        txid,
        vout,
        amountSats: output.amountSats,
        scriptPubKey: output.scriptPubKey,
        change: script.change,
        index: script.index,
        coinbase: false,
        live: true,
        own: true,
        txVersion: version,
        height: null,
        spentBy: null,
        spentHeight: null,
        locked: false,
        frozen: false,
        label: null,
        createdAt: now,
      }),
    ),
  );
  await tx.ledger.insertCoins(coins);
}

export interface SignedOutputs {
  readonly accountId: AccountId;
  readonly txid: Txid;
  readonly version: number;
  readonly outputs: readonly { readonly scriptPubKey: string; readonly amountSats: bigint }[];
}
