/** What an Esplora server's index of addresses answers, found by reading the node's whole chain: for regtest chains of some hundred blocks. */
import { satsFromBtc } from '../../src/chain/exact-json.ts';

type Call = <T>(method: string, ...params: unknown[]) => Promise<T>;

interface Output {
  value: string | number;
  n: number;
  scriptPubKey: { address?: string };
}
interface Transaction {
  txid: string;
  vin: { txid?: string; vout?: number; prevout?: Output }[];
  vout: Output[];
}
interface Touching {
  txid: string;
  height: number | null;
  hash: string | null;
  funded: { vout: number; value: number }[];
  spent: { txid: string; vout: number; value: number }[];
}

/** Unconfirmed first, then newest first. */
async function touching(call: Call, address: string): Promise<Touching[]> {
  const found: Touching[] = [];
  const look = (transaction: Transaction, height: number | null, hash: string | null): void => {
    const funded = transaction.vout
      .filter(({ scriptPubKey }) => scriptPubKey.address === address)
      .map(({ n, value }) => ({ vout: n, value: Number(satsFromBtc(value)) }));
    const spent = transaction.vin.flatMap(({ txid, vout, prevout }) =>
      txid !== undefined && vout !== undefined && prevout?.scriptPubKey.address === address
        ? [{ txid, vout, value: Number(satsFromBtc(prevout.value)) }]
        : [],
    );
    if (funded.length + spent.length > 0) found.unshift({ txid: transaction.txid, height, hash, funded, spent });
  };
  const tip = await call<number>('getblockcount');
  for (let height = 1; height <= tip; height++) {
    const hash = await call<string>('getblockhash', height);
    const { tx } = await call<{ tx: Transaction[] }>('getblock', hash, 3);
    for (const transaction of tx) look(transaction, height, hash);
  }
  for (const txid of await call<string[]>('getrawmempool')) {
    look(await call<Transaction>('getrawtransaction', txid, 2), null, null);
  }
  return found;
}

const statusOf = ({ height, hash }: Touching) =>
  height === null ? { confirmed: false } : { confirmed: true, block_height: height, block_hash: hash };

/** The answer of `/address/{address}{what}`, null where there is no such endpoint. `transactionOf` gives one as Esplora writes it. */
export async function answerAddress(
  call: Call,
  address: string,
  what: string[],
  transactionOf: (txid: string) => Promise<unknown>,
): Promise<unknown> {
  const all = await touching(call, address);
  const sum = (values: { value: number }[]): number => values.reduce((total, { value }) => total + value, 0);
  if (what.length === 0) {
    const stats = (of: Touching[]) => ({
      funded_txo_count: of.flatMap(({ funded }) => funded).length,
      funded_txo_sum: sum(of.flatMap(({ funded }) => funded)),
      spent_txo_count: of.flatMap(({ spent }) => spent).length,
      spent_txo_sum: sum(of.flatMap(({ spent }) => spent)),
      tx_count: of.length,
    });
    return {
      address,
      chain_stats: stats(all.filter(({ height }) => height !== null)),
      mempool_stats: stats(all.filter(({ height }) => height === null)),
    };
  }
  if (what[0] === 'utxo') {
    const spent = new Set(all.flatMap((one) => one.spent.map(({ txid, vout }) => `${txid}:${vout}`)));
    return all.flatMap((one) =>
      one.funded
        .filter(({ vout }) => !spent.has(`${one.txid}:${vout}`))
        .map(({ vout, value }) => ({ txid: one.txid, vout, value, status: statusOf(one) })),
    );
  }
  if (what[0] !== 'txs') return null;
  const confirmed = all.filter(({ height }) => height !== null);
  const behind = what[1] === 'chain' ? confirmed.findIndex(({ txid }) => txid === what[2]) + 1 : 0;
  const waiting = what[1] === 'chain' ? [] : all.filter(({ height }) => height === null).slice(0, 50);
  const shown = [...waiting, ...confirmed.slice(behind, behind + 25)];
  return Promise.all(shown.map(({ txid }) => transactionOf(txid)));
}
