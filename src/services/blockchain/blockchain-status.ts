/** What the chain source and the follower say of themselves, asked at most once a second however many ask here. */
import type { ChainInfo, ChainSource, MempoolInfo } from '../../chain/chain-source.ts';
import type { Store } from '../../store/store.ts';
import { sharedAnswer } from './shared-answer.ts';

export interface BlockchainStatus {
  info: ChainInfo;
  source: ChainSource['kind'];
  mempool: MempoolInfo;
  follower: FollowerStatus;
}

export interface FollowerStatus {
  /** The last block whose effects are in the database; null before the first. */
  height: number | null;
  /** Blocks between that and the source's tip; null before the first. */
  lag: number | null;
}

export function createBlockchainStatus(deps: {
  chain: Pick<ChainSource, 'kind' | 'info' | 'mempoolInfo'>;
  store: Pick<Store, 'read'>;
  clock: () => number;
}) {
  const { chain, store, clock } = deps;
  // The follower may be another process: what it has done shows in the database.
  const tip = async () => (await store.read.ledger.tip())?.height ?? null;
  const info = sharedAnswer(() => chain.info(), clock);
  const mempool = sharedAnswer(() => chain.mempoolInfo(), clock);

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
      const [chainInfo, mempoolInfo] = await Promise.all([chain.info(), mempool()]);
      const height = await tip();
      return {
        info: chainInfo,
        source: chain.kind,
        mempool: mempoolInfo,
        follower: { height, lag: height === null ? null : Math.max(0, chainInfo.height - height) },
      };
    },
  };
}

export type BlockchainStatusService = ReturnType<typeof createBlockchainStatus>;
