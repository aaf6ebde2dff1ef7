/** The coins that payments take against those that a node's wallet takes: 30 UTXO sets, 120 payments. */
import { BIP32Factory } from 'bip32';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createRpcClient } from '../../src/chain/bitcoind/rpc-client.ts';
import { RpcError } from '../../src/chain/bitcoind/rpc-error.ts';
import { ecc } from '../../src/core/keys/ecc.ts';
import { networkParameters } from '../../src/core/network.ts';
import type { Txid } from '../../src/core/outpoint.ts';
import { BURN_ADDRESS, startTestNode, type TestNode } from '../builders/regtest-node.ts';
import { coinRecord } from '../builders/store-records.ts';
import { bytesFrom, randomFrom } from '../core/coin-selection/coins.ts';
import { plain, stored, TIP } from '../services/transactions/stored-wallets.ts';

const SETS = 30;
const CONFIRMATIONS = 10;
/** Both draw at random: each payment is planned so often, and the mean of its fees counts. */
const TIMES = 5;
const FEE_RATES = [1, 5, 12, 40];
/** Of all that a set holds. */
const PARTS = [0.05, 0.3, 0.7, 0.97];
/** Coins of a set; of more than 500 not all are looked at. */
const SIZES = [3, 8, 20, 60, 150, 400, 1_200];

const random = randomFrom('against a node');
const AMOUNTS: readonly (() => number)[] = [
  () => 1_000 + random.below(2 ** (8 + random.below(17))),
  () => 20_000 + random.below(1_000_000),
  () => 2_000 + random.below(10_000),
  () => 100_000 * (1 + random.below(5)),
];

let node: TestNode;
beforeAll(async () => {
  node = await startTestNode();
  await node.mine(110);
});
afterAll(() => node?.stop());

const btc = (sats: number): string => (sats / 1e8).toFixed(8);
const sats = (coins: number): number => Math.round(coins * 1e8);

interface Unspent {
  readonly txid: Txid;
  readonly vout: number;
  /** BTC */
  readonly amount: number;
  readonly scriptPubKey: string;
}

/** The node has too little, or it would be too large. */
function refusal(error: unknown): null {
  if (error instanceof RpcError && /insufficient funds|too large|exceed/i.test(error.message)) return null;
  throw error;
}

/** A node's wallet that has the amounts, each on a script of its own, and nothing else. */
async function nodeWallet(name: string, amounts: readonly number[]) {
  const key = BIP32Factory(ecc).fromSeed(bytesFrom(name)(32), networkParameters('regtest')).toBase58();
  await node.rpc('createwallet', name, false, true, '', false, true, false);
  const client = createRpcClient({ url: `${node.rpcUrl}/wallet/${name}`, cookieFile: node.cookieFile });
  onTestFinished(() => client.close());
  const { descriptor, checksum } = await node.rpc<{ descriptor: string; checksum: string }>(
    'getdescriptorinfo',
    `wpkh(${key}/0/*)`,
  );
  const range = [0, amounts.length];
  const [imported] = await client.call<{ success: boolean }[]>('importdescriptors', [
    [{ desc: `wpkh(${key}/0/*)#${checksum}`, range, timestamp: 'now', active: false }],
  ]);
  expect(imported?.success).toBe(true);
  const [change, ...addresses] = await node.rpc<string[]>('deriveaddresses', descriptor, range);
  await node.rpc('sendmany', '', Object.fromEntries(addresses.map((address, at) => [address, btc(amounts[at]!)])));
  return { client, change };
}

it('payments cost as much as the node would pay, within one hundredth, and are refused where it refuses', async () => {
  const sets = [];
  for (let at = 0; at < SETS; at++) {
    const amounts = Array.from({ length: SIZES[at % SIZES.length]! }, AMOUNTS[at % AMOUNTS.length]!);
    sets.push({ amounts, ...(await nodeWallet(`set-${at}`, amounts)) });
  }
  await node.mine(CONFIRMATIONS);
  const fees = { ours: 0, nodes: 0 };
  let refused = 0;
  for (const [at, { amounts, client, change }] of sets.entries()) {
    const unspent = await client.call<Unspent[]>('listunspent');
    expect(unspent).toHaveLength(amounts.length);
    const coins = unspent.map(({ amount, ...coin }, index) =>
      coinRecord('', { ...coin, index, amountSats: BigInt(sats(amount)), height: TIP - CONFIRMATIONS + 1 }),
    );
    const pay = await stored({ coins, inputWeight: null, olderBlocks: 0 });
    const total = amounts.reduce((sum, one) => sum + one, 0);
    for (const [nth, satVb] of FEE_RATES.entries()) {
      const part = PARTS[(at + nth) % PARTS.length]! * (0.8 + random.below(400) / 1_000);
      const amount = Math.max(1_000, Math.round(total * part));
      const payment = await node.rpc<string>('createrawtransaction', [], [{ [BURN_ADDRESS]: btc(amount) }]);
      for (let time = 0; time < TIMES; time++) {
        const { plan } = await pay({ ...plain, sats: BigInt(amount), satVb }, 'usual', `${at} ${nth} ${time}`);
        const options = { fee_rate: satVb, changeAddress: change };
        const funded = await client.call<{ fee: number }>('fundrawtransaction', [payment, options]).catch(refusal);
        expect(plan !== undefined, `${amount} of ${total} at ${satVb} sat/vB`).toBe(funded !== null);
        if (!plan || !funded) refused++;
        fees.ours += Number(plan?.feeSats ?? 0n);
        fees.nodes += sats(funded?.fee ?? 0);
      }
    }
  }
  expect(refused / TIMES).toBeGreaterThan(5);
  expect(refused / TIMES).toBeLessThan((SETS * FEE_RATES.length) / 4);
  expect(fees.ours / fees.nodes).toBeLessThan(1.01);
}, 600_000);
