/** The first step of a commit: the coins that a transaction spends, and the outputs of what it replaces, become its own. */

import type { AccountId } from '../../../core/ids.ts';
import { type Outpoint, outpointKey, type Txid } from '../../../core/outpoint.ts';
import type { CoinRecord } from '../../../store/records.ts';
import type { Repositories } from '../../../store/store.ts';
import { ClaimConflict } from '../coins/claim-conflict.ts';
import type { BuiltTransaction } from '../drafting/built-transaction.ts';
import { isUnconfirmed } from '../transaction-states.ts';

/** Returns the coins that the transaction spends. */
export async function claimCoins(
  tx: Repositories,
  accountId: AccountId,
  built: BuiltTransaction,
): Promise<CoinRecord[]> {
  const { evicts } = built;
  const spent: Outpoint[] = built.inputs.map(({ txid, vout }) => ({ txid, vout }));
  const wanted = [...spent, ...(await outputsOf(tx, accountId, evicts, spent))];
  const claimed = built.raw === null ? null : await tx.coins.claimed(accountId, wanted, built.txid, evicts);
  const found = claimed && new Set(claimed.map(outpointKey));
  const refused = found
    ? wanted.filter((outpoint) => !found.has(outpointKey(outpoint)))
    : await claimFree(tx, accountId, wanted, built.txid, evicts);
  // An original that ended since it was read may have left its coins free.
  const original = built.replaces && (await tx.transactions.findForUpdate(accountId, built.replaces));
  if (refused.length > 0 || (original && !isUnconfirmed(original.status))) throw new ClaimConflict(refused);
  const keys = new Set(spent.map(outpointKey));
  return claimed?.filter((coin) => keys.has(outpointKey(coin))) ?? tx.coins.findMany(accountId, spent);
}

/**
 * For a replacement that waits for signatures: the replaced transactions keep their coins until it is signed, because they may confirm.
 * Returns the outpoints that are neither theirs nor free.
 */
async function claimFree(
  tx: Repositories,
  accountId: AccountId,
  wanted: readonly Outpoint[],
  by: Txid,
  evicts: readonly Txid[],
): Promise<Outpoint[]> {
  const held = new Set(
    (await tx.ledger.coinsAt(wanted))
      .filter((coin) => coin.spentBy !== null && evicts.includes(coin.spentBy) && coin.spentHeight === null)
      .map(outpointKey),
  );
  const free = wanted.filter((outpoint) => !held.has(outpointKey(outpoint)));
  return tx.coins.claim(accountId, free, by);
}

/** Outputs of the replaced transactions that pay wallets of the account and still exist, without `except`. */
export async function outputsOf(
  tx: Pick<Repositories, 'ledger'>,
  accountId: AccountId,
  evicts: readonly Txid[],
  except: readonly Outpoint[],
): Promise<Outpoint[]> {
  const seen = new Set(except.map(outpointKey));
  const outputs: Outpoint[] = [];
  for (const evicted of evicts) {
    for (const coin of await tx.ledger.coinsOf(evicted)) {
      if (coin.accountId !== accountId || !coin.live || seen.has(outpointKey(coin))) continue;
      seen.add(outpointKey(coin));
      outputs.push({ txid: coin.txid, vout: coin.vout });
    }
  }
  return outputs;
}
