/** Puts a transaction into the database, in one write job: claims its coins, watches its change, writes its record and event. */

import { canonicalJson } from '../../../core/audit-log/canonical-json.ts';
import type { ApprovalId } from '../../../core/ids.ts';
import { type TransactionText, transactionText } from '../../../core/policies/approval-text.ts';
import type { CountedSum } from '../../../core/policies/policy.ts';
import { buildTransaction } from '../../../core/transactions/build-transaction.ts';
import type { ScriptRecord, TransactionRecord } from '../../../store/records.ts';
import { RecordedBefore } from '../../../store/repositories/transactions.ts';
import type { Repositories } from '../../../store/store.ts';
import { initiatorOf, storedAsked } from '../../approvals/asked-again.ts';
import { type NewApproval, openApproval } from '../../approvals/open-approval.ts';
import { transactionEvent } from '../../ledger/transaction-event.ts';
import { type Entry, type Gate, OF_SERVICE, type OfService, type Passed } from '../../policies/gate.ts';
import type { TravelRules } from '../../travel-rule/travel-rules.ts';
import type { ScriptPool } from '../../wallets/database-script-pool.ts';
import type { BuiltTransaction } from '../drafting/built-transaction.ts';
import { claimCoins } from './claim-coins.ts';
import { effectsOf, recordOf } from './new-record.ts';
import { insertOwnCoins, ownersAmong, scriptPubKeysOf, scriptsOf } from './own-outputs.ts';
import { assertFreeExternalId, refuseAgain } from './refuse-repeated.ts';

/**
 * A replacement takes over the coins of what it evicts, and its outputs too, so that nothing spends them; restore-replaced.ts undoes it.
 * Throws ClaimConflict where a coin is no longer free.
 */
export async function commitTransaction(
  tx: Repositories,
  { scripts, gate, travelRules }: CommitDependencies,
  built: BuiltTransaction,
  passed: Passed | OfService,
  now: number,
): Promise<Committed> {
  const { accountId } = built.wallet;
  await gate.hold(tx, [passed]);
  const coins = await claimCoins(tx, accountId, built);
  // `find` also looks by unsigned txid; of native segwit the two are the same, and the insert finds it.
  if (built.txid !== built.unsignedTxid) refuseAgain(await tx.transactions.find(accountId, built.txid));
  const { gapIsFilled, taken } = built.changeLease
    ? await scripts.commitPayment(tx, built.wallet, built.changeLease)
    : { gapIsFilled: true, taken: null };

  const concerned = await scriptsOf(tx, [...built.inputs, ...built.outputs]);
  const owners = ownersAmong(concerned, accountId, built.outputs);
  const inherited = passed === OF_SERVICE ? [] : await inheritedBy(tx, built);
  const spent = { owners, at: now, waits: built.raw === null, inherited };
  const entry = passed === OF_SERVICE ? UNCOUNTED : await gate.commitSpend(tx, passed, spent);
  const record = recordOf(built, entry, owners, now);
  const inputs = built.inputs.map((input, vin) => ({ vin, prev: { txid: input.txid, vout: input.vout } }));
  try {
    await tx.transactions.insert(record, inputs, effectsOf(built, coins, owners), taken);
  } catch (error) {
    if (error instanceof RecordedBefore) refuseAgain(await tx.transactions.find(accountId, built.txid));
    throw error;
  }
  // After the insert: it takes turns by account (ordinals), so this read sees what other jobs have committed.
  if (built.kind === 'payment' && built.externalId !== null)
    await assertFreeExternalId(tx, accountId, built.externalId, built.txid);
  // Nothing can be built on outputs whose transaction may never be signed.
  if (built.raw !== null) await insertOwnCoins(tx, { ...built, accountId }, owners, now);
  if (built.approvalId !== null && passed !== OF_SERVICE)
    await openApproval(tx, approvalOf(built, built.approvalId, passed, owners), now);
  await travelRules.keep(tx, record, { travelRules: built.travelRules, paidAgain: paidAgainBy(built) });
  await tx.events.append(transactionEvent(record));
  // The repository assigns the ordinal; only lists read it.
  return {
    record: { ...record, ordinal: 0 },
    taken: gapIsFilled ? takenLater(built, concerned, owners) : null,
  };
}

/** Over the whole transaction as it is to be signed. */
function approvalOf(
  built: BuiltTransaction,
  approvalId: ApprovalId,
  passed: Passed,
  owners: ReadonlyMap<string, readonly ScriptRecord[]>,
): NewApproval {
  const { accountId, walletId, network } = built.wallet;
  // Only what comes back to the paying wallet: another may be watch-only, added by whoever asks, with somebody else's keys.
  const isOwn = (scriptPubKey: string): boolean =>
    owners.get(scriptPubKey)?.some((script) => script.walletId === walletId) ?? false;
  const raw = buildTransaction(built).toBuffer();
  return {
    ...{ approvalId, accountId, walletId, network, operation: passed.asked.operation, subject: built.txid },
    ...{ initiator: initiatorOf(passed), asked: storedAsked(passed), requirements: passed.requirements },
    ...{ requestOf: null, request: null },
    signs: canonicalJson({
      ...transactionText(raw, { walletId, network, isOwn, spent: built.inputs }),
      ...paidBy(passed.asked),
    }),
  };
}

function paidBy({ proposal, proposer }: Passed['asked']): Pick<TransactionText, 'proposal'> {
  if (proposal === undefined || proposer === undefined) return {};
  const { kind, credentialId: id, userId: counts_as } = proposer;
  return { proposal: { ...proposal, proposer: { kind, id, counts_as } } };
}

export interface CommitDependencies {
  readonly scripts: Pick<ScriptPool, 'commitPayment'>;
  readonly gate: Pick<Gate, 'hold' | 'commitSpend'>;
  readonly travelRules: Pick<TravelRules, 'keep'>;
}

const UNCOUNTED: Entry = { policy: null, counts: null, asked: null };

const paidAgainBy = ({ kind, evicts }: BuiltTransaction) => (kind === 'cancel' ? evicts.slice(1) : evicts);

/** A replacement also counts in the hours of the payments that it replaces: these give their sums back when they end. */
async function inheritedBy(tx: Pick<Repositories, 'transactions'>, built: BuiltTransaction): Promise<CountedSum[]> {
  const { accountId } = built.wallet;
  const replaced = await Promise.all(paidAgainBy(built).map((txid) => tx.transactions.findForUpdate(accountId, txid)));
  return replaced.flatMap((one) => one?.counts ?? []);
}

export interface Committed {
  readonly record: TransactionRecord;
  /**
   * For the job that records the broadcast: marks its scripts as used. True: the follower would find nothing more in the mempool's copy;
   * false where a wallet that was added meanwhile has an output. null where the follower must look: it concerns another account, replaces
   * something, or makes new addresses necessary.
   */
  readonly taken: ((tx: Pick<Repositories, 'scripts'>, now: number) => Promise<boolean>) | null;
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
  // The use of any other script moves its gap limit.
  if (unused.some((script) => script.scriptPubKey !== built.changeLease?.scriptPubKey)) return null;
  const places = scriptPubKeysOf([...built.inputs, ...built.outputs]);
  return async (tx, now) => (await tx.scripts.markUsed(accountId, unused, now, places)) === concerned.length;
}
