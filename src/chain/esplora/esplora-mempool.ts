import { DomainError } from '../../core/errors.ts';
import type { FeeRate } from '../../core/fee-rate.ts';
import { blockHash, type Txid, txid } from '../../core/outpoint.ts';
import type { ChainSource, FeeEstimates, TransactionLookup } from '../chain-source.ts';
import { scaledInteger } from '../exact-json.ts';
import type { EsploraClient } from './esplora-client.ts';
import { mapLimited } from './map-limited.ts';
import type { EsploraMempool as EsploraMempoolSummary, EsploraOutspend, EsploraTransaction } from './wire.ts';

const PARALLEL = 8;
/**
 * Esplora does not tell its node's floors. 1 sat/vB is Bitcoin Core's default up to 29 and above that of later ones, so that what pays it
 * is relayed by either.
 */
const ASSUMED_FLOOR = 1000n as FeeRate;
/** Above the mempool limits of every Bitcoin Core (25 ancestors or descendants; clusters of 64 from 31 on). */
const MAX_RELATIVES = 100;

type EsploraMempool = Pick<
  ChainSource,
  | 'mempoolTxids'
  | 'mempoolInfo'
  | 'feeRateDistribution'
  | 'mempoolEntry'
  | 'mempoolTransactions'
  | 'transaction'
  | 'utxo'
  | 'estimateFees'
>;

/**
 * A transaction that the server has and that is confirmed or in the mempool, else null. Servers also answer transactions of blocks that
 * have left the chain, as "not confirmed": what is really in the mempool is also seen to spend its first input.
 */
export async function liveTransaction(client: EsploraClient, id: string): Promise<EsploraTransaction | null> {
  const found = await client.json<EsploraTransaction>(`/tx/${id}`);
  if (!found || found.status.confirmed) return found;
  const input = found.vin[0];
  if (!input || input.is_coinbase) return null;
  const spend = await client.json<EsploraOutspend>(`/tx/${input.txid}/outspend/${input.vout}`);
  return spend?.spent && spend.txid === id ? found : null;
}

/** Where a live transaction stands. */
export async function standingOf(
  client: EsploraClient,
  { status }: EsploraTransaction,
): Promise<Pick<TransactionLookup, 'blockHash' | 'confirmations'>> {
  const { confirmed, block_hash, block_height } = status;
  if (!confirmed || !block_hash) return { blockHash: null, confirmations: 0 };
  const tip = Number(await client.text('/blocks/tip/height'));
  const confirmations = typeof block_height === 'number' ? Math.max(1, tip - block_height + 1) : null;
  return { blockHash: blockHash(block_hash), confirmations };
}

