/** Works through the scans of addresses, one at a time, each account in its turn, and has those done anew whose last block left the chain. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { BEYOND_SOURCE, DomainError, StoreUnavailable } from '../../core/errors.ts';
import { createWorkOutage } from '../../outages/outage.ts';
import type { AddressScanRecord } from '../../store/interfaces/address-scans.ts';
import { type AddressScanDependencies, scanAddress } from './scan-address.ts';
import { inTurns } from './scan-turns.ts';

export interface AddressScanner {
  /** Scans until the signal aborts. Run it in one process at a time: where the chain follower runs. */
  run(signal: AbortSignal): Promise<void>;
  /** A scan was queued. */
  nudge(): void;
}

/** Other processes queue scans too, without a nudge; blocks leave the chain. */
const LOOK_AGAIN_MS = 2_000;
const TRY_AGAIN_MS = 1_000;

/** Refusals that waiting does not mend. */
const FINAL: readonly DomainError['code'][] = ['unavailable', ...BEYOND_SOURCE, 'unsupported', 'too_large'];

export function createAddressScanner(deps: AddressScanDependencies & { log: Logger }): AddressScanner {
  const { store, clock, log } = deps;
  let waking = new AbortController();
  const failing = createWorkOutage({
    ...{ part: 'scans', log, clock },
    began: 'the address scans could not be read',
    ended: 'the address scans are read again',
  });
  const interrupted = createWorkOutage({
    ...{ part: 'scans', log, clock },
    began: 'address scans are interrupted, and go on from where they are',
    ended: 'address scans go on',
  });
  let turns = 0;
  const lastTurn = new Map<string, number>();

  /** Whether it went on as it should; false: wait before the next try. */
  async function scanOne(scan: AddressScanRecord, signal: AbortSignal): Promise<boolean> {
    const { scanId } = scan;
    try {
      const outcome = await scanAddress(deps, scan, signal);
      log.info({ scanId, fromHeight: scan.fromHeight, atHeight: scan.atHeight, outcome }, 'address scan');
      interrupted.ended();
      if (outcome === 'restart') await beginAnew(scan);
      return outcome !== 'later';
    } catch (error) {
      if (signal.aborted) return true;
      if (!(error instanceof DomainError) || error instanceof StoreUnavailable || !FINAL.includes(error.code)) {
        interrupted.began(error);
        return false;
      }
      log.error({ scanId, err: error }, 'address scan failed');
      await store.write(async (tx) => {
        // Part of what there is would be no answer.
        await tx.addressScans.clear(scan);
        await tx.addressScans.update(scan, { state: 'failed', error: error.message, finishedAt: clock() });
      });
      return true;
    }
  }

  const beginAnew = (scan: AddressScanRecord): Promise<void> =>
    store.write(async (tx) => {
      const standing = await tx.addressScans.find(scan.accountId, scan.scanId);
      if (standing === null) return;
      const restarts = standing.restarts + 1;
      await tx.addressScans.clear(scan);
      await tx.addressScans.update(scan, {
        ...{ state: 'queued', atHeight: null, atHash: null, toHeight: null, finishedAt: null, restarts },
      });
    });

  /** One look at the queue; the wait before the next. */
  async function turn(signal: AbortSignal): Promise<number> {
    for (const scan of await store.read.addressScans.stale()) {
      log.info(
        { scanId: scan.scanId, atHeight: scan.atHeight },
        'the last block of an address scan left the chain: once more',
      );
      await beginAnew(scan);
    }
    let wait = LOOK_AGAIN_MS;
    const open = await store.read.addressScans.open();
    failing.ended();
    const accounts = new Set(open.map(({ accountId }) => accountId));
    for (const accountId of lastTurn.keys()) if (!accounts.has(accountId)) lastTurn.delete(accountId);
    for (const scan of inTurns(open, lastTurn)) {
      if (signal.aborted) break;
      lastTurn.set(scan.accountId, ++turns);
      // The queue is read anew: who came meanwhile has their turn before those who had theirs.
      if (await scanOne(scan, signal)) return 0;
      // One that cannot go on now does not keep the others waiting.
      wait = TRY_AGAIN_MS;
    }
    return wait;
  }

  return {
    async run(signal) {
      while (!signal.aborted) {
        const { signal: woken } = waking;
        const wait = await turn(signal).catch((error: unknown) => {
          failing.began(error);
          return TRY_AGAIN_MS;
        });
        if (wait === 0) continue;
        await sleep(wait, undefined, { signal: AbortSignal.any([signal, woken]) }).catch(() => undefined);
        if (woken.aborted && waking.signal === woken) waking = new AbortController();
      }
    },
    nudge: () => waking.abort(),
  };
}
