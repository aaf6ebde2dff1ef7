import { transactionsBetween } from '../../core/blocks/block.ts';
import type { ParsedOutput } from '../../core/blocks/transaction.ts';
import { type BlockHash, blockHash, type Txid, txid } from '../../core/outpoint.ts';
import type { ChainSource, TransactionDetails } from '../chain-source.ts';
import type { EsploraClient } from './esplora-client.ts';
import { liveTransaction, standingOf } from './esplora-mempool.ts';
import type { EsploraOutput, EsploraOutspend, EsploraTransaction } from './wire.ts';

/** Single transactions with what they spend, and what became of outputs: the server indexes both. */
export function createEsploraTransactions(
  client: EsploraClient,
): Pick<ChainSource, 'transactionDetails' | 'outputStatus'> {
  /** Of a block that the server may show although it has left the chain. */
  async function detailsIn(id: Txid, block: BlockHash): Promise<TransactionDetails | null> {
    const bytes = await client.bytes(`/block/${block}/raw`);
    const found = bytes && transactionsBetween(bytes, 0, Number.POSITIVE_INFINITY).transactions;
    const tx = found?.find((one) => one.txid === id);
    if (!tx) return null;
    const known = await client.json<EsploraTransaction>(`/tx/${id}`);
    const spent = known ? spentBy(known) : tx.inputs.map(() => null);
    return { raw: tx.raw, blockHash: block, confirmations: 0, spent };
  }

  return {
    async transactionDetails(id, block) {
      const found = await liveTransaction(client, id);
      if (block !== undefined && found?.status.block_hash !== block) return detailsIn(id, block);
      const raw = found && (await client.bytes(`/tx/${id}/raw`));
      return found && raw ? { raw, ...(await standingOf(client, found)), spent: spentBy(found) } : null;
    },

    async outputStatus({ txid: id, vout }) {
      const [found, spend] = await Promise.all([
        liveTransaction(client, id),
        client.json<EsploraOutspend>(`/tx/${id}/outspend/${vout}`),
      ]);
      const output = found?.vout[vout];
      if (!found || !output) return null;
      const by =
        spend?.spent && spend.txid
          ? {
              txid: txid(spend.txid),
              blockHash: spend.status?.confirmed && spend.status.block_hash ? blockHash(spend.status.block_hash) : null,
            }
          : null;
      return {
        ...outputOf(output),
        height: found.status.confirmed ? (found.status.block_height ?? null) : null,
        coinbase: found.vin[0]?.is_coinbase ?? false,
        spent: spend?.spent ? { by } : null,
      };
    },
  };
}

const spentBy = ({ vin }: EsploraTransaction): (ParsedOutput | null)[] =>
  vin.map(({ prevout }) => (prevout ? outputOf(prevout) : null));

const outputOf = ({ value, scriptpubkey }: EsploraOutput): ParsedOutput => ({
  amountSats: BigInt(value),
  scriptPubKey: scriptpubkey,
});
