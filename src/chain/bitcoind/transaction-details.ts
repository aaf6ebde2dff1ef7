import type { ParsedOutput, ParsedTransaction } from '../../core/blocks/transaction.ts';
import { parseTransaction } from '../../core/blocks/transaction.ts';
import { DomainError } from '../../core/errors.ts';
import { type BlockHash, blockHash, type Txid } from '../../core/outpoint.ts';
import type { TransactionDetails } from '../chain-source.ts';
import { satsFromBtc } from '../exact-json.ts';
import type { RpcClient } from './rpc-client.ts';
import { RPC } from './rpc-error.ts';
import { resultOf, resultOrNull } from './rpc-results.ts';
import { foundTransaction } from './transaction-reader.ts';

interface WireOutput {
  value: string;
  scriptPubKey: { hex: string };
}
interface TransactionAnswer {
  hex: string;
  blockhash?: string;
  confirmations?: number;
  vin: { prevout?: WireOutput }[];
}

const TIMEOUT_MS = 30_000;

/** As `transaction`, with what it spends: from the block's undo data, or for a waiting one from the coins and its waiting parents. */
export async function readTransactionDetails(
  rpc: RpcClient,
  id: Txid,
  block?: BlockHash,
): Promise<TransactionDetails | null> {
  const params = block === undefined ? [id, 2] : [id, 2, block];
  const [outcome] = await rpc.batch([{ method: 'getrawtransaction', params }], { exact: true, timeoutMs: TIMEOUT_MS });
  if (block !== undefined && outcome?.error?.code === RPC.miscError) {
    throw new DomainError(
      'source_incapable',
      `the Bitcoin node no longer has block ${block}: it is pruned, and one that is not has it`,
    );
  }
  const answer =
    block === undefined
      ? foundTransaction<TransactionAnswer>(outcome)
      : resultOrNull<TransactionAnswer>(outcome, RPC.invalidAddressOrKey);
  if (answer === null) return null;
  const confirmations = answer.confirmations ?? 0;
  // Found only in a block that has left the chain: neither in the mempool nor in the chain.
  if (block === undefined && answer.blockhash && confirmations === 0) return null;
  const raw = Buffer.from(answer.hex, 'hex');
  const inBlock = answer.blockhash === undefined ? null : blockHash(answer.blockhash);
  const spent =
    inBlock === null
      ? await spentByWaiting(rpc, parseTransaction(raw))
      : answer.vin.map(({ prevout }) => (prevout ? outputOf(prevout) : null));
  return { raw, blockHash: inBlock, confirmations, spent };
}

/** Coins of the chain are still there while only the mempool spends them. */
async function spentByWaiting(rpc: RpcClient, tx: ParsedTransaction): Promise<(ParsedOutput | null)[]> {
  const coins = await rpc.batch(
    tx.inputs.map(({ prev }) => ({ method: 'gettxout', params: [prev.txid, prev.vout, false] })),
    { exact: true, timeoutMs: TIMEOUT_MS },
  );
  const spent = coins.map((outcome) => {
    const coin = resultOf<WireOutput | null>(outcome);
    return coin && outputOf(coin);
  });
  const parents = [...new Set(tx.inputs.flatMap(({ prev }, index) => (spent[index] ? [] : [prev.txid])))];
  const raws = await rpc.batch(
    parents.map((txid) => ({ method: 'getrawtransaction', params: [txid, 0] })),
    { timeoutMs: TIMEOUT_MS },
  );
  const outputsOf = new Map(
    parents.map((txid, index) => {
      const hex = resultOrNull<string>(raws[index], RPC.invalidAddressOrKey);
      return [txid, hex === null ? [] : parseTransaction(Buffer.from(hex, 'hex')).outputs];
    }),
  );
  return spent.map((output, index) => {
    const prev = tx.inputs[index]?.prev;
    return output ?? (prev && outputsOf.get(prev.txid)?.[prev.vout]) ?? null;
  });
}

const outputOf = ({ value, scriptPubKey }: WireOutput): ParsedOutput => ({
  amountSats: satsFromBtc(value),
  scriptPubKey: scriptPubKey.hex,
});
