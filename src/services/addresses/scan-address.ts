/**
 * One address' scan: blocks from its first height to where the follower stands, what is found written block by block with how far it
 * came, so that a restart goes on from there. Memory: the unspent outputs' fingerprints, and the blocks of one reading.
 */
import type { ChainSource, RawBlock } from '../../chain/chain-source.ts';
import { type BlockMatcher, createBlockMatcher } from '../../chain/follower/block-matcher.ts';
import type { ParsedTransaction } from '../../core/blocks/transaction.ts';
import { DomainError } from '../../core/errors.ts';
import type { BlockHash } from '../../core/outpoint.ts';
import type { PageRequest } from '../../store/records.ts';
import type { AddressCoin, AddressScanRecord, AddressSpend } from '../../store/repositories/address-scans.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { blocksAt, heightsToRead } from '../scanning/blocks-to-read.ts';
import type { ScanOutcome } from '../scanning/scanner.ts';

export interface AddressScanDependencies {
  readonly store: Store;
  readonly chain: Pick<ChainSource, 'matchingBlocks' | 'blockHashesAt' | 'blocks'>;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Outputs that one scan may find: more are an exchange's or a pool's, which wants an index. */
const MAX_COINS = 100_000;

const COINS_AT_ONCE = 5_000;
const BLOCKS_AT_ONCE = 16;
const HEIGHTS_AT_ONCE = 1_000;

/**
 * Scans on from where the record says, some blocks at least, until `timeIsOver`. Restart: a block that it had looked at left the chain. Throws `too_large`, and the chain source's and the store's errors.
 */
export async function scanAddress(
  deps: AddressScanDependencies,
  scan: AddressScanRecord,
  signal: AbortSignal,
  timeIsOver: () => boolean,
): Promise<ScanOutcome> {
  const { store, chain } = deps;
  const matcher = await openMatcher(deps, scan);
  const found = { coins: await store.read.addressScans.countCoins(scan) };
  let last: Reached | null =
    scan.atHeight === null || scan.atHash === null ? null : { height: scan.atHeight, hash: scan.atHash };
  for (;;) {
    signal.throwIfAborted();
    const next = last === null ? scan.fromHeight : last.height + 1;
    const tip = await store.read.ledger.tip();
    if (!tip) return 'later';
    if (next > tip.height) {
      const outcome = await finish(deps, scan, last);
      if (outcome !== 'continue') return outcome;
      continue;
    }
    const to = Math.min(next + HEIGHTS_AT_ONCE - 1, tip.height);
    const heights = await heightsToRead(chain, [scan.scriptPubKey], next, to, signal);
    // The end of the range is read too: its hash is what says that all below it was looked at.
    if (heights.at(-1) !== to) heights.push(to);
    for (let at = 0; at < heights.length; at += BLOCKS_AT_ONCE) {
      signal.throwIfAborted();
      const wanted = heights.slice(at, at + BLOCKS_AT_ONCE);
      const blocks = await blocksAt(chain, wanted);
      for (const block of blocks) {
        const outcome = await applyBlock(deps, scan, { matcher, found }, block, last, tip.height);
        if (outcome !== 'continue') return outcome;
        last = { height: block.height, hash: block.hash };
      }
      if (blocks.length < wanted.length) return 'later';
      if (timeIsOver()) return 'more';
    }
  }
}

interface Reached {
  readonly height: number;
  readonly hash: BlockHash;
}

async function openMatcher(
  { store, randomBytes }: AddressScanDependencies,
  scan: AddressScanRecord,
): Promise<BlockMatcher> {
  const matcher = createBlockMatcher(randomBytes);
  matcher.watchScripts([scan.scriptPubKey]);
  let page: PageRequest | null = { limit: COINS_AT_ONCE, offset: 0 };
  while (page) {
    const found = await store.read.addressScans.unspent(scan, page);
    matcher.watchOutpoints(found.data);
    page = found.nextCursor === null ? null : { limit: COINS_AT_ONCE, offset: 0, cursor: found.nextCursor };
  }
  return matcher;
}

async function applyBlock(
  { store }: AddressScanDependencies,
  scan: AddressScanRecord,
  { matcher, found }: { matcher: BlockMatcher; found: { coins: number } },
  block: RawBlock,
  last: Reached | null,
  toHeight: number,
): Promise<'continue' | Exclude<ScanOutcome, 'more'>> {
  const { transactions } = matcher.match(block);
  const { coins, spends } = touching(scan.scriptPubKey, transactions, block);
  if (found.coins + coins.length > MAX_COINS) throw tooMany(block.height);
  found.coins += coins.length;
  return store.write(async (tx) => {
    const standing = await standingOf(tx, last, block);
    if (standing !== 'continue') return standing;
    const progress = { state: 'running', atHeight: block.height, atHash: block.hash, toHeight } as const;
    // Deleted meanwhile.
    if (!(await tx.addressScans.update(scan, progress))) return 'done';
    if (coins.length > 0) await tx.addressScans.addCoins(scan, coins);
    if (spends.length > 0) await tx.addressScans.spend(scan, spends);
    return 'continue';
  });
}

const tooMany = (height: number): DomainError =>
  new DomainError(
    'too_large',
    `the address has more than ${MAX_COINS} outputs up to block ${height}, more than a scan keeps: use a chain source with an ` +
      'index of addresses (Esplora), or scan from a later from_height',
  );

/** Both in the chain as the follower has it (or below the first block it has): checked in the job that writes. */
async function standingOf(
  tx: Repositories,
  last: Reached | null,
  block: Reached,
): Promise<'continue' | 'restart' | 'later'> {
  const tip = await tx.ledger.holdTip();
  if (!tip) return 'later';
  if (last !== null && !(await isFollowed(tx, last, tip.height))) return 'restart';
  return (await isFollowed(tx, block, tip.height)) ? 'continue' : 'later';
}

async function isFollowed(tx: Repositories, { height, hash }: Reached, tipHeight: number): Promise<boolean> {
  if (height > tipHeight) return false;
  const followed = await tx.ledger.blockAt(height);
  return followed === null || followed.hash === hash;
}

/** What transactions do to the script. The inputs of a match are the caller's to check: only outputs of the scan are marked spent. */
function touching(
  scriptPubKey: string,
  transactions: readonly ParsedTransaction[],
  { height, hash }: RawBlock,
): { coins: AddressCoin[]; spends: AddressSpend[] } {
  const coins: AddressCoin[] = [];
  const spends: AddressSpend[] = [];
  for (const { txid, inputs, outputs, coinbase } of transactions) {
    outputs.forEach((output, vout) => {
      if (output.scriptPubKey !== scriptPubKey) return;
      coins.push({ txid, vout, amountSats: output.amountSats, height, blockHash: hash, coinbase });
    });
    if (coinbase) continue;
    for (const { prev } of inputs) spends.push({ outpoint: prev, by: txid, height, blockHash: hash });
  }
  return { coins, spends };
}

/** In one job with the look at the follower's tip, so that the results are as of a block of the chain. */
async function finish(
  { store, clock }: AddressScanDependencies,
  scan: AddressScanRecord,
  last: Reached | null,
): Promise<'continue' | Exclude<ScanOutcome, 'more'>> {
  return store.write(async (tx) => {
    const tip = await tx.ledger.holdTip();
    if (!tip || last === null) return 'later';
    if (!(await isFollowed(tx, last, tip.height))) return 'restart';
    if (tip.height > last.height) return 'continue';
    const done = { state: 'done', toHeight: last.height, finishedAt: clock(), error: null } as const;
    await tx.addressScans.update(scan, done);
    return 'done';
  });
}
