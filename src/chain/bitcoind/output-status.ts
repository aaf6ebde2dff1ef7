import type { ParsedOutput } from '../../core/blocks/transaction.ts';
import { DomainError } from '../../core/errors.ts';
import { blockHash, type Outpoint, type Txid } from '../../core/outpoint.ts';
import { isUnspendable } from '../../core/relay-policy/standard-scripts.ts';
import type { OutputStatus } from '../chain-source.ts';
import { satsFromBtc } from '../exact-json.ts';
import type { RpcClient } from './rpc-client.ts';
import { resultOf } from './rpc-results.ts';
import { foundTransaction } from './transaction-reader.ts';

interface WireOutput {
  value: string;
  scriptPubKey: { hex: string };
}
interface CoinAnswer extends WireOutput {
  bestblock: string;
  confirmations: number;
  coinbase: boolean;
}
interface ParentAnswer {
  blockhash?: string;
  confirmations?: number;
  vin: { coinbase?: string }[];
  vout: WireOutput[];
}
/** What an RPC takes as the number of an output; no transaction has room for as many. */
const LAST_VOUT = 0x7fff_ffff;

/** `blockhash` is there on nodes that also index confirmed spends. */
interface SpendAnswer {
  spendingtxid?: string;
  blockhash?: string;
}

/**
 * What became of an output, from the coins, the mempool and, where the node has it, the index of transactions. Who spent it in a block is
 * known only to a node with an index of spends.
 */
export async function readOutputStatus(rpc: RpcClient, outpoint: Outpoint): Promise<OutputStatus | null> {
  const { txid, vout } = outpoint;
  if (vout > LAST_VOUT) return null;
  const [coinOutcome, spendOutcome, parentOutcome] = await rpc.batch(
    [
      { method: 'gettxout', params: [txid, vout, false] },
      { method: 'gettxspendingprevout', params: [[{ txid, vout }]] },
      { method: 'getrawtransaction', params: [txid, 1] },
    ],
    { exact: true },
  );
  const coin = resultOf<CoinAnswer | null>(coinOutcome);
  const [spend] = resultOf<SpendAnswer[]>(spendOutcome);
  const by =
    spend?.spendingtxid === undefined
      ? null
      : { txid: spend.spendingtxid as Txid, blockHash: spend.blockhash ? blockHash(spend.blockhash) : null };
  if (coin !== null) {
    const height = (await heightOf(rpc, coin.bestblock)) - coin.confirmations + 1;
    return { ...outputOf(coin), height, coinbase: coin.coinbase, spent: by && { by } };
  }
  const parent = foundOrUnknown(parentOutcome);
  const output = parent?.vout[vout];
  if (!parent || !output) return null;
  const isConfirmed = parent.blockhash !== undefined && (parent.confirmations ?? 0) > 0;
  if (parent.blockhash !== undefined && !isConfirmed) return null;
  const found = outputOf(output);
  const isGone = isConfirmed && !isUnspendable(Buffer.from(found.scriptPubKey, 'hex'));
  return {
    ...found,
    height: parent.blockhash === undefined ? null : await heightOf(rpc, parent.blockhash),
    coinbase: parent.vin[0]?.coinbase !== undefined,
    spent: by !== null || isGone ? { by } : null,
  };
}

function foundOrUnknown(outcome: Parameters<typeof foundTransaction>[0]): ParentAnswer | null {
  try {
    return foundTransaction<ParentAnswer>(outcome);
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'no_index') throw error;
    throw new DomainError(
      'no_index',
      'this output is not among the unspent ones; whether it was spent or never was, only a Bitcoin node with a transaction index (txindex=1) can say',
    );
  }
}

async function heightOf(rpc: RpcClient, hash: string): Promise<number> {
  const [header] = await rpc.batch([{ method: 'getblockheader', params: [hash, true] }]);
  return resultOf<{ height: number }>(header).height;
}

const outputOf = ({ value, scriptPubKey }: WireOutput): ParsedOutput => ({
  amountSats: satsFromBtc(value),
  scriptPubKey: scriptPubKey.hex,
});
