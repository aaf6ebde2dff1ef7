import type { Logger } from 'pino';
import type { AccountId, WalletId } from '../../core/ids.ts';
import { createWorker, type Worker } from '../../scheduling/worker.ts';
import type { Store } from '../../store/store.ts';

/**
 * A round counts so many coins and addresses, or so many wallets; all wallets have their turn, one after another. What a large wallet has
 * beyond that is rested for: counting it holds SQLite's writer for a microsecond each.
 */
const ROWS = 20_000;
const WALLETS = 200;
const EVERY_MS = 60_000;

export interface SumChecks {
  readonly worker: Worker;
  /** Of this process. `wrong`: wallets of which something else was kept than counted, and that were corrected. */
  counts(): { readonly checked: number; readonly wrong: number };
}

/**
 * Compares what is kept of each wallet's coins and addresses (balances, totals of lists) with what they come to. Triggers of the database
 * keep it: where it differs, something changed the database past them. It is corrected, and said aloud.
 */
export function createSumChecks(deps: {
  store: Store;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  clock: () => number;
  /** The first wallet's id comes after it: another one at each start, so that none is never reached where starts are many. */
  after?: string;
}): SumChecks {
  const { store, log, clock } = deps;
  const counts = { checked: 0, wrong: 0 };
  let { after = '' } = deps;
  let rows = 0;

  async function correct(accountId: AccountId, walletId: WalletId): Promise<void> {
    const wrong = await store.write((tx) => tx.walletSums.correct(accountId, walletId));
    if (wrong.length === 0) return;
    counts.wrong++;
    const sums = wrong.map(({ class: of, kept, counted }) => ({
      class: Number(of),
      kept: [Number(kept.items), `${kept.amount}`],
      counted: [Number(counted.items), `${counted.amount}`],
    }));
    log.error(
      { part: 'sums', accountId, walletId, sums },
      'the sums kept of a wallet, and with them its balance, were not those of its coins: they were corrected',
    );
  }

  async function round(signal: AbortSignal): Promise<void> {
    rows = Math.max(rows - ROWS, 0);
    if (rows > 0) return;
    const wallets = await store.read.walletSums.walletsAfter(after, WALLETS);
    for (const { accountId, walletId } of wallets) {
      if (rows >= ROWS || signal.aborted) return;
      const checked = await store.write((tx) => tx.walletSums.check(walletId));
      rows += checked.rows;
      if (checked.wrong.length > 0) await correct(accountId, walletId);
      counts.checked++;
      after = walletId;
    }
    if (wallets.length < WALLETS) after = '';
  }

  const worker = createWorker({
    ...{ name: 'sums', log, clock, round, intervalMs: EVERY_MS },
    failed: 'the sums kept of wallets could not be checked',
    recovered: 'the sums kept of wallets are checked again',
  });
  return { worker, counts: () => ({ ...counts }) };
}
