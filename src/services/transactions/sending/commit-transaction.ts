/** Puts a transaction into the database, in one write job: its coins claimed, its change watched, its record and event. */

import { DomainError } from '../../../core/errors.ts';
import type { ApprovalId } from '../../../core/ids.ts';
import { type Outpoint, outpointKey, type Txid } from '../../../core/outpoint.ts';
import { transactionText } from '../../../core/policies/approval-text.ts';
import { recordedVerdict } from '../../../core/policies/recorded-verdict.ts';
import { buildTransaction } from '../../../core/transactions/build-transaction.ts';
import type { CoinRecord, ScriptRecord, TransactionRecord, WalletEffect, WalletId } from '../../../store/records.ts';
import type { CountedSum } from '../../../store/repositories/counted-sums.ts';
import type { Repositories } from '../../../store/store.ts';
import { initiatorOf, storedAsked } from '../../approvals/asked-again.ts';
import { type NewApproval, openApproval } from '../../approvals/open-approval.ts';
import { transactionEvent } from '../../ledger/transaction-event.ts';
import { type Entry, type Gate, OF_SERVICE, type OfService, type Passed } from '../../policies/gate.ts';
import type { ScriptPool } from '../../wallets/database-script-pool.ts';
import { ClaimConflict } from '../coins/claim-conflict.ts';
import type { BuiltTransaction } from '../drafting/built-transaction.ts';
import { isUnconfirmed } from '../transaction-states.ts';

/** Statuses after which a caller's external_id may name another payment. */
const GIVEN_UP: readonly TransactionRecord['status'][] = ['failed', 'abandoned', 'replaced'];

/**
 * The coins of what it evicts move to it, and so do their outputs, so that nobody builds on them; restore-replaced.ts undoes it. Throws ClaimConflict where a coin is no longer free.
 */
export async function commitTransaction(
  tx: Repositories,
  { scripts, gate }: CommitDependencies,
  built: BuiltTransaction,
  passed: Passed | OfService,
  now: number,
): Promise<Committed> {
  const { accountId } = built.wallet;
  await gate.hold(tx, [passed]);
  const coins = await claimCoins(tx, accountId, built);
  await refuseSameAgain(tx, accountId, built);
  const gapIsFilled = !built.changeLease || (await scripts.commitChange(tx, built.wallet, built.changeLease));

  const concerned = await scriptsOf(tx, [...built.inputs, ...built.outputs]);
  const owners = ownersAmong(concerned, accountId, built.outputs);
  const inherited = passed === OF_SERVICE ? [] : await inheritedBy(tx, built);
  const entry = passed === OF_SERVICE ? UNCOUNTED : await gate.commitSpend(tx, passed, { owners, at: now, inherited });
  const record = recordOf(built, entry, owners, now);
  const inputs = built.inputs.map((input, vin) => ({ vin, prev: { txid: input.txid, vout: input.vout } }));
  await tx.transactions.insert(record, inputs, effectsOf(built, coins, owners));
  // The account's positions are given one job at a time: after the insert, what any other job has committed is seen here.
  if (built.kind === 'payment' && built.externalId !== null)
    await assertFreeExternalId(tx, accountId, built.externalId, built.txid);
  // Nothing can be built on outputs whose transaction may never be signed.
  if (built.raw !== null) await insertOwnCoins(tx, { ...built, accountId }, owners, now);
  if (built.approvalId !== null && passed !== OF_SERVICE)
    await openApproval(tx, approvalOf(built, built.approvalId, passed, owners), now);
  await tx.events.append(transactionEvent(record));
  // Positions are the repository's to give; whoever pages reads them from there.
  return {
    record: { ...record, ordinal: 0 },
    taken: gapIsFilled ? takenLater(built, concerned, owners) : null,
  };
}

const awaits = ({ approvalId }: BuiltTransaction) =>
  approvalId === null ? ('awaiting_signature' as const) : ('awaiting_approval' as const);

