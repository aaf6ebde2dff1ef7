/** What runs beside requests: events, the chain follower, wallet scans, sending again, and the deletion of what has expired. */
import type { ChainSource } from '../chain/chain-source.ts';
import { type ChainSink, createFollower, type Follower } from '../chain/follower/index.ts';
import { createFanOut, type FanOut } from '../events/fan-out.ts';
import { createSequencer } from '../events/sequencer.ts';
import type { ContractDriver } from '../services/contracts/driver/contract-driver.ts';
import type { Broadcaster } from '../services/transactions/sending/broadcaster.ts';
import type { Store } from '../store/store.ts';
import type { Worker } from '../turns/worker.ts';
import type { AppContext } from './app-context.ts';

const SWEEP_EVERY_MS = 3_600_000;
/** A server of others is asked less often than a node of one's own, which pushes besides. */
const POLL_MS: Record<ChainSource['kind'], number> = { bitcoind: 1_000, esplora: 5_000, simulated: 1_000 };

export function openFollower(context: AppContext, store: Store, chain: ChainSource, sink: ChainSink): Follower {
  const { clock, randomBytes, log } = context;
  return createFollower({ chain, store, sink, clock, randomBytes, log, pollMs: POLL_MS[chain.kind] });
}

export async function startEvents({ log, clock, disposables }: AppContext, store: Store): Promise<FanOut> {
  const fanOut = createFanOut({ store, log, clock });
  const sequencer = createSequencer({ store, clock, log, onNumbered: () => fanOut.wake() });
  await fanOut.start();
  disposables.defer(() => fanOut.stop());
  sequencer.start();
  disposables.defer(() => sequencer.stop());
  return fanOut;
}

/** Starts what follows the chain; it ends in the opposite order. Scans belong to the process that follows: no two scan one wallet at once. */
export function startFollowing(
  { disposables }: AppContext,
  parts: { follower: Follower; scanners: readonly Worker[]; broadcaster: Broadcaster },
): void {
  const { follower, scanners, broadcaster } = parts;
  follower.start(scanners);
  disposables.defer(() => follower.stop());
  broadcaster.start();
  disposables.defer(() => broadcaster.stop());
}

/** What is left of contracts is taken on; it ends before the store closes. */
export function startContracts({ disposables }: AppContext, driver: ContractDriver): void {
  driver.start();
  disposables.defer(() => driver.stop());
}

export function startSealing({ disposables }: AppContext, sealer: Worker): void {
  sealer.start();
  disposables.defer(() => sealer.stop());
}

/** Deletes kept answers whose life is over. */
export function sweepRegularly(
  { log, disposables }: Pick<AppContext, 'log' | 'disposables'>,
  sweep: () => Promise<number>,
): void {
  const run = () => {
    sweep().catch((error: unknown) => log.warn({ err: error }, 'what has expired could not be deleted'));
  };
  const timer = setInterval(run, SWEEP_EVERY_MS).unref();
  disposables.defer(() => clearInterval(timer));
}
