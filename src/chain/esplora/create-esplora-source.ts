import type { Logger } from 'pino';
import { DomainError } from '../../core/errors.ts';
import type { Network } from '../../core/network.ts';
import type { InSpan } from '../../tracing/tracing.ts';
import type { ChainSource } from '../chain-source.ts';
import { createEsploraAddresses } from './esplora-addresses.ts';
import { createEsploraBlocks } from './esplora-blocks.ts';
import { createEsploraBroadcast } from './esplora-broadcast.ts';
import { createEsploraClient, EsploraRefusal } from './esplora-client.ts';
import { createEsploraMempool } from './esplora-mempool.ts';
import { createEsploraTransactions } from './esplora-transactions.ts';
import { tracedEsplora } from './traced-esplora.ts';

export interface EsploraSourceOptions {
  /** Base of the HTTP API, such as https://host/api; userinfo is taken out before use and never logged. */
  url: string;
  /** The configured network. A server on another one is seen in `info()`. */
  network: Network;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Absent: requests to the server are in no trace. */
  inSpan?: InSpan | undefined;
}

/**
 * An Esplora server as the chain source. It has every transaction but no block filters, no push, no relay floors and no mining; package
 * submission and test acceptance depend on the server's age.
 */
export function createEsploraSource(options: EsploraSourceOptions): ChainSource {
  const bare = createEsploraClient(options.url);
  const client = options.inSpan === undefined ? bare : tracedEsplora(bare, options.inSpan);
  const source: ChainSource = {
    kind: 'esplora',
    ...createEsploraBlocks(client),
    ...createEsploraMempool(client),
    ...createEsploraTransactions(client),
    ...createEsploraBroadcast(client),
    ...createEsploraAddresses(client, options.network),
    matchingBlocks: async () => null,
    blockFees: async () => null,
    node: async () => ({ peers: null, verificationProgress: null, warnings: [] }),
    async mine() {
      if (options.network === 'regtest') {
        throw new DomainError('forbidden', 'an Esplora server cannot mine: mine on the node behind it');
      }
      throw new DomainError('forbidden', `blocks cannot be mined at will on ${options.network}`);
    },
    onNotification: () => () => {},
    close: () => client.close(),
  };
  return refusalsAsUnavailable(source, options.log);
}

/** What the server says no to where no verdict is asked is its incapacity, not the caller's mistake. */
function refusalsAsUnavailable(source: ChainSource, log: Pick<Logger, 'warn'>): ChainSource {
  const guard =
    <A extends unknown[], R>(method: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      try {
        return await method(...args);
      } catch (error) {
        if (!(error instanceof EsploraRefusal)) throw error;
        log.warn({ status: error.status, answer: error.message.slice(0, 200) }, 'the Esplora server refused a request');
        throw new DomainError('unavailable', `the Esplora server refused the request (HTTP ${error.status})`);
      }
    };
  return {
    ...source,
    info: guard(source.info),
    bestBlockHash: guard(source.bestBlockHash),
    blockHashAt: guard(source.blockHashAt),
    blockHashesAt: guard(source.blockHashesAt),
    header: guard(source.header),
    headerRecords: guard(source.headerRecords),
    block: guard(source.block),
    blocks: guard(source.blocks),
    mempoolTxids: guard(source.mempoolTxids),
    mempoolInfo: guard(source.mempoolInfo),
    feeRateDistribution: guard(source.feeRateDistribution),
    mempoolEntry: guard(source.mempoolEntry),
    mempoolTransactions: guard(source.mempoolTransactions),
    transaction: guard(source.transaction),
    transactionDetails: guard(source.transactionDetails),
    outputStatus: guard(source.outputStatus),
    broadcast: guard(source.broadcast),
    broadcastPackage: guard(source.broadcastPackage),
    testAccept: guard(source.testAccept),
    testTogether: guard(source.testTogether),
    utxo: guard(source.utxo),
    estimateFees: guard(source.estimateFees),
    addressSummary: guard(source.addressSummary),
    addressOutputs: guard(source.addressOutputs),
    addressTransactions: guard(source.addressTransactions),
  };
}