/** Over the whole transaction as it is to be signed. */
function approvalOf(
  built: BuiltTransaction,
  approvalId: ApprovalId,
  passed: Passed,
  owners: ReadonlyMap<string, readonly ScriptRecord[]>,
): NewApproval {
  const { accountId, walletId, network } = built.wallet;
  const isOwn = (scriptPubKey: string): boolean => owners.has(scriptPubKey);
  const raw = buildTransaction(built).toBuffer();
  return {
    ...{ approvalId, accountId, walletId, network, operation: passed.asked.operation, subject: built.txid },
    ...{ initiator: initiatorOf(passed), asked: storedAsked(passed), requirements: passed.requirements },
    ...{ requestOf: null, request: null },
    signs: transactionText(raw, { walletId, network, isOwn, spent: built.inputs }),
  };
}

export interface CommitDependencies {
  readonly scripts: Pick<ScriptPool, 'commitChange'>;
  readonly gate: Pick<Gate, 'hold' | 'commitSpend'>;
}

const UNCOUNTED: Entry = { policy: null, counts: null };

/** What is paid instead of what it replaces counts with it, in the old hours: the replaced ones give theirs back when they end. */
async function inheritedBy(
  tx: Pick<Repositories, 'transactions'>,
  { wallet: { accountId }, kind, evicts }: BuiltTransaction,
): Promise<CountedSum[]> {
  const paidAgain = kind === 'cancel' ? evicts.slice(1) : evicts;
  const replaced = await Promise.all(paidAgain.map((txid) => tx.transactions.findForUpdate(accountId, txid)));
  return replaced.flatMap((one) => one?.counts ?? []);
}

export interface Committed {
  readonly record: TransactionRecord;
  /**
   * For the job that writes down that a node has it: marks its scripts as used. True: all is written that the mempool could tell of it; false
   * where it concerns a wallet that came meanwhile. null where there is more: another account, what it replaces, addresses to be derived.
   */
  readonly taken: ((tx: Pick<Repositories, 'ledger' | 'scripts'>, now: number) => Promise<boolean>) | null;
}

function takenLater(
  built: BuiltTransaction,
  concerned: readonly ScriptRecord[],
  owners: ReadonlyMap<string, readonly ScriptRecord[]>,
): Committed['taken'] {
  const { accountId } = built.wallet;
  if (built.raw === null || built.replaces !== null || concerned.some((one) => one.accountId !== accountId))
    return null;
  const unused = [...owners.values()].flat().filter((script) => script.usedAt === null);
  // The gap behind any other would have to be filled.
  if (unused.some((script) => script.scriptPubKey !== built.changeLease?.scriptPubKey)) return null;
  return async (tx, now) => {
    await tx.scripts.markUsed(accountId, unused, now);
    return (await scriptsOf(tx, [...built.inputs, ...built.outputs])).length === concerned.length;
  };
}

/**
 * Its coins are free, so that a payment with these inputs, outputs and locktime has ended: a record has one end, and whoever has the
 * other's signatures has this one's. Only a payment without change, in the same block, can come out the same.
 */
async function refuseSameAgain(
  tx: Pick<Repositories, 'transactions'>,
  accountId: string,
  { txid, unsignedTxid }: BuiltTransaction,
): Promise<void> {
  // Signatures change no txid of native segwit: there the other look would find the same.
  const look = txid === unsignedTxid ? tx.transactions.findForUpdate : tx.transactions.find;
  const before = await look(accountId, txid);
  if (!before) return;
  throw new DomainError(
    'state_conflict',
    `this would be transaction ${before.txid} once more, to the last byte, and that is ${before.status}: ` +
      'take another fee rate or amount, or wait for the next block',
    { field: 'recipients' },
  );
}

/** Throws `already_exists` where a living payment of the account, other than `except`, has the external_id. */
export async function assertFreeExternalId(
  tx: Pick<Repositories, 'transactions'>,
  accountId: string,
  externalId: string,
  except?: Txid,
): Promise<void> {
  const named = await tx.transactions.list(accountId, { externalId }, { limit: 100, offset: 0 });
  const living = named.data.find((record) => record.txid !== except && !GIVEN_UP.includes(record.status));
  if (!living) return;
  throw new DomainError(
    'already_exists',
    `transaction ${living.txid} has this external_id already: take another, or send its Idempotency-Key to see its answer`,
    { field: 'external_id' },
  );
}

