/** How late the event loop comes round. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
const SAMPLE_EVERY_MS = 250;

/** A delay counts once it was there in two samples in a row: a single stall is over when it is noticed. */
export function watchEventLoop(): { delayMs(): number; stop(): void } {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let before = 0;
  let last = 0;
  const timer = setInterval(() => {
    before = last;
    last = histogram.count === 0 ? 0 : Math.max(0, histogram.mean / 1e6 - RESOLUTION_MS);
    histogram.reset();
  }, SAMPLE_EVERY_MS).unref();
  return {
    delayMs: () => Math.min(before, last),
    stop() {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
