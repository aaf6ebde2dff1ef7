import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRpcClient, type RpcClient } from '../../src/chain/bitcoind/rpc-client.ts';
import { RpcError } from '../../src/chain/bitcoind/rpc-error.ts';
import { satsFromBtc } from '../../src/chain/exact-json.ts';
import { answerAddress } from './esplora-addresses.ts';
import type { TestNode } from './regtest-node.ts';

export interface EsploraServer {
  readonly url: string;
  /** Answers everything with this status until null is given. */
  failWith(status: number | null, headers?: Record<string, string>): void;
  /** False: behaves as an older server without POST /txs/package and /txs/test. */
  setModern(modern: boolean): void;
  /** Stops listening, then listens again on the same port. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

interface NodeOutput {
  value: string | number;
  scriptPubKey: { hex: string };
}
interface NodeTransaction {
  txid: string;
  hex: string;
  weight: number;
  locktime: number;
  version: number;
  vin: { txid?: string; vout?: number; coinbase?: string; sequence: number; prevout?: NodeOutput }[];
  vout: NodeOutput[];
  blockhash?: string;
  confirmations?: number;
  fee?: string;
}
interface Spend {
  txid: string;
  vin: number;
  height: number;
  hash: string;
}
interface Reply {
  status: number;
  body: string | Buffer;
}

const text = (body: string): Reply => ({ status: 200, body });
const json = (body: unknown): Reply => ({ status: 200, body: JSON.stringify(body) });
const notFound = (body: string): Reply => ({ status: 404, body });

/**
 * Esplora's HTTP API (github.com/Blockstream/esplora, API.md) served from a real node, quirks included: a transaction of a block that has
 * left the chain is still answered as unconfirmed, and /status and /outspend answer 200 for what does not exist.
 */
export async function startEsploraServer(node: TestNode): Promise<EsploraServer> {
  const rpc = createRpcClient({ url: node.rpcUrl, cookieFile: node.cookieFile });
  const spends = createSpendIndex(rpc);
  let modern = true;
  let failure: { status: number; headers: Record<string, string> } | null = null;

  const call = <T>(method: string, ...params: unknown[]): Promise<T> => rpc.call<T>(method, params, { exact: true });

  async function statusOf(transaction: NodeTransaction) {
    if (!transaction.blockhash || !transaction.confirmations) return { confirmed: false };
    const header = await call<{ height: number; time: number }>('getblockheader', transaction.blockhash);
    return {
      confirmed: true,
      block_height: header.height,
      block_hash: transaction.blockhash,
      block_time: header.time,
    };
  }

  async function spendOf(txid: string, vout: number) {
    const confirmed = await spends.find(txid, vout);
    if (confirmed) {
      const status = { confirmed: true, block_height: confirmed.height, block_hash: confirmed.hash };
      return { spent: true, txid: confirmed.txid, vin: confirmed.vin, status };
    }
    const [answer] = await call<{ spendingtxid?: string }[]>('gettxspendingprevout', [{ txid, vout }]);
    if (!answer?.spendingtxid) return { spent: false };
    return { spent: true, txid: answer.spendingtxid, vin: 0, status: { confirmed: false } };
  }

  async function prevoutOf({ txid, vout, prevout }: NodeTransaction['vin'][number]) {
    if (txid === undefined || vout === undefined) return null;
    const parent = prevout ? null : await call<NodeTransaction>('getrawtransaction', txid, 1).catch(orNull);
    const output = prevout ?? parent?.vout[vout];
    return output ? { scriptpubkey: output.scriptPubKey.hex, value: Number(satsFromBtc(output.value)) } : null;
  }

  async function transactionJson(transaction: NodeTransaction) {
    const status = await statusOf(transaction);
    const entry = status.confirmed
      ? null
      : await call<{ fees: { base: string } }>('getmempoolentry', transaction.txid).catch(() => null);
    const fee = entry?.fees.base ?? transaction.fee ?? '0';
    const prevouts = await Promise.all(transaction.vin.map(prevoutOf));
    return {
      txid: transaction.txid,
      version: transaction.version,
      locktime: transaction.locktime,
      weight: transaction.weight,
      fee: Number(satsFromBtc(fee)),
      vin: transaction.vin.map((input, index) => ({
        prevout: prevouts[index] ?? null,
        txid: input.txid ?? '00'.repeat(32),
        vout: input.vout ?? 0xffffffff,
        is_coinbase: input.coinbase !== undefined,
        sequence: input.sequence,
      })),
      vout: transaction.vout.map((output) => ({
        scriptpubkey: output.scriptPubKey.hex,
        value: Number(satsFromBtc(output.value)),
      })),
      status,
    };
  }

  async function answerTransaction(txid: string, what: string | undefined, index: string | undefined): Promise<Reply> {
    if (what === 'outspend') return json(await spendOf(txid, Number(index)));
    const found = await call<NodeTransaction>('getrawtransaction', txid, 2).catch(orNull);
    if (what === 'status') return json(found ? await statusOf(found) : { confirmed: false });
    if (!found) return notFound('Transaction not found');
    if (what === undefined) return json(await transactionJson(found));
    if (what === 'raw') return { status: 200, body: Buffer.from(found.hex, 'hex') };
    if (what === 'hex') return text(found.hex);
    if (what === 'outspends') return json(await Promise.all(found.vout.map((_output, vout) => spendOf(txid, vout))));
    return notFound('endpoint does not exist');
  }

  async function answerBlock(hash: string, what: string | undefined): Promise<Reply> {
    const found = await call<Record<string, unknown>>('getblockheader', hash, true).catch(orNull);
    if (what === 'status') return json({ in_best_chain: found !== null && Number(found.confirmations) >= 0 });
    if (!found) return notFound('Block not found');
    if (what === 'raw') return { status: 200, body: Buffer.from(await call<string>('getblock', hash, 0), 'hex') };
    if (what === 'header') return text(await call<string>('getblockheader', hash, false));
    const { height, time, mediantime, previousblockhash = null, version, merkleroot, bits, nonce, nTx } = found;
    const ofHeader = {
      version,
      merkle_root: merkleroot,
      bits: Number.parseInt(String(bits), 16),
      nonce,
      tx_count: nTx,
    };
    return json({ id: hash, height, timestamp: time, mediantime, previousblockhash, ...ofHeader });
  }

  async function post(path: string, query: URLSearchParams, body: string): Promise<Reply> {
    try {
      if (path === '/tx') return text(await call<string>('sendrawtransaction', body.trim()));
      if (!modern) return notFound('endpoint does not exist');
      const raws = JSON.parse(body) as string[];
      const maxFeeRate = query.get('maxfeerate') ?? '0.1';
      if (path === '/txs/package') return json(await call('submitpackage', raws, maxFeeRate));
      if (path === '/txs/test') return json(await call('testmempoolaccept', raws, maxFeeRate));
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const { code, message, method } = error;
      return { status: 400, body: `${method} RPC error: ${JSON.stringify({ code, message })}` };
    }
    return notFound('endpoint does not exist');
  }

  /** By own feerates, one band per feerate. */
  async function feeHistogram(): Promise<[number, number][]> {
    const entries = await call<Record<string, { vsize: number; fees: { base: string } }>>('getrawmempool', true);
    return Object.values(entries)
      .map(({ vsize, fees }): [number, number] => [Number(satsFromBtc(fees.base)) / vsize, vsize])
      .toSorted((a, b) => b[0] - a[0]);
  }

  async function get(path: string): Promise<Reply> {
    const [, kind, id, what, index] = path.split('/');
    if (path === '/blocks/tip/hash') return text(await call<string>('getbestblockhash'));
    if (path === '/blocks/tip/height') return text(String(await call<number>('getblockcount')));
    if (path === '/fee-estimates') return json({});
    if (path === '/mempool/txids') return json(await call('getrawmempool'));
    if (path === '/mempool') {
      const info = await call<{ size: number; bytes: number; total_fee: string }>('getmempoolinfo');
      const total_fee = Number(satsFromBtc(info.total_fee));
      return json({ count: info.size, vsize: info.bytes, total_fee, fee_histogram: await feeHistogram() });
    }
    if (kind === 'block-height') {
      const hash = await call<string>('getblockhash', Number(id)).catch(orNull);
      return hash === null ? notFound('Block not found') : text(hash);
    }
    if (kind === 'block' && id) return answerBlock(id, what);
    if (kind === 'tx' && id) return answerTransaction(id, what, index);
    if (kind === 'address' && id) {
      const found = await answerAddress(call, id, path.split('/').slice(3), async (txid) =>
        transactionJson(await call<NodeTransaction>('getrawtransaction', txid, 2)),
      );
      return found === null ? notFound('endpoint does not exist') : json(found);
    }
    return notFound('endpoint does not exist');
  }

  async function answer(request: IncomingMessage): Promise<Reply> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const path = url.pathname.replace(/^\/api/, '');
    if (request.method !== 'POST') return get(path);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return post(path, url.searchParams, Buffer.concat(chunks).toString('utf8'));
  }

  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    if (failure) {
      response.writeHead(failure.status, failure.headers).end('out of order');
      return;
    }
    answer(request).then(
      ({ status, body }) => response.writeHead(status).end(body),
      () => response.writeHead(500).end('internal error'),
    );
  };

  let server: Server = createServer(respond);
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const goAway = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${port}/api`,
    failWith(status, headers = {}) {
      failure = status === null ? null : { status, headers };
    },
    setModern(value) {
      modern = value;
    },
    goAway,
    async comeBack() {
      server = createServer(respond);
      await listen(port);
    },
    async close() {
      await goAway();
      await rpc.close();
    },
  };
}

/** Which confirmed transaction spends an output: blocks are read once, and read again from where the chain forked. */
function createSpendIndex(rpc: RpcClient) {
  const chain: { hash: string; spent: string[] }[] = [];
  const spends = new Map<string, Spend>();
  let running: Promise<void> = Promise.resolve();

  async function follow(): Promise<void> {
    const height = await rpc.call<number>('getblockcount');
    while (chain.length > 0) {
      const hash = await rpc.call<string>('getblockhash', [chain.length - 1]).catch(orNull);
      if (hash === chain.at(-1)?.hash) break;
      for (const outpoint of chain.pop()!.spent) spends.delete(outpoint);
    }
    for (let next = chain.length; next <= height; next += 1) {
      const hash = await rpc.call<string>('getblockhash', [next]);
      const block = await rpc.call<{ tx: NodeTransaction[] }>('getblock', [hash, 2]);
      const spent: string[] = [];
      for (const transaction of block.tx) {
        transaction.vin.forEach((input, vin) => {
          if (input.txid === undefined) return;
          const outpoint = `${input.txid}:${input.vout}`;
          spends.set(outpoint, { txid: transaction.txid, vin, height: next, hash });
          spent.push(outpoint);
        });
      }
      chain.push({ hash, spent });
    }
  }

  return {
    async find(txid: string, vout: number): Promise<Spend | undefined> {
      running = running.then(follow, follow);
      await running;
      return spends.get(`${txid}:${vout}`);
    },
  };
}

function orNull(error: unknown): null {
  if (error instanceof RpcError) return null;
  throw error;
}
