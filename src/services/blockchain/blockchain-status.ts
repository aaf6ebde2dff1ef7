/** What the chain source and the follower say of themselves, asked at most once a second however many ask here. */
import type { ChainInfo, ChainSource, MempoolInfo } from '../../chain/chain-source.ts';
import type { Store } from '../../store/store.ts';

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

export interface BlockchainStatusService {
  /** Throws `node_unavailable` while the source does not answer. */
  status(): Promise<BlockchainStatus>;
  info(): Promise<ChainInfo>;
  follower(): Promise<FollowerStatus>;
}

const FRESH_MS = 1_000;

export function createBlockchainStatus(deps: {
  chain: Pick<ChainSource, 'kind' | 'info' | 'mempoolInfo'>;
  store: Pick<Store, 'read'>;
  clock: () => number;
}): BlockchainStatusService {
  const { chain, store, clock } = deps;
  // The follower may be another process: what it has done shows in the database.
  const tip = async () => (await store.read.ledger.tip())?.height ?? null;
  const info = atMostOncePerSecond(() => chain.info(), clock);
  const mempool = atMostOncePerSecond(() => chain.mempoolInfo(), clock);

  async function follower(): Promise<FollowerStatus> {
    const [height, { height: tipHeight }] = await Promise.all([tip(), info()]);
    return { height, lag: height === null ? null : Math.max(0, tipHeight - height) };
  }

  return {
    info,
    follower,
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

/** Callers within a second share one answer; a failure is shared only by those who wait for it. */
function atMostOncePerSecond<T>(ask: () => Promise<T>, clock: () => number): () => Promise<T> {
  let answer: { at: number; value: Promise<T> } | null = null;
  return () => {
    const now = clock();
    if (answer !== null && now - answer.at < FRESH_MS) return answer.value;
    const asked = { at: now, value: ask() };
    answer = asked;
    asked.value.catch(() => {
      if (answer === asked) answer = null;
    });
    return asked.value;
  };
}
