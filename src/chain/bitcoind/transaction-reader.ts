import { DomainError } from '../../core/errors.ts';
import { blockHash, type Outpoint, type Txid, txid } from '../../core/outpoint.ts';
import type { ChainSource, MempoolEntry, TransactionLookup } from '../chain-source.ts';
import { satsFromBtc } from '../exact-json.ts';
import { createBatchSizer } from './batch-sizer.ts';
import type { RpcClient, RpcOutcome } from './rpc-client.ts';
import { RPC } from './rpc-error.ts';
import { resultOf, resultOrNull } from './rpc-results.ts';

interface EntryAnswer {
  vsize: number;
  time: number;
  ancestorcount: number;
  ancestorsize: number;
  descendantcount: number;
  descendantsize: number;
  fees: { base: string; ancestor: string; descendant: string };
}
interface TransactionAnswer {
  hex: string;
  blockhash?: string;
  confirmations?: number;
}
interface OutputAnswer {
  bestblock: string;
  confirmations: number;
  value: string;
  scriptPubKey: { hex: string };
  coinbase: boolean;
}

const TARGET_BATCH_BYTES = 4_000_000;
/** About what getmempoolentry answers. */
const ENTRY_BYTES = 800;
const MEMPOOL_TIMEOUT_MS = 30_000;

type TransactionReader = Pick<
  ChainSource,
  'mempoolTxids' | 'mempoolEntry' | 'mempoolTransactions' | 'transaction' | 'utxo'
>;

/** Single transactions and outputs, from the mempool and the chain. */
export function createTransactionReader(rpc: RpcClient): TransactionReader {
  const sizer = createBatchSizer(TARGET_BATCH_BYTES, 1000, 200);

  async function mempoolEntry(id: Txid): Promise<MempoolEntry | null> {
    const [entryOutcome, ancestorsOutcome, descendantsOutcome] = await rpc.batch(
      [
        { method: 'getmempoolentry', params: [id] },
        { method: 'getmempoolancestors', params: [id] },
        { method: 'getmempooldescendants', params: [id] },
      ],
      { exact: true },
    );
    const entry = resultOrNull<EntryAnswer>(entryOutcome, RPC.invalidAddressOrKey);
    const descendants = resultOrNull<string[]>(descendantsOutcome, RPC.invalidAddressOrKey);
    const ancestors = resultOrNull<string[]>(ancestorsOutcome, RPC.invalidAddressOrKey);
    if (!entry || !ancestors || !descendants) return null;
    return {
      txid: id,
      vsize: entry.vsize,
      feeSats: satsFromBtc(entry.fees.base),
      ancestorCount: entry.ancestorcount,
      ancestorVsize: entry.ancestorsize,
      ancestorFeesSats: satsFromBtc(entry.fees.ancestor),
      descendantCount: entry.descendantcount,
      descendantVsize: entry.descendantsize,
      descendantFeesSats: satsFromBtc(entry.fees.descendant),
      ancestors: ancestors.map(txid),
      descendants: descendants.map(txid),
      time: entry.time,
    };
  }

  async function mempoolTransactions(txids: readonly Txid[]): Promise<(Uint8Array | null)[]> {
    const read: (Uint8Array | null)[] = [];
    while (read.length < txids.length) {
      const chunk = txids.slice(read.length, read.length + sizer.next());
      const outcomes = await rpc.batch(
        [
          ...chunk.map((id) => ({ method: 'getrawtransaction', params: [id, 0] })),
          // Asked after the bytes: with a transaction index those come for confirmed transactions, too.
          ...chunk.map((id) => ({ method: 'getmempoolentry', params: [id] })),
        ],
        { timeoutMs: MEMPOOL_TIMEOUT_MS },
      );
      let bytes = 0;
      chunk.forEach((_id, position) => {
        const hex = resultOrNull<string>(outcomes[position], RPC.invalidAddressOrKey);
        const entry = resultOrNull<object>(outcomes[chunk.length + position], RPC.invalidAddressOrKey);
        bytes += (hex?.length ?? 0) + ENTRY_BYTES;
        read.push(hex === null || entry === null ? null : Buffer.from(hex, 'hex'));
      });
      sizer.observed(chunk.length, bytes);
    }
    return read;
  }

  async function transaction(id: Txid): Promise<TransactionLookup | null> {
    const [outcome] = await rpc.batch([{ method: 'getrawtransaction', params: [id, 1] }]);
    const answer = foundTransaction<TransactionAnswer>(outcome);
    if (answer === null) return null;
    const confirmations = answer.confirmations ?? 0;
    // Found only in a block that has left the chain: neither in the mempool nor in the chain.
    if (answer.blockhash && confirmations === 0) return null;
    return {
      raw: Buffer.from(answer.hex, 'hex'),
      blockHash: answer.blockhash ? blockHash(answer.blockhash) : null,
      confirmations,
    };
  }

  async function utxo(outpoint: Outpoint) {
    const [outcome] = await rpc.batch([{ method: 'gettxout', params: [outpoint.txid, outpoint.vout, true] }], {
      exact: true,
    });
    const output = resultOf<OutputAnswer | null>(outcome);
    if (!output) return null;
    let height: number | null = null;
    if (output.confirmations > 0) {
      const [header] = await rpc.batch([{ method: 'getblockheader', params: [output.bestblock, true] }]);
      height = resultOf<{ height: number }>(header).height - output.confirmations + 1;
    }
    const { value, scriptPubKey, coinbase } = output;
    return { amountSats: satsFromBtc(value), scriptPubKey: scriptPubKey.hex, height, coinbase };
  }

  return {
    async mempoolTxids() {
      const [outcome] = await rpc.batch([{ method: 'getrawmempool' }], { timeoutMs: MEMPOOL_TIMEOUT_MS });
      return resultOf<string[]>(outcome) as Txid[];
    },
    mempoolEntry,
    mempoolTransactions,
    transaction,
    utxo,
  };
}

/** What getrawtransaction answered; null where the node is sure that there is no such transaction. Throws `no_index` without one. */
export function foundTransaction<T>(outcome: RpcOutcome | undefined): T | null {
  if (outcome?.error?.code === RPC.invalidAddressOrKey) {
    if (/still in the process of being indexed/i.test(outcome.error.message)) {
      throw new DomainError('node_syncing', 'the Bitcoin node is still building its transaction index');
    }
    if (/use -txindex/i.test(outcome.error.message)) {
      throw new DomainError(
        'no_index',
        'the Bitcoin node keeps no transaction index (txindex=1), so it knows only transactions in its mempool',
      );
    }
    return null;
  }
  return resultOf<T>(outcome);
}
