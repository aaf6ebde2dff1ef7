import { type Outpoint, outpointKey, type Txid } from '../../core/outpoint.ts';
import type { Repositories } from '../../store/store.ts';
import { isAlive } from './transaction-status.ts';

/**
 * Coins that are free, or new here, go to the living transaction that spends them, where one other than `except` does: to the newest,
 * where a replacement that is still to be sent and what it replaces both live.
 */
export async function assignLiveSpender(tx: Repositories, outpoints: readonly Outpoint[], except: Txid): Promise<void> {
  if (outpoints.length === 0) return;
  const open = new Set(outpoints.map(outpointKey));
  for (const spender of await tx.ledger.spendersOf(outpoints, except)) {
    if (!isAlive(spender)) continue;
    const inputs = await tx.transactions.inputs(spender.accountId, spender.txid);
    const taken = inputs.map((input) => input.prev).filter((prev) => open.has(outpointKey(prev)));
    await tx.ledger.spendCoins(taken, spender.txid, spender.blockHeight);
  }
}
