import { acceptanceTests, type TestAnswer, undecodable } from '../acceptance-answers.ts';
import type { AcceptanceTest } from '../chain-source.ts';
import { resultOf } from './outcomes.ts';
import type { RpcClient } from './rpc-client.ts';
import { RPC } from './rpc-error.ts';

/** Fees are this service's business: the node's own cap is off. */
const NO_MAX_FEE_RATE = 0;

export async function readAcceptanceTests(rpc: RpcClient, raws: readonly Uint8Array[]): Promise<AcceptanceTest[]> {
  const hex = raws.map((raw) => Buffer.from(raw).toString('hex'));
  const [outcome] = await rpc.batch([{ method: 'testmempoolaccept', params: [hex, NO_MAX_FEE_RATE] }], { exact: true });
  if (outcome?.error?.code === RPC.deserializationError) throw undecodable(outcome.error.message);
  return acceptanceTests(resultOf<TestAnswer[]>(outcome));
}
