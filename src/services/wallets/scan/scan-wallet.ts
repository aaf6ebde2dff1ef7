/**
 * One wallet's scan: every block from its birthday to where the follower stands, each written like a followed block. The follower
 * matches all later blocks against the wallet's scripts by itself, so the scan is done when it has reached the follower's tip.
 */
import type { RawBlock } from '../../../chain/chain-source.ts';
import type { ParsedTransaction } from '../../../core/blocks/transaction.ts';
import type { WalletRecord, WalletScan } from '../../../store/records.ts';
import type { Repositories } from '../../../store/store.ts';
import { applyTransaction } from '../../ledger/apply-transaction.ts';
import { noChanges } from '../../ledger/changes.ts';
import { blocksAt, heightsToRead } from '../../scanning/blocks-to-read.ts';
import type { ScanOutcome } from '../../scanning/scanner.ts';
import { restoredScripts, restoreScripts } from '../restored-scripts.ts';
import { applyLabels, labelPages, lineOf } from '../wallet-labels.ts';
import { scanMempool } from './scan-mempool.ts';
import type { ScanDependencies } from './scan-ports.ts';
import type { ScanWatch } from './scan-watch.ts';

/** Blocks asked for at once, and heights between two notes of progress. */
const BLOCKS_AT_ONCE = 16;
const HEIGHTS_AT_ONCE = 1_000;

/** Scans on from where the wallet's record says, some blocks at least, until `timeIsOver`. Throws the chain source's and the store's errors. */
export async function scanWallet(
  deps: ScanDependencies,
  watch: ScanWatch,
  wallet: WalletRecord,
  signal: AbortSignal,
  timeIsOver: () => boolean,
): Promise<ScanOutcome> {
  const { store } = deps;
  const fill = () => restoreScripts(deps, wallet, signal, timeIsOver);
  if (!(await fill())) return 'more';
  const fromHeight = wallet.scan.fromHeight ?? wallet.birthdayHeight;
  const isStart = wallet.scan.atHeight === null;
  if (!(await watch.derive(store.read, isStart, signal, timeIsOver))) return 'more';
  const note = (scan: WalletScan) => store.write((tx) => tx.wallets.setScan(wallet.accountId, wallet.walletId, scan));
  let next = wallet.scan.atHeight === null ? fromHeight : wallet.scan.atHeight + 1;

  /** Whatever is paid, with all below it, is derived before its transactions are written: in jobs of some hundreds, not in theirs. */
  async function derivePaid(transactions: readonly ParsedTransaction[]): Promise<boolean> {
    const { accountId, walletId } = wallet;
    let whole = true;
    for (const { change, index } of watch.paid(transactions)) {
      const from = (await store.read.scripts.highestIndex(accountId, walletId, change)) + 1;
      if (index < from) continue;
      const given = { ...wallet, nextExternalIndex: index + 1, nextInternalIndex: index + 1 };
      const missing = await restoredScripts(deps, given, { change, from }, signal);
      await store.write((tx) =>
        deps.pool.withinLimit(tx, accountId, async () => {
          await deps.pool.countGiven(tx, wallet, change, index);
          await tx.scripts.insertMissing(missing);
          await deps.pool.topUp(tx, wallet, change);
        }),
      );
      whole &&= missing.length > index - from;
    }
    return whole || fill();
  }

  for (;;) {
    signal.throwIfAborted();
    const tip = await store.read.ledger.tip();
    if (!tip) return 'later';
    if (next > tip.height) {
      if (!(await scanMempool(deps, watch.matcher, signal, derivePaid))) return 'more';
      const outcome = await finish(deps, wallet, watch, next - 1);
      if (outcome !== 'continue') return outcome;
      continue;
    }
    const last = Math.min(next + HEIGHTS_AT_ONCE - 1, tip.height);
    const progress = (atHeight: number | null): WalletScan => ({
      state: 'scanning',
      fromHeight,
      atHeight,
      toHeight: tip.height,
      error: null,
    });
    const heights = await heightsToRead(deps.chain, watch.scriptPubKeys(), next, last, signal);
    for (let at = 0; at < heights.length; at += BLOCKS_AT_ONCE) {
      signal.throwIfAborted();
      const asked = heights.slice(at, at + BLOCKS_AT_ONCE);
      const blocks = await blocksAt(deps.chain, asked);
      for (const block of blocks) {
        const { transactions } = watch.matcher.match(block);
        if (transactions.length === 0) continue;
        if (!(await derivePaid(transactions))) return 'more';
        const outcome = await applyBlock(deps, wallet, watch, { ...block, transactions }, progress);
        if (outcome !== 'continue') return outcome;
      }
      if (blocks.length < asked.length) return 'later';
      if (asked.at(-1) === heights.at(-1) || !timeIsOver()) continue;
      await note(progress(asked.at(-1) ?? null));
      return 'more';
    }
    await note(progress(last));
    if (timeIsOver()) return 'more';
    next = last + 1;
  }
}

