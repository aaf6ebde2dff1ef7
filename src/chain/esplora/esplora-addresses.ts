import type { Network } from '../../core/network.ts';
import { blockHash, type Txid, txid } from '../../core/outpoint.ts';
import { decodeAddress } from '../../core/relay-policy/address.ts';
import type { AddressTransaction, ChainSource } from '../chain-source.ts';
import type { EsploraClient } from './esplora-client.ts';
import type { EsploraOutput, EsploraStatus, EsploraTransaction } from './wire.ts';

/** Confirmed transactions that the server gives at once. */
const CONFIRMED_AT_ONCE = 25;

interface EsploraTotals {
  funded_txo_count: number;
  funded_txo_sum: number;
  spent_txo_count: number;
  spent_txo_sum: number;
  tx_count: number;
}
interface EsploraAddress {
  address: string;
  chain_stats: EsploraTotals;
  mempool_stats: EsploraTotals;
}
interface EsploraUtxo {
  txid: string;
  vout: number;
  value: number;
  status: EsploraStatus;
}

type EsploraAddresses = Pick<ChainSource, 'addressSummary' | 'addressOutputs' | 'addressTransactions'>;

/** The server's index of addresses. One that it does not know has no history. */
export function createEsploraAddresses(client: EsploraClient, network: Network): EsploraAddresses {
  return {
    async addressSummary(address) {
      const found = await client.json<EsploraAddress>(`/address/${address}`);
      if (!found) {
        return { confirmedSats: 0n, pendingSats: 0n, immatureSats: 0n, unspentCount: 0, transactionCount: 0 };
      }
      const { chain_stats: chain, mempool_stats: mempool } = found;
      return {
        confirmedSats: net(chain),
        pendingSats: net(mempool),
        immatureSats: 0n,
        unspentCount: count(chain) + count(mempool),
        transactionCount: Number(chain.tx_count) + Number(mempool.tx_count),
      };
    },

    async addressOutputs(address) {
      const found = (await client.json<EsploraUtxo[]>(`/address/${address}/utxo`)) ?? [];
      return found
        .map(({ txid: id, vout, value, status }) => ({
          txid: txid(id),
          vout,
          amountSats: BigInt(value),
          ...placeOf(status),
          coinbase: null,
        }))
        .map(({ blockHeight, ...output }) => ({ ...output, height: blockHeight }))
        .toSorted((a, b) => (b.height ?? Number.MAX_SAFE_INTEGER) - (a.height ?? Number.MAX_SAFE_INTEGER));
    },

    async addressTransactions(address, after) {
      const path = after === null ? `/address/${address}/txs` : `/address/${address}/txs/chain/${after}`;
      const found = (await client.json<EsploraTransaction[]>(path)) ?? [];
      const confirmed = found.filter(({ status }) => status.confirmed);
      const { scriptPubKey } = decodeAddress(address, network);
      const last = confirmed.at(-1);
      return {
        entries: found.map((transaction) => entryOf(transaction, scriptPubKey)),
        next: confirmed.length >= CONFIRMED_AT_ONCE && last ? txid(last.txid) : null,
      };
    },
  };
}

const net = ({ funded_txo_sum, spent_txo_sum }: EsploraTotals): bigint =>
  BigInt(funded_txo_sum) - BigInt(spent_txo_sum);
const count = ({ funded_txo_count, spent_txo_count }: EsploraTotals): number =>
  Number(funded_txo_count) - Number(spent_txo_count);

function placeOf({
  confirmed,
  block_height,
  block_hash,
}: EsploraStatus): Pick<AddressTransaction, 'blockHeight' | 'blockHash'> {
  if (!confirmed || typeof block_height !== 'number' || !block_hash) return { blockHeight: null, blockHash: null };
  return { blockHeight: block_height, blockHash: blockHash(block_hash) };
}

function entryOf(transaction: EsploraTransaction, scriptPubKey: string): AddressTransaction {
  const sum = (outputs: readonly (EsploraOutput | null | undefined)[]): bigint =>
    outputs.reduce(
      (total, output) => (output?.scriptpubkey === scriptPubKey ? total + BigInt(output.value) : total),
      0n,
    );
  return {
    txid: transaction.txid as Txid,
    ...placeOf(transaction.status),
    receivedSats: sum(transaction.vout),
    spentSats: sum(transaction.vin.map(({ prevout }) => prevout)),
  };
}
