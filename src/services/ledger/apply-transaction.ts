import type { ParsedTransaction } from '../../core/blocks/transaction.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import { type Outpoint, outpointKey } from '../../core/outpoint.ts';
import type { CoinRecord, ScriptRecord, TransactionRecord } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import { endHeldSignatures } from '../approvals/end-unapproved.ts';
import { settleContracts } from '../contracts/tracking/settle-contracts.ts';
import {
  type ConcernedContract,
  contractsConcerned,
  trackHeldCoins,
  trackSeen,
} from '../contracts/tracking/track-transaction.ts';
import { screenDeposit } from '../screening/screen-deposits.ts';
import type { ScriptPool } from '../wallets/database-script-pool.ts';
import { type AccountView, accountView, foreignView } from './account-view.ts';
import { adoptSigned } from './adopt-signed.ts';
import type { Changes, Place } from './changes.ts';
import { invalidateConflicts, isOutdated } from './conflicts.ts';
import { insertNewCoins } from './new-coins.ts';
import { depositEvent, transactionEvent } from './transaction-event.ts';
import { isOwnPayment, lacksSignatures } from './transaction-status.ts';

export interface ApplyDeps {
  readonly network: Network;
  readonly scriptPool: Pick<ScriptPool, 'topUp'>;
  readonly now: number;
}

/**
 * Writes down what a transaction is to every account that it concerns: record, coins, spends, conflicts, used scripts, and an event
 * wherever a record's status or block changes. Applying the same transaction at the same place again changes nothing.
 */
export async function applyTransaction(
  tx: Repositories,
  transaction: ParsedTransaction,
  where: Place,
  deps: ApplyDeps,
  changes: Changes,
): Promise<void> {
  const { txid } = transaction;
  // Held first, as whoever moves a contract on holds it.
  const contracts = await contractsConcerned(tx, transaction);
  // A coinbase spends nothing; the null outpoint is no coin that two of them could contend for.
  const inputs = transaction.coinbase ? [] : transaction.inputs.map((input) => input.prev);
  const scripts = await tx.ledger.scriptsMatching([...new Set(transaction.outputs.map((one) => one.scriptPubKey))]);
  // Held in this order, record before coins, as whoever settles a broadcast holds them.
  const records = await tx.ledger.transactionsOf(txid);
  const spent = inputs.length === 0 ? [] : await tx.ledger.coinsAt(inputs);
  const conflicts = inputs.length === 0 ? [] : await tx.ledger.spendersOf(inputs, txid);
  if (scripts.length + spent.length + records.length + conflicts.length + contracts.length === 0) return;
  if (await adoptSigned(tx, transaction, records, conflicts)) {
    return applyTransaction(tx, transaction, where, deps, changes);
  }

  if (where === null) {
    if (records.some((record) => record.status === 'confirmed')) return;
    if (contradictsChain(transaction, spent, conflicts) || (await isOutdated(tx, txid, records, conflicts))) {
      changes.ignored.add(txid);
      return;
    }
  }
  await invalidateConflicts(tx, txid, records, conflicts, where !== null, deps.now, changes);

  const views = viewsOf(transaction, scripts, spent, deps.network);
  for (const concerned of contracts) viewAsContracts(views, concerned, transaction, deps.network);
  for (const [accountId, view] of views) {
    const record = records.find((one) => one.accountId === accountId);
    if (record) await updateRecord(tx, record, transaction, view, where, deps.now);
    else await insertRecord(tx, accountId, transaction, view, inputs, where, deps.now);
  }
  for (const record of records) {
    if (!views.has(record.accountId)) await updateRecord(tx, record, transaction, null, where, deps.now);
  }
  const facts = { scripts, views, where, now: deps.now, known: records.length > 0 };
  if ((await insertNewCoins(tx, transaction, facts, changes)) && !transaction.coinbase) {
    for (const [accountId, { ownsAllInputs, walletId }] of views) {
      if (ownsAllInputs || !scripts.some((script) => script.accountId === accountId)) continue;
      const own = spent.filter((coin) => coin.accountId === accountId);
      const isNew = !records.some((record) => record.accountId === accountId);
      await screenDeposit(tx, transaction, { accountId, walletId, own, isNew, now: deps.now });
    }
  }
  await trackHeldCoins(tx, changes.contracts, spent, txid);
  await spend(tx, transaction, spent, where);
  await markUsed(tx, scripts, where, deps, changes);
  if (where === null) changes.inputs.push(...inputs);
  trackSeen(changes.contracts, transaction, contracts, where);
  await settleContracts(tx, changes.contracts, deps.now);
}

