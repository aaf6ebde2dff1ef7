/**
 * Works through the wallets whose scan is queued or was interrupted, one at a time. Accounts come in turn, each for a few seconds with its
 * oldest wallets: a long scan goes on from its noted height when its account's turn comes again.
 */
import type { Logger } from 'pino';
import { BEYOND_SOURCE, DomainError, StoreUnavailable } from '../../../core/errors.ts';
import { createPulse } from '../../../events/pulse.ts';
import { createWorkOutage } from '../../../outages/outage.ts';
import type { WalletRecord } from '../../../store/records.ts';
import { createTurns, type Turns } from '../../../turns/turns.ts';
import { type ScanDependencies, type ScanOutcome, scanWallet } from './scan-wallet.ts';

export interface WalletScanner {
  /** Scans until the signal aborts. Run it in one process at a time: where the chain follower runs. */
  run(signal: AbortSignal): Promise<void>;
  /** A wallet was queued. */
  nudge(): void;
}

/** Other processes queue scans too, without a nudge. */
const LOOK_AGAIN_MS = 5_000;
const TRY_AGAIN_MS = 1_000;
/** Of one account's turn: longer than it takes to derive what a scan looks for. */
const SLICE_MS = 3_000;

/** Refusals that waiting does not mend. */
const FINAL: readonly DomainError['code'][] = [
  'unavailable',
  ...BEYOND_SOURCE,
  'birthday_pruned',
  'unsupported',
  'invalid_descriptor',
];

export function createWalletScanner(deps: ScanDependencies & { log: Logger; sliceMs?: number }): WalletScanner {
  const { store, log, sliceMs = SLICE_MS } = deps;
  const pulse = createPulse();
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

  /** later: wait before the next try. */
  async function scanOne(wallet: WalletRecord, signal: AbortSignal, isOver: () => boolean): Promise<ScanOutcome> {
    const at = { walletId: wallet.walletId, fromHeight: wallet.scan.fromHeight, atHeight: wallet.scan.atHeight };
    try {
      log.debug(at, 'scanning the chain for a wallet');
      const outcome = await scanWallet(deps, wallet, signal, isOver);
      if (outcome !== 'more') log.info({ ...at, outcome }, 'wallet scan');
      interrupted.ended();
      return outcome;
    } catch (error) {
      if (signal.aborted) return 'later';
      if (!(error instanceof DomainError) || error instanceof StoreUnavailable || !FINAL.includes(error.code)) {
        interrupted.began(error);
        return 'later';
      }
      log.error({ ...at, err: error }, 'wallet scan failed');
      const scan = { ...wallet.scan, state: 'failed', error: error.message } as const;
      await store.write((tx) => tx.wallets.setScan(wallet.accountId, wallet.walletId, scan));
      return 'done';
    }
  }

  /** An account's turn; whether any of its scans went on. One that cannot now does not keep the others waiting. */
  async function scanSome(wallets: readonly WalletRecord[], signal: AbortSignal): Promise<boolean> {
    const end = performance.now() + sliceMs;
    const isOver = (): boolean => performance.now() >= end;
    let wentOn = false;
    for (const { accountId, walletId } of wallets) {
      for (let outcome: ScanOutcome = 'more'; outcome === 'more' || outcome === 'restart'; ) {
        if (signal.aborted || (wentOn && isOver())) return wentOn;
        const wallet = await store.read.wallets.find(accountId, walletId);
        if (wallet === null || !(wallet.scan.state === 'queued' || wallet.scan.state === 'scanning')) break;
        outcome = await scanOne(wallet, signal, isOver);
        if (outcome !== 'later') wentOn = true;
      }
    }
    return wentOn;
  }

  /** Gives each account with open scans a turn, where it has none; how long to wait before the next look. */
  async function look(turns: Turns, signal: AbortSignal): Promise<number> {
    const open = Map.groupBy(await store.read.ledger.walletsToScan(), ({ accountId }) => accountId);
    failing.ended();
    for (const [accountId, wallets] of open) {
      turns.offer(accountId, { accountId }, async () => {
        const wentOn = await scanSome(wallets, signal).catch(failing.began);
        // When the turn is over: only then can the account have another.
        if (wentOn) setImmediate(pulse.beat);
      });
    }
    return open.size > 0 ? TRY_AGAIN_MS : LOOK_AGAIN_MS;
  }

  return {
    async run(signal) {
      const turns = createTurns({ all: 1 });
      while (!signal.aborted) {
        const wait = await look(turns, signal).catch((error: unknown) => {
          failing.began(error);
          return TRY_AGAIN_MS;
        });
        await pulse.wait(wait, signal);
      }
      turns.dismiss('the scanner ends');
      await turns.ended();
    },
    nudge: pulse.beat,
  };
}
