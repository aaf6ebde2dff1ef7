import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  createSimulatedChain,
  type SimulatedChain,
  type SimulatedChainOptions,
} from '../../../src/chain/simulated/simulated-chain.ts';
import { parseBlockTransactions } from '../../../src/core/blocks/block.ts';
import { type Txid, txid } from '../../../src/core/outpoint.ts';
import { type TestCoin, testKey } from '../../builders/test-key.ts';

export const owner = testKey('owner');
export const NOBODY = `0014${'00'.repeat(20)}`;

/** Deterministic bytes, so that a failing run can be repeated. */
export function seededBytes(seed: string): (size: number) => Uint8Array {
  let counter = 0;
  return (size) => {
    const chunks = Array.from({ length: Math.ceil(size / 32) }, () =>
      createHash('sha256').update(`${seed} ${counter++}`).digest(),
    );
    return Buffer.concat(chunks).subarray(0, size);
  };
}

export const silent = { info() {}, warn() {} };

export async function openChain(options: Partial<SimulatedChainOptions> = {}): Promise<SimulatedChain> {
  const chain = await createSimulatedChain({
    clock: Date.now,
    randomBytes: seededBytes('simulated'),
    log: silent,
    ...options,
  });
  onTestFinished(() => chain.close());
  return chain;
}

/** A chain with `count` mature coins of the owner. */
export async function fundedChain(
  count: number,
  options: Partial<SimulatedChainOptions> = {},
): Promise<{ chain: SimulatedChain; coins: TestCoin[] }> {
  const chain = await openChain(options);
  return { chain, coins: await fund(chain, count) };
}

export async function fund(chain: SimulatedChain, count: number): Promise<TestCoin[]> {
  const blocks = await chain.mine(count, owner.scriptHex);
  await chain.mine(100, NOBODY);
  return Promise.all(blocks.map(({ hash }) => coinbaseCoin(chain, hash)));
}

export async function coinbaseCoin(chain: SimulatedChain, hash: string): Promise<TestCoin> {
  const [coinbase] = await transactionsOf(chain, hash);
  return { txid: coinbase!.txid, vout: 0, amountSats: coinbase!.outputs[0]!.amountSats };
}

export async function transactionsOf(chain: SimulatedChain, hash: string) {
  return parseBlockTransactions((await chain.block(hash as never))!.bytes);
}

export async function mempoolOf(chain: SimulatedChain): Promise<Txid[]> {
  return (await chain.mempoolTxids()).toSorted();
}

export const sorted = (...transactions: { txid: string }[]): Txid[] =>
  transactions.map((tx) => txid(tx.txid)).toSorted();

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ashlar-simulated-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Splits a coin into `parts` equal ones, and gives them. */
export function split(coin: TestCoin, parts: number, feeSats = 20_000n) {
  const each = (coin.amountSats - feeSats) / BigInt(parts);
  const payment = owner.spend({
    coins: [coin],
    outputs: Array.from({ length: parts }, () => ({ script: owner.script, amountSats: each })),
  });
  return { payment, coins: Array.from({ length: parts }, (_, vout) => payment.coin(vout)) };
}