/** A mempool sighting that is older than a block, or than the end of a parent. */
const contradictsChain = (
  { txid }: ParsedTransaction,
  spent: readonly CoinRecord[],
  conflicts: readonly TransactionRecord[],
): boolean =>
  conflicts.some((conflict) => conflict.status === 'confirmed') ||
  spent.some((coin) => !coin.live || (coin.spentHeight !== null && coin.spentBy !== txid));

function viewsOf(
  transaction: ParsedTransaction,
  scripts: readonly ScriptRecord[],
  spent: readonly CoinRecord[],
  network: Network,
): Map<AccountId, AccountView> {
  const accounts = new Set([...spent, ...scripts].map((one) => one.accountId));
  return new Map(
    [...accounts].map((accountId) => [
      accountId,
      accountView(
        transaction,
        scripts.filter((script) => script.accountId === accountId),
        spent.filter((coin) => coin.accountId === accountId),
        network,
      ),
    ]),
  );
}

/** A contract's transaction is its account's whether or not it pays a wallet of it, and its kind is said of what was made elsewhere, too. */
function viewAsContracts(
  views: Map<AccountId, AccountView>,
  { contract, kind }: ConcernedContract,
  transaction: ParsedTransaction,
  network: Network,
): void {
  const walletId = (contract.offerSide ?? contract.acceptSide)?.walletId;
  const view = views.get(contract.accountId) ?? (walletId && foreignView(transaction, walletId, network));
  if (view) views.set(contract.accountId, { ...view, kind });
}

async function insertRecord(
  tx: Repositories,
  accountId: AccountId,
  transaction: ParsedTransaction,
  { walletId, kind, direction, recipients, amountSats, feeSats, effects }: AccountView,
  inputs: readonly Outpoint[],
  where: Place,
  now: number,
): Promise<void> {
  const { txid } = transaction;
  const record: Omit<TransactionRecord, 'ordinal'> = {
    accountId,
    txid,
    unsignedTxid: txid,
    walletId,
    kind,
    status: where ? 'confirmed' : 'broadcast',
    direction,
    // Whoever has completed a funding transaction: from now on it is kept in the mempool as any payment.
    raw: kind === 'funding' ? transaction.raw : null,
    psbt: null,
    recipients,
    amountSats,
    feeSats,
    vsize: transaction.vsize,
    version: transaction.version,
    locktime: transaction.locktime,
    inputCount: transaction.inputs.length,
    ancestorFeeSats: 0n,
    rbf: transaction.inputs.some((input) => input.sequence < 0xfffffffe),
    blockHeight: where?.height ?? null,
    blockHash: where?.hash ?? null,
    replaces: null,
    replacedBy: null,
    label: null,
    externalId: null,
    reason: null,
    policy: null,
    counts: null,
    asked: null,
    approvalId: null,
    createdAt: where ? Math.min(now, where.time * 1000) : now,
    updatedAt: now,
  };
  await tx.transactions.insert(
    record,
    inputs.map((prev, vin) => ({ vin, prev })),
    effects,
  );
  await tx.events.append(transactionEvent(record));
  if (direction === 'incoming') await tx.events.append(depositEvent(record));
}