export function createEsploraMempool(client: EsploraClient): EsploraMempool {
  const vsizeOf = (transaction: EsploraTransaction): number => Math.ceil(transaction.weight / 4);
  const parentsOf = async (transaction: EsploraTransaction) => transaction.vin.map((input) => input.txid);
  const childrenOf = async (transaction: EsploraTransaction) => {
    const spends = await client.json<EsploraOutspend[]>(`/tx/${transaction.txid}/outspends`);
    return (spends ?? []).flatMap((spend) => (spend.spent && spend.txid ? [spend.txid] : []));
  };

  /** All unconfirmed transactions reached from `start` by `next`, without `start`. */
  async function relatives(start: EsploraTransaction, next: (of: EsploraTransaction) => Promise<string[]>) {
    const seen = new Map<string, EsploraTransaction | null>([[start.txid, null]]);
    for (let frontier = [start]; frontier.length > 0; ) {
      const ids = (await mapLimited(frontier, PARALLEL, next)).flat().filter((id) => !seen.has(id));
      const unique = [...new Set(ids)];
      const found = await mapLimited(unique, PARALLEL, (id) => client.json<EsploraTransaction>(`/tx/${id}`));
      frontier = found.filter(
        (transaction) => transaction !== null && !transaction.status.confirmed,
      ) as typeof frontier;
      unique.forEach((id, position) => {
        const transaction = found[position] ?? null;
        seen.set(id, transaction?.status.confirmed === false ? transaction : null);
      });
      if (seen.size > MAX_RELATIVES) {
        throw new DomainError('unavailable', 'too many related unconfirmed transactions to gather over Esplora');
      }
    }
    return [...seen.values()].filter((transaction) => transaction !== null);
  }

  return {
    mempoolTxids: async () => ((await client.json<string[]>('/mempool/txids')) ?? []) as Txid[],

    async mempoolInfo() {
      const info = await client.json<EsploraMempoolSummary>('/mempool');
      return {
        count: info?.count ?? 0,
        vbytes: info?.vsize ?? 0,
        minFeeRate: ASSUMED_FLOOR,
        minRelayFeeRate: ASSUMED_FLOOR,
        incrementalRelayFeeRate: ASSUMED_FLOOR,
        floorsAssumed: true,
        totalFeesSats: info?.total_fee === undefined ? null : BigInt(info.total_fee),
      };
    },

    async feeRateDistribution() {
      const info = await client.json<EsploraMempoolSummary>('/mempool');
      const bands = (info?.fee_histogram ?? []).map(([rate, vsize]) => ({
        feeRate: scaledInteger(rate, 3) as FeeRate,
        vsize,
      }));
      return { bands, complete: info?.fee_histogram !== undefined };
    },

    async mempoolEntry(id) {
      const transaction = await liveTransaction(client, id);
      if (!transaction || transaction.status.confirmed) return null;
      const ancestors = await relatives(transaction, parentsOf);
      const descendants = await relatives(transaction, childrenOf);
      const vsize = (of: EsploraTransaction[]) => of.reduce((sum, one) => sum + vsizeOf(one), vsizeOf(transaction));
      const fees = (of: EsploraTransaction[]) =>
        of.reduce((sum, one) => sum + BigInt(one.fee), BigInt(transaction.fee));
      return {
        txid: id,
        vsize: vsizeOf(transaction),
        feeSats: BigInt(transaction.fee),
        ancestorCount: ancestors.length + 1,
        ancestorVsize: vsize(ancestors),
        ancestorFeesSats: fees(ancestors),
        descendantCount: descendants.length + 1,
        descendantVsize: vsize(descendants),
        descendantFeesSats: fees(descendants),
        ancestors: ancestors.map((ancestor) => txid(ancestor.txid)),
        descendants: descendants.map((descendant) => txid(descendant.txid)),
        time: null,
      };
    },

    async mempoolTransactions(txids) {
      if (txids.length === 0) return [];
      const raws = await mapLimited(txids, PARALLEL, (id) => client.bytes(`/tx/${id}/raw`));
      // Asked after the bytes: those come for confirmed transactions, too.
      const present = new Set((await client.json<string[]>('/mempool/txids')) ?? []);
      return raws.map((raw, position) => (present.has(txids[position]!) ? raw : null));
    },

    async transaction(id) {
      const found = await liveTransaction(client, id);
      const raw = found && (await client.bytes(`/tx/${id}/raw`));
      return found && raw ? { raw, ...(await standingOf(client, found)) } : null;
    },

    async utxo({ txid: id, vout }) {
      const [found, spend] = await Promise.all([
        liveTransaction(client, id),
        client.json<EsploraOutspend>(`/tx/${id}/outspend/${vout}`),
      ]);
      const output = found?.vout[vout];
      if (!found || !output || spend?.spent) return null;
      return {
        amountSats: BigInt(output.value),
        scriptPubKey: output.scriptpubkey,
        height: found.status.confirmed ? (found.status.block_height ?? null) : null,
        coinbase: found.vin[0]?.is_coinbase ?? false,
      };
    },

    async estimateFees(targets) {
      const known = (await client.json<Record<string, string | number>>('/fee-estimates')) ?? {};
      const offered = Object.keys(known)
        .map(Number)
        .toSorted((a, b) => b - a);
      const estimates: FeeEstimates = new Map();
      for (const target of targets) {
        // Not every target is offered: the nearest sooner one costs no less.
        const nearest = offered.find((candidate) => candidate <= target);
        const rate = nearest === undefined ? undefined : known[nearest];
        estimates.set(target, rate === undefined ? 'unavailable' : (scaledInteger(rate, 3) as FeeRate));
      }
      return estimates;
    },
  };
}
