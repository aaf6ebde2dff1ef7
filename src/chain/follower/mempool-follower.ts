import { type ParsedTransaction, parseTransaction } from '../../core/blocks/transaction.ts';
import type { AccountId } from '../../core/ids.ts';
import type { BlockHash, Outpoint, Txid } from '../../core/outpoint.ts';
import type { LedgerRepository } from '../../store/store.ts';
import type { ChainSource } from '../chain-source.ts';
import { createBlockMatcher } from './block-matcher.ts';
import type { Applied, ChainSink } from './chain-sink.ts';
import type { FollowedSends } from './own-sends.ts';
import type { Watching } from './watching.ts';

const BATCH = 200;
/** Pushed transactions that wait to be looked at; the next poll finds what is dropped. */
const MAX_NOTIFIED = 5_000;
/** Tracked transactions are held against the mempool at least this often, also when nothing seems to have left it. */
const RECONCILE_EVERY_MS = 30_000;
/** A look at the whole mempool that takes longer than this is made again for new scripts only when 20 times as long has passed. */
const CHEAP_LOOK_MS = 250;
const COSTLY_LOOK_SHARE = 20;

export function createMempoolFollower(deps: {
  chain: Pick<ChainSource, 'info' | 'mempoolTxids' | 'mempoolTransactions'>;
  sink: Pick<ChainSink, 'applyMempool' | 'missingFrom' | 'leftMempool'>;
  ledger: LedgerRepository;
  watching: Watching;
  ownSends: FollowedSends;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
  /** How long a transaction of others must be missing before it counts as gone: reorgs and restarts of a node empty it for moments. */
  graceMs: number;
  onOwnMissing: (missing: { accountId: AccountId; txid: Txid }[]) => void;
}) {
  const { chain, sink, ledger, watching, ownSends, clock, graceMs } = deps;
  let seen = new Set<Txid>();
  let notified: Uint8Array[] = [];
  let lookAgainDue = false;
  let lookAgainFrom = 0;
  let reconcileDue = true;
  let reconciledAt = 0;
  const missingSince = new Map<Txid, number>();

  function learn(applied: Applied): void {
    watching.add(applied);
    if (applied.scripts.length > 0) lookAgainDue = true;
    // What lost may be in the mempool after all, and what was ignored may be right by then: the next poll looks again.
    const otherwise = [...applied.dead, ...applied.ignored];
    for (const txid of otherwise) seen.delete(txid);
    if (otherwise.length > 0) ownSends.forget();
  }

  /** Fetches and applies these; answers the coins that came of it. */
  async function take(txids: readonly Txid[], match: (raw: Uint8Array) => ParsedTransaction | null) {
    const raws = await chain.mempoolTransactions(txids);
    await watching.refresh(ledger);
    const matched = matchAll(
      raws.filter((raw) => raw !== null),
      match,
    );
    raws.forEach((raw, i) => {
      if (raw !== null) seen.add(txids[i]!);
    });
    if (matched.length === 0) return [];
    const applied = await sink.applyMempool(matched);
    learn(applied);
    return applied.coins;
  }

  /**
   * New transactions in batches. Where a later batch brings coins, a child in an earlier one may spend them: those batches are gone
   * over again for these coins, so that memory is bounded by a batch and not by the mempool.
   */
  async function takeNew(txids: readonly Txid[]): Promise<void> {
    const batches: Txid[][] = [];
    for (let i = 0; i < txids.length; i += BATCH) batches.push(txids.slice(i, i + BATCH));
    let late: { coins: Outpoint[]; before: number } = { coins: [], before: 0 };
    for (const [i, batch] of batches.entries()) {
      const coins = await take(batch, watching.matcher.matchTransaction);
      if (i > 0 && coins.length > 0) late = { coins: [...late.coins, ...coins], before: i };
    }
    while (late.before > 0) {
      const { coins, before } = late;
      const matcher = createBlockMatcher(deps.randomBytes);
      matcher.watchOutpoints(coins);
      late = { coins: [], before: 0 };
      for (const [i, batch] of batches.slice(0, before).entries()) {
        const further = await take(batch, matcher.matchTransaction);
        matcher.watchOutpoints(further);
        if (i > 0 && further.length > 0) late = { coins: [...late.coins, ...further], before: i };
      }
    }
  }

  async function reconcile(tip: BlockHash, present: ReadonlySet<Txid>): Promise<void> {
    await watching.refreshInputs(ledger);
    const { own, foreign } = await sink.missingFrom((txid) => present.has(txid));
    // With a new block the missing ones may be in it: that is for the block to say.
    if (own.length + foreign.length > 0 && (await chain.info()).bestBlockHash !== tip) return;
    reconcileDue = false;
    reconciledAt = clock();
    const now = clock();
    const still = new Set(foreign);
    for (const txid of missingSince.keys()) if (!still.has(txid)) missingSince.delete(txid);
    for (const txid of foreign) if (!missingSince.has(txid)) missingSince.set(txid, now);
    const gone = foreign.filter((txid) => now - missingSince.get(txid)! >= graceMs);
    if (gone.length > 0) learn(await sink.leftMempool(gone));
    for (const txid of gone) missingSince.delete(txid);
    if (missingSince.size > 0) reconcileDue = true;
    if (own.length > 0) deps.onOwnMissing(own);
  }

  return {
    /** A transaction that the source pushed. */
    notify(raw: Uint8Array) {
      if (notified.length < MAX_NOTIFIED) notified.push(raw);
    },
    /** Applies what was pushed and concerns us, if the mempool does hold it. */
    async takeNotified() {
      const pushed = ownSends.isEmpty()
        ? notified
        : notified.filter((raw) => !ownSends.covers(parseTransaction(raw).txid));
      notified = [];
      if (pushed.length === 0) return;
      await watching.refresh(ledger);
      const concerning = matchAll(pushed, watching.matcher.matchTransaction).map((one) => one.txid);
      // A push may be older than what is known by now (or be of a block): what counts is what the mempool holds.
      for (let i = 0; i < concerning.length; i += BATCH) {
        await take(concerning.slice(i, i + BATCH), watching.matcher.matchTransaction);
      }
    },
    /** Applies what is new in the mempool and deals with what has left it. Call it at the tip, naming that. */
    async sync(tip: BlockHash) {
      const started = clock();
      if (lookAgainDue && (seen.size === 0 || started >= lookAgainFrom)) {
        seen = new Set();
        ownSends.forget();
        lookAgainDue = false;
      }
      const whole = seen.size === 0;
      const written = ownSends.takeWritten();
      const txids = await chain.mempoolTxids();
      const present = new Set(txids);
      for (const txid of txids) if (written.has(txid)) seen.add(txid);
      await takeNew(txids.filter((txid) => !seen.has(txid) && !ownSends.covers(txid)));
      const took = clock() - started;
      if (whole) lookAgainFrom = clock() + (took > CHEAP_LOOK_MS ? took * COSTLY_LOOK_SHARE : 0);
      if (holdsOther(seen, present)) {
        reconcileDue = true;
        seen = new Set(txids.filter((txid) => seen.has(txid)));
      }
      if (reconcileDue || clock() - reconciledAt >= RECONCILE_EVERY_MS) await reconcile(tip, present);
    },
    /** The next sync looks at the whole mempool again: other scripts are watched, or the tip has changed hands. */
    forget() {
      seen = new Set();
      ownSends.forget();
      reconcileDue = true;
    },
    /**
     * Takes in what writing down blocks or mempool transactions brought to light. What lost is looked at again where the mempool has it
     * after all. Where scripts were derived because one beyond those given out was used (another program has the keys too), transactions
     * seen before may pay them: one of the next syncs looks again, the sooner the less it costs; their blocks will show them in any case.
     */
    learn,
    /** The next sync holds every tracked transaction against the mempool. */
    reconcileNext() {
      reconcileDue = true;
    },
  };
}

function holdsOther(set: ReadonlySet<Txid>, than: ReadonlySet<Txid>): boolean {
  for (const txid of set) if (!than.has(txid)) return true;
  return false;
}

/** Matches among these, over again as long as a match brings outputs of ours that another of them may spend. */
function matchAll(
  raws: readonly Uint8Array[],
  match: (raw: Uint8Array) => ParsedTransaction | null,
): ParsedTransaction[] {
  const matched: ParsedTransaction[] = [];
  let rest = raws;
  for (let before = -1; before !== matched.length && rest.length > 0; ) {
    before = matched.length;
    const unmatched: Uint8Array[] = [];
    for (const raw of rest) {
      const transaction = match(raw);
      if (transaction) matched.push(transaction);
      else unmatched.push(raw);
    }
    rest = unmatched;
  }
  return matched;
}