async function updateRecord(
  tx: Repositories,
  record: TransactionRecord,
  { raw, vsize }: ParsedTransaction,
  view: AccountView | null,
  where: Place,
  now: number,
): Promise<void> {
  const { accountId, txid } = record;
  const status = where ? 'confirmed' : 'broadcast';
  const moved = record.status !== status || record.blockHash !== (where?.hash ?? null);
  const settled = record.reason === null && record.replacedBy === null;
  const signed = lacksSignatures(record);
  // What the caller asked for stays as the payment's record has it; what the ledger found may be known better by now.
  const learned = view !== null && !isOwnPayment(record) && differs(record, view);
  if (moved || !settled || learned || signed) {
    await tx.transactions.update(accountId, txid, {
      ...(moved ? { status, blockHeight: where?.height ?? null, blockHash: where?.hash ?? null } : {}),
      ...(moved || !settled ? { reason: null, replacedBy: null } : {}),
      ...(learned ? known(view) : {}),
      // Signed and sent elsewhere: from now on it is kept in the mempool as any payment.
      ...(signed ? { raw, vsize, psbt: null } : {}),
      updatedAt: now,
    });
  }
  if (record.status === 'awaiting_signature') await endHeldSignatures(tx, record, { ...record, status }, now);
  if (view) await addMissingEffects(tx, record, view);
  if (moved) {
    await tx.events.append(transactionEvent({ accountId, txid, status, blockHeight: where?.height ?? null }));
  }
}

const known = ({ walletId, kind, direction, recipients, amountSats, feeSats }: AccountView) => ({
  walletId,
  kind,
  direction,
  recipients,
  amountSats,
  feeSats,
});

const differs = (record: TransactionRecord, view: AccountView): boolean =>
  record.direction !== view.direction ||
  record.amountSats !== view.amountSats ||
  record.feeSats !== view.feeSats ||
  record.walletId !== view.walletId ||
  record.recipients.length !== view.recipients.length;

async function addMissingEffects(tx: Repositories, { accountId, txid }: TransactionRecord, view: AccountView) {
  const there = new Map((await tx.transactions.effects(accountId, txid)).map((effect) => [effect.walletId, effect]));
  const missing = view.effects.filter((effect) => {
    const known = there.get(effect.walletId);
    return !known || known.receivedSats !== effect.receivedSats || known.sentSats !== effect.sentSats;
  });
  if (missing.length > 0) await tx.transactions.addEffects(accountId, txid, missing);
}

async function spend(
  tx: Repositories,
  { txid }: ParsedTransaction,
  spent: readonly CoinRecord[],
  where: Place,
): Promise<void> {
  const height = where?.height ?? null;
  const open = new Map(
    spent
      .filter((coin) => coin.spentBy !== txid || coin.spentHeight !== height)
      .map((coin) => [outpointKey(coin), { txid: coin.txid, vout: coin.vout }]),
  );
  if (open.size > 0) await tx.ledger.spendCoins([...open.values()], txid, height);
}

/** First use of a script: it counts as used, and the gap beyond it is filled. */
async function markUsed(
  tx: Repositories,
  scripts: readonly ScriptRecord[],
  where: Place,
  { scriptPool, now }: ApplyDeps,
  changes: Changes,
): Promise<void> {
  const fresh = scripts.filter((script) => script.usedAt === null);
  if (fresh.length === 0) return;
  await tx.ledger.markScriptsUsed(fresh, where ? where.time * 1000 : now);
  const branches = new Map(fresh.map((script) => [`${script.walletId} ${script.change}`, script]));
  for (const { walletId, change } of branches.values()) {
    const wallet = await tx.ledger.wallet(walletId);
    if (!wallet) continue;
    const derived = await scriptPool.topUp(tx, wallet, change);
    changes.scripts.push(...derived.map((script) => script.scriptPubKey));
  }
}
