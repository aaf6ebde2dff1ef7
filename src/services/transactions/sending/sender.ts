/** Sends committed transactions and writes down what the node said. One transaction is handled once at a time in this process. */
import type { Logger } from 'pino';
import type { BroadcastVerdict, ChainSource } from '../../../chain/chain-source.ts';
import { DomainError, isWithoutAnswer } from '../../../core/errors.ts';
import type { Txid } from '../../../core/outpoint.ts';
import { createKeyedMutex, type KeyedMutex } from '../../../scheduling/keyed-mutex.ts';
import type { TransactionRecord } from '../../../store/records.ts';
import type { Repositories, Store } from '../../../store/store.ts';
import { isUnconfirmed } from '../transaction-states.ts';
import { pendingReplacement } from './pending-replacement.ts';
import { isBelowMinimum, isMissingInputs, settleVerdict } from './settle-verdict.ts';

/** Core's limit on packages. */
const MAX_PACKAGE = 25;

export interface Sender {
  /**
   * Broadcasts and settles, unless it ended since it was committed; answers the record as it stands then. Where no node answers it is
   * unchanged: it is sent again later.
   * `alongside` runs in the settling write job (a kept answer is brought up to date there). `justCommitted`: by whoever calls, a moment
   * ago, so that nobody can have ended it.
   */
  send(
    record: TransactionRecord,
    alongside?: Alongside,
    options?: { readonly justCommitted?: boolean },
  ): Promise<TransactionRecord>;
  /** The same for one read a while ago: null where it is no longer to be sent. */
  resend(record: TransactionRecord): Promise<TransactionRecord | null>;
  /** Parents and the child that pays for them, as one package where the source has packages. */
  sendPackage(parents: readonly TransactionRecord[], child: TransactionRecord): Promise<boolean>;
  /** Runs work while nobody in this process sends the transaction. */
  readonly locked: KeyedMutex<Txid>;
}

export type Alongside = (tx: Repositories, record: TransactionRecord) => Promise<void>;

export function createSender(deps: {
  store: Store;
  chain: Pick<ChainSource, 'broadcast' | 'broadcastPackage'>;
  clock: () => number;
  log: Pick<Logger, 'info' | 'warn'>;
}): Sender {
  const { store, chain, clock, log } = deps;
  const locked = createKeyedMutex<Txid>();

  /** null where the source does not answer now. */
  async function ask(question: () => Promise<BroadcastVerdict>): Promise<BroadcastVerdict | null> {
    try {
      return await question();
    } catch (error) {
      if (error instanceof DomainError && isAway(error)) return null;
      throw error;
    }
  }

  async function settle(
    record: TransactionRecord,
    verdict: BroadcastVerdict,
    alongside?: Alongside,
  ): Promise<TransactionRecord> {
    if (!alongside && verdict.result !== 'refused' && record.status === 'broadcast' && record.reason === null) {
      return record;
    }
    const settled = await store.write(async (tx) => {
      const now = await settleVerdict(tx, record, verdict, clock());
      if (now && alongside) await alongside(tx, now);
      return now;
    });
    if (verdict.result === 'refused' && settled?.reason !== record.reason) {
      log.warn(
        { txid: record.txid, reason: verdict.reason, status: settled?.status },
        'the node refused a transaction',
      );
    }
    return settled ?? record;
  }

  /** Own unconfirmed parents, grandparents first. */
  async function unconfirmedParents(record: TransactionRecord): Promise<TransactionRecord[]> {
    const found = new Map<Txid, TransactionRecord>();
    const queue = [record];
    for (const member of queue) {
      if (queue.length > MAX_PACKAGE) break;
      for (const { prev } of await store.read.transactions.inputs(member.accountId, member.txid)) {
        const parent = await store.read.transactions.find(member.accountId, prev.txid);
        if (!parent?.raw || !isUnconfirmed(parent.status)) continue;
        found.delete(parent.txid);
        found.set(parent.txid, parent);
        queue.push(parent);
      }
    }
    return [...found.values()].reverse();
  }

  async function broadcastPackage(
    parents: readonly TransactionRecord[],
    child: TransactionRecord,
  ): Promise<BroadcastVerdict | null> {
    const raws = [...parents, child].flatMap(({ raw }) => (raw ? [raw] : []));
    try {
      return await ask(() => chain.broadcastPackage(raws));
    } catch (error) {
      // No packages here: one by one is all that can be done.
      if (isWithoutAnswer(error)) return null;
      throw error;
    }
  }

  async function sendNow(record: TransactionRecord, alongside?: Alongside): Promise<TransactionRecord> {
    const { raw } = record;
    if (!raw) return record;
    const verdict = await ask(() => chain.broadcast(raw));
    if (!verdict) return record;
    if (verdict.result !== 'refused' || !isMissingInputs(verdict.reason)) return settle(record, verdict, alongside);
    // A parent of ours may have been evicted: with the child's fee both get in.
    const parents = await unconfirmedParents(record);
    if (parents.length === 0 || parents.length >= MAX_PACKAGE) return settle(record, verdict, alongside);
    return (await sendTogether(parents, record, alongside)) ?? settle(record, verdict, alongside);
  }

  async function sendTogether(
    parents: readonly TransactionRecord[],
    child: TransactionRecord,
    alongside?: Alongside,
  ): Promise<TransactionRecord | null> {
    const together = await broadcastPackage(parents, child);
    if (together && together.result !== 'refused') {
      for (const { accountId, txid } of parents) {
        // As it stands by now: a refusal on its own may have been written down since it was read.
        const parent = await store.read.transactions.find(accountId, txid);
        if (parent) await settle(parent, together);
      }
      return settle(child, together, alongside);
    }
    // Some parents may stand on their own.
    for (const parent of parents) {
      const { raw } = parent;
      const verdict = raw && (await ask(() => chain.broadcast(raw)));
      if (!verdict) return null;
      const refusedForNow =
        verdict.result === 'refused' && (isBelowMinimum(verdict.reason) || isMissingInputs(verdict.reason));
      if (!refusedForNow) await settle(parent, verdict);
      if (verdict.result === 'refused') return null;
    }
    const { raw } = child;
    const verdict = raw && (await ask(() => chain.broadcast(raw)));
    return verdict ? settle(child, verdict, alongside) : null;
  }

  return {
    locked,
    resend: (record) =>
      locked(record.txid, async () => {
        const now = await store.read.transactions.find(record.accountId, record.txid);
        // A committed replacement is sent in its place; it comes back if no node takes that.
        if (!now || !isUnconfirmed(now.status) || (await pendingReplacement(store.read, now))) return null;
        return sendNow(now);
      }),
    send: (record, alongside, { justCommitted = false } = {}) =>
      locked(record.txid, async () => {
        if (justCommitted) return sendNow(record, alongside);
        const now = await store.read.transactions.find(record.accountId, record.txid);
        if (!now || isUnconfirmed(now.status)) return sendNow(record, alongside);
        // Given up since it was committed: its coins are free for others.
        if (alongside) await store.write((tx) => alongside(tx, now));
        return now;
      }),
    sendPackage: (parents, child) =>
      locked(child.txid, async () => (await sendTogether(parents, child))?.status === 'broadcast'),
  };
}

const isAway = (error: DomainError): boolean => error.code === 'node_unavailable' || error.code === 'node_syncing';
