/** The account's history as reports go through it: windows of positions, what is in the time and the wallets that were asked for. */
import type { WalletMovement } from '../../../store/repositories/report-sources.ts';
import type { ReportSource } from '../report-type.ts';

const WINDOW = 200;

export const countHistory = ({ read, accountId }: ReportSource): Promise<number> =>
  read.reportSources.historyLength(accountId);

/** Until the length that it had at the beginning: what comes later is not in the report. */
export async function* movementsOf({ read, accountId, from, to, wallets }: ReportSource) {
  const length = await read.reportSources.historyLength(accountId);
  const wanted = wallets === null ? null : new Set<string>(wallets);
  for (let after = 0; after < length; after += WINDOW) {
    const upTo = Math.min(after + WINDOW, length);
    const found = await read.reportSources.movements({ accountId, after, upTo });
    yield {
      passed: upTo - after,
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
