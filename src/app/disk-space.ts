/** How much room is left where DATA_DIR is: told of early, because without any nothing is written. */
import { statfs } from 'node:fs/promises';
import { createOutage, type OutageLog } from '../outages/outage.ts';

const LOOK_EVERY_MS = 15_000;
/** Little is less than this, and of a disk that has not much left, less than this share of it. */
const LITTLE = { bytes: 256 * 1024 ** 2, ratio: 0.05 };
const MUCH_BYTES = 20 * 1024 ** 3;
const SAID = 'little room is left where DATA_DIR is: without any, nothing is written';

export interface DiskSpace {
  freeBytes: number;
  sizeBytes: number;
}

const isLittle = ({ freeBytes, sizeBytes }: DiskSpace): boolean =>
  freeBytes < LITTLE.bytes || (freeBytes < MUCH_BYTES && freeBytes < sizeBytes * LITTLE.ratio);

export async function watchDisk(path: string, deps: { log: OutageLog; clock: () => number }) {
  const little = createOutage({
    ...deps,
    part: 'disk',
    began: SAID,
    ended: 'there is room again where DATA_DIR is',
  });
  let last: DiskSpace | null = null;

  async function look(): Promise<DiskSpace | null> {
    last = await statfs(path).then(
      ({ bavail, blocks, bsize }) => ({ freeBytes: bavail * bsize, sizeBytes: blocks * bsize }),
      () => null,
    );
    // A file system that has no size (of a container's, say) has no end either.
    if (last === null || last.sizeBytes === 0) return null;
    if (isLittle(last)) little.began(new Error(`${last.freeBytes} of ${last.sizeBytes} bytes are free`));
    else little.ended();
    return last;
  }

  await look();
  const timer = setInterval(() => void look(), LOOK_EVERY_MS).unref();
  return {
    /** What is free for this process's user; null where the system does not say. */
    look,
    warnings: () => (little.goesOn() ? [SAID] : []),
    stop: () => clearInterval(timer),
  };
}

export type DiskWatch = Awaited<ReturnType<typeof watchDisk>>;
