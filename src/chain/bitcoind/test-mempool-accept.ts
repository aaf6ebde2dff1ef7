import type { MempoolAcceptResult } from '../chain-source.ts';
import { type MempoolAcceptAnswer, mempoolAcceptResults, undecodable } from '../mempool-accept.ts';
import type { RpcClient } from './rpc-client.ts';
import { RPC } from './rpc-error.ts';
import { resultOf } from './rpc-results.ts';

/** Fees are this service's business: the node's own cap is off. */
const NO_MAX_FEE_RATE = 0;

export async function testMempoolAccept(rpc: RpcClient, raws: readonly Uint8Array[]): Promise<MempoolAcceptResult[]> {
  const hex = raws.map((raw) => Buffer.from(raw).toString('hex'));
  const [outcome] = await rpc.batch([{ method: 'testmempoolaccept', params: [hex, NO_MAX_FEE_RATE] }], { exact: true });
  if (outcome?.error?.code === RPC.deserializationError) throw undecodable(outcome.error.message);
  return mempoolAcceptResults(resultOf<MempoolAcceptAnswer[]>(outcome));
}