async function applyBlock(
  deps: ScanDependencies,
  wallet: WalletRecord,
  watch: ScanWatch,
  block: RawBlock & { readonly transactions: readonly ParsedTransaction[] },
  progress: (atHeight: number | null) => WalletScan,
): Promise<'continue' | 'restart' | 'later'> {
  return deps.store.write(async (tx) => {
    if (!(await isFollowed(tx, block))) return 'later';
    await applyAll(deps, tx, block);
    const outgrown = await watch.isOutgrown(tx);
    await tx.wallets.setScan(wallet.accountId, wallet.walletId, progress(outgrown ? null : block.height));
    return outgrown ? 'restart' : 'continue';
  });
}

/** In the chain as the follower has it, or below the first block it has. Checked in the job that writes: a reorg undoes what stands. */
async function isFollowed(tx: Repositories, block: RawBlock): Promise<boolean> {
  const tip = await tx.ledger.holdTip();
  if (!tip || block.height > tip.height) return false;
  const followed = await tx.ledger.blockAt(block.height);
  return followed === null || followed.hash === block.hash;
}

async function applyAll(
  deps: ScanDependencies,
  tx: Repositories,
  { height, hash, time, transactions }: RawBlock & { readonly transactions: readonly ParsedTransaction[] },
): Promise<void> {
  const changes = noChanges();
  const applying = { network: deps.network, scriptPool: deps.pool, now: deps.clock() };
  for (const transaction of transactions) {
    await applyTransaction(tx, transaction, { height, hash, time }, applying, changes);
  }
}

/** In one job with the look at the follower's tip: a block that it connects later is matched against these scripts. */
async function finish(
  deps: ScanDependencies,
  wallet: WalletRecord,
  watch: ScanWatch,
  scannedTo: number,
): Promise<'continue' | ScanOutcome> {
  const { accountId, walletId } = wallet;
  return deps.store.write(async (tx) => {
    const tip = await tx.ledger.holdTip();
    if (tip && tip.height > scannedTo) return 'continue';
    const fromHeight = wallet.scan.fromHeight ?? wallet.birthdayHeight;
    if (await watch.isOutgrown(tx)) {
      const again = { state: 'scanning', fromHeight, atHeight: null, toHeight: scannedTo, error: null } as const;
      await tx.wallets.setScan(accountId, walletId, again);
      return 'restart';
    }
    // A contract that was restored meanwhile has counted further ones as given out.
    if (!(await deps.pool.isWhole(tx, wallet))) return 'more';
    for await (const page of labelPages(tx, wallet)) await applyLabels(tx, wallet, page.map(lineOf), deps.clock());
    const done = { state: 'idle', fromHeight, atHeight: scannedTo, toHeight: scannedTo, error: null } as const;
    await tx.wallets.setScan(accountId, walletId, done);
    return 'done';
  });
}