/** Answers the coins that it spends. */
async function claimCoins(tx: Repositories, accountId: string, built: BuiltTransaction): Promise<CoinRecord[]> {
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

/** The living outputs, of the account's wallets, of transactions that are replaced, but for `except`. */
export async function outputsOf(
  tx: Pick<Repositories, 'ledger'>,
  accountId: string,
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

/**
 * For a replacement that waits for signatures: what the replaced ones hold stays with them until it is signed, for they may confirm.
 * Answers the outpoints that are neither theirs nor free.
 */
async function claimFree(
  tx: Repositories,
  accountId: string,
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

/** Of wallets of any account. */
const scriptsOf = (
  tx: Pick<Repositories, 'ledger'>,
  places: readonly { readonly scriptPubKey: string }[],
): Promise<ScriptRecord[]> => tx.ledger.scriptsMatching([...new Set(places.map((place) => place.scriptPubKey))]);

/** Scripts of the account's wallets among the outputs, by script; the same one may belong to several wallets. */
export const ownersOf = async (
  tx: Repositories,
  accountId: string,
  outputs: readonly { readonly scriptPubKey: string }[],
): Promise<Map<string, ScriptRecord[]>> => ownersAmong(await scriptsOf(tx, outputs), accountId, outputs);

function ownersAmong(
  scripts: readonly ScriptRecord[],
  accountId: string,
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

function recordOf(
  built: BuiltTransaction,
  { policy, counts }: Entry,
  owners: Map<string, ScriptRecord[]>,
  now: number,
): Omit<TransactionRecord, 'ordinal'> {
  const leavesUs = built.outputs.some((output) => output.recipient !== null && !owners.has(output.scriptPubKey));
  return {
    accountId: built.wallet.accountId,
    txid: built.txid,
    unsignedTxid: built.unsignedTxid,
    walletId: built.wallet.walletId,
    kind: built.kind,
    status: built.raw === null ? awaits(built) : 'signed',
    direction: leavesUs ? 'outgoing' : 'internal',
    raw: built.raw,
    psbt: built.psbt,
    recipients: [...built.recipients],
    amountSats: built.recipients.reduce((sum, recipient) => sum + recipient.amountSats, 0n),
    feeSats: built.feeSats,
    vsize: built.vsize,
    version: built.version,
    locktime: built.locktime,
    inputCount: built.inputs.length,
    ancestorFeeSats: built.ancestorFeeSats,
    rbf: built.rbf,
    blockHeight: null,
    blockHash: null,
    replaces: built.replaces,
    replacedBy: null,
    label: built.label,
    externalId: built.externalId,
    reason: null,
    policy,
    counts,
    approvalId: built.approvalId,
    createdAt: now,
    updatedAt: now,
  };
}

/** The record that a commit would make, for a dry run. */
export async function previewTransaction(
  read: Repositories,
  built: BuiltTransaction,
  passed: Passed | OfService,
  now: number,
): Promise<TransactionRecord> {
  const verdict = passed === OF_SERVICE ? null : passed.verdict;
  const entry = { policy: verdict && recordedVerdict(verdict), counts: null };
  return { ...recordOf(built, entry, await ownersOf(read, built.wallet.accountId, built.outputs), now), ordinal: 0 };
}

function effectsOf(
  built: BuiltTransaction,
  spent: readonly CoinRecord[],
  owners: Map<string, ScriptRecord[]>,
): WalletEffect[] {
  const { walletId } = built.wallet;
  const effects = new Map<string, WalletEffect>([[walletId, { walletId, receivedSats: 0n, sentSats: 0n }]]);
  const add = (wallet: WalletId, received: bigint, sent: bigint) => {
    const effect = effects.get(wallet) ?? { walletId: wallet, receivedSats: 0n, sentSats: 0n };
    effects.set(wallet, {
      walletId: wallet,
      receivedSats: effect.receivedSats + received,
      sentSats: effect.sentSats + sent,
    });
  };
  for (const coin of spent) {
    // Locked or frozen since the coins were read.
    const withdrawn = coin.locked || (coin.frozen && !built.namesCoins);
    if (withdrawn && built.replaces === null && coin.walletId === walletId) throw new ClaimConflict([coin]);
    add(coin.walletId, 0n, coin.amountSats);
  }
  for (const output of built.outputs) {
    for (const script of owners.get(output.scriptPubKey) ?? []) add(script.walletId, output.amountSats, 0n);
  }
  return [...effects.values()];
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
  readonly accountId: string;
  readonly txid: Txid;
  readonly version: number;
  readonly outputs: readonly { readonly scriptPubKey: string; readonly amountSats: bigint }[];
}
