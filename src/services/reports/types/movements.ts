/** The account's history as reports go through it: windows of positions, what is in the time and the wallets that were asked for. */
import type { WalletMovement } from '../../../store/repositories/report-sources.ts';
import type { ReportSource } from '../report-type.ts';

/** Transactions: one may concern a thousand wallets. */
const WINDOW = 50;
const ROWS = 500;

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

/** Of the wallet that paid it. */
export const feeOf = ({ walletId, payingWallet, direction, feeSats }: WalletMovement): bigint | null =>
  walletId === payingWallet && direction !== 'incoming' ? feeSats : null;

/** It moved coins, or may still: what failed, was replaced or given up did not. */
export const isAlive = ({ status }: Pick<WalletMovement, 'status'>): boolean =>
  status === 'confirmed' || status === 'broadcast';
