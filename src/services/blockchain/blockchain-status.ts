/** What the chain source and the follower say of themselves, asked at most once a second however many ask here. */
import type { ChainInfo, ChainSource, MempoolInfo, NodeStatus } from '../../chain/chain-source.ts';
import type { Store } from '../../store/store.ts';
import { sharedAnswer } from './shared-answer.ts';

export interface BlockchainStatus {
  info: ChainInfo;
  source: ChainSource['kind'];
  mempool: MempoolInfo;
  node: NodeStatus;
  follower: FollowerStatus & {
    /** Estimated from what it has followed in the last minutes: 0 at the tip; null where it has not moved. */
    secondsToTip: number | null;
  };
}

/** Over which the follower's pace is measured. */
const PACE_MS = 5 * 60_000;

export interface FollowerStatus {
  /** The last block whose effects are in the database; null before the first. */
  height: number | null;
  /** Blocks between that and the source's tip; null before the first. */
  lag: number | null;
}

export function createBlockchainStatus(deps: {
  chain: Pick<ChainSource, 'kind' | 'info' | 'mempoolInfo' | 'node'>;
  store: Pick<Store, 'read'>;
  clock: () => number;
}) {
  const { chain, store, clock } = deps;
  // The follower may be another process: what it has done shows in the database.
  const tip = async () => (await store.read.ledger.tip())?.height ?? null;
  const info = sharedAnswer(() => chain.info(), clock);
  const mempool = sharedAnswer(() => chain.mempoolInfo(), clock);
  const node = sharedAnswer(() => chain.node(), clock);
  const pace = createPace(clock);

  async function follower(): Promise<FollowerStatus> {
    const [height, { height: tipHeight }] = await Promise.all([tip(), info()]);
    return { height, lag: height === null ? null : Math.max(0, tipHeight - height) };
  }

  return {
    info,
    follower,
    /** Throws `node_unavailable` while the source does not answer. */
    async status() {
      // The chain is read before the database, so that a follower at the tip never seems behind by an older answer.
      const [chainInfo, mempoolInfo, nodeStatus] = await Promise.all([chain.info(), mempool(), node()]);
      const height = await tip();
      // A node that is behind its peers' headers is not at the tip either.
      const target = Math.max(chainInfo.height, chainInfo.headers);
      return {
        info: chainInfo,
        source: chain.kind,
        mempool: mempoolInfo,
        node: nodeStatus,
        follower: {
          height,
          lag: height === null ? null : Math.max(0, chainInfo.height - height),
          secondsToTip: height === null ? null : pace.secondsTo(height, target),
        },
      };
    },
  };
}

/** From the heights that it is told, one a second at most. */
function createPace(clock: () => number) {
  let seen: { at: number; height: number }[] = [];
  return {
    secondsTo(height: number, target: number): number | null {
      const at = clock();
      // A reorganization, or a clock that was set back: measured anew.
      seen = seen.filter((one) => one.at <= at && one.height <= height && at - one.at <= PACE_MS);
      if (at - (seen.at(-1)?.at ?? 0) >= 1_000) seen.push({ at, height });
      if (height >= target) return 0;
      const first = seen[0];
      if (first === undefined || first.height === height) return null;
      return Math.ceil(((target - height) * (at - first.at)) / (height - first.height) / 1000);
    },
  };
}

export type BlockchainStatusService = ReturnType<typeof createBlockchainStatus>;
