/** The scans of addresses; those are done anew whose last block left the chain. */

import type { Worker } from '../../scheduling/worker.ts';
import type { AddressScanRecord } from '../../store/repositories/address-scans.ts';
import { createScanner, type ScannerOptions } from '../scanning/scanner.ts';
import { type AddressScanDependencies, scanAddress } from './scan-address.ts';

export function createAddressScanner(deps: AddressScanDependencies & ScannerOptions): Worker {
  const { store, clock, log } = deps;

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

  return createScanner(
    {
      what: 'address',
      async open() {
        for (const scan of await store.read.addressScans.stale()) {
          log.info(
            { scanId: scan.scanId, atHeight: scan.atHeight },
            'the last block of an address scan left the chain: once more',
          );
          await beginAnew(scan);
        }
        return store.read.addressScans.open();
      },
      async current({ accountId, scanId }) {
        const scan = await store.read.addressScans.find(accountId, scanId);
        return scan?.state === 'queued' || scan?.state === 'running' ? scan : null;
      },
      async scan(scan, signal, timeIsOver) {
        const outcome = await scanAddress(deps, scan, signal, timeIsOver);
        if (outcome === 'restart') await beginAnew(scan);
        return outcome;
      },
      fail: (scan, { message }) =>
        store.write(async (tx) => {
          // Part of what there is would be no answer.
          await tx.addressScans.clear(scan);
          await tx.addressScans.update(scan, { state: 'failed', error: message, finishedAt: clock() });
        }),
      about: ({ scanId, fromHeight, atHeight }) => ({ scanId, fromHeight, atHeight }),
      final: ['too_large'],
    },
    deps,
  );
}
