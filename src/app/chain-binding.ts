/** A database belongs to one chain: the kind of source and the genesis block that it first saw. */
import type { ChainInfo, ChainSource } from '../chain/chain-source.ts';
import { DomainError } from '../core/errors.ts';
import type { Network } from '../core/network.ts';
import { isExhausted, unavailableIfExhausted } from '../outages/exhausted.ts';
import { createOutage, type OutageLog } from '../outages/outage.ts';
import type { Store } from '../store/store.ts';

const SOURCE_SETTING = 'chain.source';
const GENESIS_SETTING = 'chain.genesis';
/** One question that fails among others that do not is no outage with an end for each. */
const CALM_MS = 2_000;

/** The service must not run on this chain with this database. */
export class ChainRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ChainRefused';
  }
}

/** The kind of source that the database is bound to, null before the first use. */
export async function boundKind(store: Pick<Store, 'read'>): Promise<ChainSource['kind'] | null> {
  return (await store.read.settings.get(SOURCE_SETTING)) as ChainSource['kind'] | null;
}

const ASKING = [
  'node',
  'bestBlockHash',
  'blockHashAt',
  'blockHashesAt',
  'header',
  'headerRecords',
  'block',
  'blockFees',
  'blocks',
  'mempoolTxids',
  'mempoolInfo',
  'feeRateDistribution',
  'mempoolEntry',
  'mempoolTransactions',
  'transaction',
  'transactionDetails',
  'outputStatus',
  'broadcast',
  'broadcastPackage',
  'testAccept',
  'testTogether',
  'utxo',
  'estimateFees',
  'addressSummary',
  'addressOutputs',
  'addressTransactions',
  'matchingBlocks',
  'mine',
] as const satisfies readonly (keyof ChainSource)[];

/**
 * The source behind a gate: nothing passes before it has said that it is the database's chain. A source that is away is asked again at
 * each call; a wrong one is told to `onRefused` and never passes.
 */
export function bindChain(
  source: ChainSource,
  deps: {
    store: Store;
    network: Network;
    onRefused: (refusal: ChainRefused) => void;
    log: OutageLog;
    clock: () => number;
    /** Where the source is asked, host:port. */
    host?: string | undefined;
  },
): ChainSource & { check(): Promise<void> } {
  const { store, network, onRefused } = deps;
  const outage = createOutage({
    ...{ part: 'node', host: deps.host },
    began: `the chain source (${source.kind}) does not answer: what needs it is refused until it does`,
    ended: `the chain source (${source.kind}) answers again`,
    log: deps.log,
    clock: deps.clock,
    calmMs: CALM_MS,
  });
  let passed = false;
  let refused: ChainRefused | null = null;
  let checking: Promise<void> | null = null;

  function refuse(message: string): ChainRefused {
    refused = new ChainRefused(message);
    passed = false;
    onRefused(refused);
    return refused;
  }

  let genesis: string | null = null;

  function sameKind(kind: string): void {
    if (kind === source.kind) return;
    throw refuse(
      `this database was first used with the chain source ${kind}, now it is ${source.kind}: use another DATA_DIR ` +
        `(or DATABASE_URL), or CHAIN=${kind} as before`,
    );
  }

  async function verify(info: ChainInfo): Promise<void> {
    if (info.network !== network) {
      throw refuse(`the chain source is on ${info.network}, but BITCOIN_NETWORK is ${network}`);
    }
    if (genesis === null) {
      const [kind, first] = await store.write(async (tx) => [
        await tx.settings.setOnce(SOURCE_SETTING, source.kind),
        await tx.settings.setOnce(GENESIS_SETTING, info.genesisHash),
      ]);
      sameKind(kind as string);
      genesis = first as string;
    }
    if (genesis !== info.genesisHash) {
      throw refuse(
        `this database follows the chain that starts with ${genesis}, the chain source has the one that starts with ` +
          `${info.genesisHash}: use another DATA_DIR (or DATABASE_URL), or the source as before`,
      );
    }
    passed = true;
  }

  function check(): Promise<void> {
    if (refused !== null) return Promise.reject(refused);
    checking ??= ask().finally(() => {
      checking = null;
    });
    return checking;
  }

  async function ask(): Promise<void> {
    // Known before the source answers, if ever it does.
    const kind = await boundKind(store);
    if (kind !== null) sameKind(kind);
    await verify(await told(() => source.info()));
  }

  /** Told of here, for all who meet it. A source in this process may find the disk full. */
  async function told<T>(ask: () => Promise<T>): Promise<T> {
    let answer: T;
    try {
      answer = await ask();
    } catch (thrown) {
      const error = isExhausted(thrown) ? exhausted(thrown) : thrown;
      if (error instanceof DomainError && error.code === 'node_unavailable') outage.began(error);
      throw error;
    }
    outage.ended();
    return answer;
  }

  const gate = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (!passed) {
      await check().catch((error: unknown) => {
        if (!(error instanceof ChainRefused)) throw error;
        throw new DomainError('node_unavailable', 'the chain source is not the one this service belongs to');
      });
    }
    return ask();
  };

  const asking = Object.fromEntries(
    ASKING.map((method) => [
      method,
      (...input: unknown[]) =>
        gate(() => told(() => (source[method] as (...input: unknown[]) => Promise<unknown>).apply(source, input))),
    ]),
  ) as Pick<ChainSource, (typeof ASKING)[number]>;

  return {
    ...asking,
    kind: source.kind,
    check,
    async info() {
      const info = await told(() => source.info());
      // A node that comes back as another one is noticed here.
      if (!passed || info.genesisHash !== genesis || info.network !== network) await verify(info);
      return info;
    },
    onNotification: (listener) => source.onNotification(listener),
    close: () => source.close(),
  };
}

/** Nothing of it has happened: what it was asked for is sent again, as after an outage. */
function exhausted(error: Error): DomainError {
  const { message, details } = unavailableIfExhausted(error) as DomainError;
  return new DomainError('node_unavailable', message, details);
}
