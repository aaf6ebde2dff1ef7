/**
 * One wallet's scan: every block from its birthday to where the follower stands, each written like a followed block. The follower
 * matches all later blocks against the wallet's scripts by itself, so the scan is done when it has reached the follower's tip.
 */
import type { ChainSource, RawBlock } from '../../../chain/chain-source.ts';
import type { ParsedTransaction } from '../../../core/blocks/transaction.ts';
import type { Network } from '../../../core/network.ts';
import type { WalletRecord, WalletScan } from '../../../store/records.ts';
import type { Repositories, Store } from '../../../store/store.ts';
import { applyTransaction } from '../../ledger/apply-transaction.ts';
import { noChanges } from '../../ledger/changes.ts';
import { restoreScripts } from '../restored-scripts.ts';
import type { ScriptPool } from '../script-pool.ts';
import { applyLabels, labelPages, lineOf } from '../wallet-labels.ts';
import { blocksAt, heightsToRead } from './blocks-to-read.ts';
import { scanMempool } from './scan-mempool.ts';
import type { ScanLedger } from './scan-ports.ts';
import { openScanWatch, type ScanWatch } from './scan-watch.ts';
import type { ScanOutcome } from './scanner.ts';

export interface ScanDependencies {
  readonly store: Store;
  readonly chain: Pick<
    ChainSource,
    'matchingBlocks' | 'blockHashesAt' | 'blocks' | 'mempoolTxids' | 'mempoolTransactions'
  >;
  readonly ledger: ScanLedger;
  readonly pool: ScriptPool;
  readonly network: Network;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Blocks asked for at once, and heights between two notes of progress. */
const BLOCKS_AT_ONCE = 16;
const HEIGHTS_AT_ONCE = 1_000;

/** Scans on from where the wallet's record says, some blocks at least, until `timeIsOver`. Throws the chain source's and the store's errors. */
export async function scanWallet(
  deps: ScanDependencies,
  wallet: WalletRecord,
  signal: AbortSignal,
  timeIsOver: () => boolean,
): Promise<ScanOutcome> {
  const { store } = deps;
  if (!(await restoreScripts(deps, wallet, signal, timeIsOver))) return 'more';
  const fromHeight = wallet.scan.fromHeight ?? wallet.birthdayHeight;
  const watch = await openScanWatch({ ...deps, repositories: store.read }, wallet);
  const note = (scan: WalletScan) => store.write((tx) => tx.wallets.setScan(wallet.accountId, wallet.walletId, scan));
  let next = wallet.scan.atHeight === null ? fromHeight : wallet.scan.atHeight + 1;

  for (;;) {
    signal.throwIfAborted();
    const tip = await store.read.ledger.tip();
    if (!tip) return 'later';
    if (next > tip.height) {
      await scanMempool(deps, wallet, watch, signal);
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
    const heights = await heightsToRead(deps.chain, watch.scriptPubKeys, next, last, signal);
    for (let at = 0; at < heights.length; at += BLOCKS_AT_ONCE) {
      signal.throwIfAborted();
      const asked = heights.slice(at, at + BLOCKS_AT_ONCE);
      const blocks = await blocksAt(deps.chain, asked);
      for (const block of blocks) {
        const outcome = await applyBlock(deps, wallet, watch, block, progress);
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
  block: RawBlock,
  progress: (atHeight: number | null) => WalletScan,
): Promise<'continue' | 'restart' | 'later'> {
  const { transactions } = watch.matcher.match(block);
  if (transactions.length === 0) return 'continue';
  return deps.store.write(async (tx) => {
    if (!(await isFollowed(tx, block))) return 'later';
    await applyAll(deps, tx, wallet, watch, transactions, block);
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
  wallet: WalletRecord,
  watch: ScanWatch,
  transactions: readonly ParsedTransaction[],
  { height, hash, time }: RawBlock,
): Promise<void> {
  const missing = await watch.missingFor(tx, transactions);
  const { accountId } = wallet;
  if (missing.length > 0) await deps.pool.withinLimit(tx, accountId, () => tx.scripts.insertMissing(missing));
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
): Promise<'continue' | 'done' | 'restart'> {
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
    for await (const page of labelPages(tx, wallet)) await applyLabels(tx, wallet, page.map(lineOf), deps.clock());
    const done = { state: 'idle', fromHeight, atHeight: scannedTo, toHeight: scannedTo, error: null } as const;
    await tx.wallets.setScan(accountId, walletId, done);
    return 'done';
  });
}
