/** Works through the wallets whose scan is queued or was interrupted, one at a time, oldest request first. */
import type { Logger } from 'pino';
import { BEYOND_SOURCE, DomainError, StoreUnavailable } from '../../../core/errors.ts';
import { createWorkOutage } from '../../../core/outage.ts';
import type { WalletRecord } from '../../../store/records.ts';
import { type ScanDependencies, scanWallet } from './scan-wallet.ts';

export interface WalletScanner {
  /** Scans until the signal aborts. Run it in one process at a time: where the chain follower runs. */
  run(signal: AbortSignal): Promise<void>;
  /** A wallet was queued. */
  nudge(): void;
}

/** Other processes queue scans too, without a nudge. */
const LOOK_AGAIN_MS = 5_000;
const TRY_AGAIN_MS = 1_000;

/** Refusals that waiting does not mend. */
const FINAL: readonly DomainError['code'][] = [
  'unavailable',
  ...BEYOND_SOURCE,
  'birthday_pruned',
  'unsupported',
  'invalid_descriptor',
];

export function createWalletScanner(deps: ScanDependencies & { log: Logger }): WalletScanner {
  const { store, log } = deps;
  let wake: (() => void) | null = null;
  const failing = createWorkOutage({
    ...{ part: 'scans', log, clock: deps.clock },
    began: 'the wallets to scan could not be read',
    ended: 'the wallets to scan are read again',
  });
  const interrupted = createWorkOutage({
    ...{ part: 'scans', log, clock: deps.clock },
    began: 'wallet scans are interrupted, and go on from where they are',
    ended: 'wallet scans go on',
  });
  let nudged = false;

  function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        wake = null;
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      signal.addEventListener('abort', end);
      wake = end;
      if (signal.aborted) end();
    });
  }

  /** Whether it went on as it should; false: wait before the next try. */
  async function scanOne(wallet: WalletRecord, signal: AbortSignal): Promise<boolean> {
    const at = { walletId: wallet.walletId, fromHeight: wallet.scan.fromHeight, atHeight: wallet.scan.atHeight };
    try {
      log.debug(at, 'scanning the chain for a wallet');
      const outcome = await scanWallet(deps, wallet, signal);
      log.info({ ...at, outcome }, 'wallet scan');
      interrupted.ended();
      return outcome !== 'later';
    } catch (error) {
      if (signal.aborted) return true;
      if (!(error instanceof DomainError) || error instanceof StoreUnavailable || !FINAL.includes(error.code)) {
        interrupted.began(error);
        return false;
      }
      log.error({ ...at, err: error }, 'wallet scan failed');
      const scan = { ...wallet.scan, state: 'failed', error: error.message } as const;
      await store.write((tx) => tx.wallets.setScan(wallet.accountId, wallet.walletId, scan));
      return true;
    }
  }

  /** One look at the queue; the wait before the next. */
  async function turn(signal: AbortSignal): Promise<number> {
    const [wallet, ...others] = await store.read.ledger.walletsToScan();
    failing.ended();
    if (!wallet) return LOOK_AGAIN_MS;
    if (await scanOne(wallet, signal)) return 0;
    // One that cannot go on now does not keep the others waiting.
    for (const other of others) {
      if (signal.aborted) break;
      await scanOne(other, signal);
    }
    return TRY_AGAIN_MS;
  }

  return {
    async run(signal) {
      while (!signal.aborted) {
        nudged = false;
        const wait = await turn(signal).catch((error: unknown) => {
          failing.began(error);
          return TRY_AGAIN_MS;
        });
        if (wait > 0 && !(nudged && wait === LOOK_AGAIN_MS)) await pause(wait, signal);
      }
    },
    nudge() {
      nudged = true;
      wake?.();
    },
  };
}
