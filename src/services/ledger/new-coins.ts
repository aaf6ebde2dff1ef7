import type { ParsedTransaction } from '../../core/blocks/transaction.ts';
import type { AccountId } from '../../core/ids.ts';
import type { CoinRecord, ScriptRecord } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import type { AccountView } from './account-view.ts';
import type { Changes, Place } from './changes.ts';
import { assignLiveSpender } from './live-spender.ts';

/**
 * Deposits below this to a script that was used before are frozen: sent unasked, they cost more to spend than they bring and tie
 * addresses together when they are. The owner can unfreeze them.
 */
const UNASKED_DEPOSIT_SATS = 1_000n;

interface Facts {
  readonly scripts: readonly ScriptRecord[];
  readonly views: ReadonlyMap<AccountId, AccountView>;
  readonly where: Place;
  readonly now: number;
  /** Whether any account had a record of it before: else it has no coins yet. */
  readonly known: boolean;
}

/**
 * One coin for each wallet that owns the script of an output; those there already move to where the transaction is now. Answers whether some
 * are new.
 */
export async function insertNewCoins(
  tx: Repositories,
  transaction: ParsedTransaction,
  facts: Facts,
  changes: Changes,
): Promise<boolean> {
  const { txid } = transaction;
  const height = facts.where?.height ?? null;
  const there = facts.known ? await tx.ledger.coinsOf(txid) : [];
  if (there.some((coin) => !coin.live || coin.height !== height)) {
    await tx.ledger.updateCoinsOf(txid, { height, live: true });
    changes.coins.push(...there.filter((coin) => !coin.live).map(({ vout }) => ({ txid, vout })));
  }
  const known = new Set(there.map((coin) => `${coin.walletId} ${coin.vout}`));
  const owners = Map.groupBy(facts.scripts, (script) => script.scriptPubKey);
  const added = transaction.outputs.flatMap((output, vout) =>
    (owners.get(output.scriptPubKey) ?? [])
      .filter((script) => !known.has(`${script.walletId} ${vout}`))
      .map((script) => coinOf(transaction, vout, script, facts)),
  );
  if (added.length === 0) return false;
  await tx.ledger.insertCoins(added);
  const outpoints = [...new Map(added.map(({ vout }) => [vout, { txid, vout }])).values()];
  changes.coins.push(...outpoints);
  // A coin may become known after its spender (a wallet that joined later, a child seen before its parent).
  await assignLiveSpender(tx, outpoints, txid);
  return true;
}

function coinOf(transaction: ParsedTransaction, vout: number, script: ScriptRecord, facts: Facts): CoinRecord {
  const { amountSats } = transaction.outputs[vout]!;
  const own = facts.views.get(script.accountId)?.ownsAllInputs ?? false;
  const unasked = !own && !transaction.coinbase && script.usedAt !== null && amountSats < UNASKED_DEPOSIT_SATS;
  return {
    walletId: script.walletId,
    accountId: script.accountId,
    txid: transaction.txid,
    vout,
    amountSats,
    scriptPubKey: script.scriptPubKey,
    change: script.change,
    index: script.index,
    coinbase: transaction.coinbase,
    live: true,
    own,
    txVersion: transaction.version,
    height: facts.where?.height ?? null,
    spentBy: null,
    spentHeight: null,
    locked: false,
    frozen: unasked,
    label: null,
    createdAt: facts.now,
  };
}
