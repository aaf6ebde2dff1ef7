/** The account's history as reports go through it: windows of positions, what is in the time and the wallets that were asked for. */
import { DomainError } from '../../../core/errors.ts';
import type { WalletMovement } from '../../../store/repositories/report-sources.ts';
import type { ReportSource } from '../report-type.ts';

/** Transactions: one may concern a thousand wallets. */
const WINDOW = 50;
const ROWS = 500;
/** Each is a lookup or two: a page takes some milliseconds. */
const MINED_ROWS = 200;

export const countHistory = ({ read, accountId }: ReportSource): Promise<number> =>
  read.reportSources.historyLength(accountId);

/** Until the length that it had at the beginning: what comes later is not in the report. */
export async function* movementsOf({ read, accountId, from, to, wallets }: ReportSource) {
  const length = await read.reportSources.historyLength(accountId);
  const wanted = wallets === null ? null : new Set<string>(wallets);
  for (let [after, wallet] = [0, '']; after < length; ) {
    const upTo = Math.min(after + WINDOW, length);
    const found = await read.reportSources.movements({ accountId, after, upTo }, { wallet, limit: ROWS });
    const last = found.length === ROWS ? found.at(-1) : undefined;
    // More of the last transaction's may come.
    const done = last === undefined ? upTo : last.ordinal - 1;
    const passed = done - after;
    [after, wallet] = [done, last?.walletId ?? ''];
    yield {
      passed,
      movements: found.filter(({ at, walletId }) => at >= from && at < to && (wanted?.has(walletId) ?? true)),
    };
  }
}

/** Blocks that are looked through at once where they have little. */
const MOST_BLOCKS = 1_000;

/**
 * What is in blocks, in the order of the chain, as it stands at the beginning; throws `unavailable` where blocks were disconnected meanwhile, for a
 * transaction may then have come twice, or not.
 */
export async function* minedOf({ read, accountId, from, to, wallets }: ReportSource) {
  const tip = await read.ledger.tip();
  const length = await read.reportSources.historyLength(accountId);
  const heights = await read.reportSources.heights();
  const { lowest, highest } = heights ?? { lowest: 0, highest: -1 };
  const wanted = wallets === null ? null : new Set<string>(wallets);
  const isWanted = ({ ordinal, status, at, walletId }: WalletMovement): boolean =>
    ordinal <= length && status === 'confirmed' && at >= from && at < to && (wanted?.has(walletId) ?? true);
  let blocks = MOST_BLOCKS;
  for (let place = { height: lowest, ordinal: 0, wallet: '' }; place.height <= highest; ) {
    const upTo = Math.min(place.height + blocks - 1, highest);
    const found = await read.reportSources.mined(accountId, place, { upTo, limit: MINED_ROWS });
    const last = found.length === MINED_ROWS ? found.at(-1) : undefined;
    // Whoever sorts all of a window for each page sorts little.
    blocks = last === undefined ? Math.min(2 * blocks, MOST_BLOCKS) : Math.ceil(blocks / 2);
    place =
      last === undefined
        ? { height: upTo + 1, ordinal: 0, wallet: '' }
        : { height: last.blockHeight as number, ordinal: last.ordinal, wallet: last.walletId };
    yield found.filter(isWanted);
  }
  if (tip !== null && (await read.ledger.blockAt(tip.height))?.hash !== tip.hash)
    throw new DomainError('unavailable', 'blocks were disconnected while the report was made');
}

/** Of the wallet that paid it. */
export const feeOf = ({ walletId, payingWallet, direction, feeSats }: WalletMovement): bigint | null =>
  walletId === payingWallet && direction !== 'incoming' ? feeSats : null;

/** It moved coins, or may still: what failed, was replaced or given up did not. */
export const isAlive = ({ status }: Pick<WalletMovement, 'status'>): boolean =>
  status === 'confirmed' || status === 'broadcast';
