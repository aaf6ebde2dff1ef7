/** The same histories as a real node plays them: its mempool, its replacement rules, its reorgs. */
import { address } from 'bitcoinjs-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBitcoindSource } from '../../../src/chain/bitcoind/create-bitcoind-source.ts';
import type { ChainSource } from '../../../src/chain/chain-source.ts';
import { parseBlockTransactions } from '../../../src/core/blocks/block.ts';
import type { WalletRecord } from '../../../src/store/records.ts';
import { startTestNode, type TestNode } from '../../builders/regtest-node.ts';
import { reorgNode } from '../../builders/reorg-node.ts';
import { collectedLog } from '../../secrets/collected.ts';
import { hdWallet } from './hd-wallet.ts';
import { openWorld, stranger } from './world.ts';

const BTC = 100_000_000n;
const keys = hdWallet('alice on a real node');
const addressOf = (index: number) => address.toBech32(keys.script(index).slice(2), 0, 'bcrt');

let node: TestNode;
let chain: ChainSource;
let strangersBlock: string | undefined;

beforeAll(async () => {
  node = await startTestNode();
  [strangersBlock] = await node.mine(1, address.toBech32(stranger.script.slice(2), 0, 'bcrt'));
  await node.mine(110);
  chain = createBitcoindSource({
    rpcUrl: node.rpcUrl,
    cookieFile: node.cookieFile,
    zmqUrls: node.zmqUrls,
    network: 'regtest',
    log: collectedLog(),
  });
});

afterAll(async () => {
  await chain?.close();
  await node?.stop();
});

async function alice(options: { fromGenesis?: boolean } = {}) {
  const world = await openWorld({ chain, ...options });
  const wallet = await world.addWallet(await world.addAccount('alice'), keys);
  await world.begin();
  return { world, wallet };
}

/** What the wallet has, in a database that has just followed the whole chain. */
async function freshBalance() {
  const { world, wallet } = await alice({ fromGenesis: true });
  const balance = await world.balance(wallet);
  await world.stop();
  return balance;
}

const pending = (world: Awaited<ReturnType<typeof alice>>['world'], wallet: WalletRecord) =>
  world.balance(wallet).then((balance) => balance.pendingSats);

describe('on a real node', () => {
  it('a deposit arrives, is replaced by one that pays us nothing, and another confirms', async () => {
    const before = (await freshBalance()).confirmedSats;
    const { world, wallet } = await alice({ fromGenesis: true });
    const txid = await node.send(addressOf(0), '0.5');
    // Pushed or polled, without being asked to look.
    await expect.poll(() => pending(world, wallet)).toBe(BTC / 2n);
    const entry = await node.rpc<{ vin: { txid: string; vout: number }[]; vout: { value: number }[] }>(
      'decoderawtransaction',
      await node.rpc('getrawtransaction', txid),
    );
    const total = entry.vout.reduce((sum, output) => sum + output.value, 0);
    const elsewhere = address.toBech32(stranger.script.slice(2), 0, 'bcrt');
    const inputs = entry.vin.map(({ txid: prev, vout }) => ({ txid: prev, vout, sequence: 0xfffffffd }));
    const other = await node.rpc<string>('createrawtransaction', inputs, { [elsewhere]: (total - 0.001).toFixed(8) });
    const { hex } = await node.rpc<{ hex: string }>('signrawtransactionwithwallet', other);
    const otherTxid = await node.rpc<string>('sendrawtransaction', hex, 0);
    await expect
      .poll(() => world.record(wallet, txid))
      .toMatchObject({
        status: 'replaced',
        replacedBy: otherTxid,
      });
    const deposit = await node.send(addressOf(1), '0.25');
    await node.mine(1);
    await world.settle();
    expect(await world.record(wallet, txid)).toMatchObject({ status: 'conflicted' });
    expect(await world.record(wallet, deposit)).toMatchObject({ status: 'confirmed' });
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: before + BTC / 4n, pendingSats: 0n });
    await world.stop();
  });

  it.each([
    1, 3, 6,
  ])('a reorg of %i blocks, while following and while stopped, ends as a fresh follow does', async (depth) => {
    const { world, wallet } = await alice({ fromGenesis: true });
    const [first] = await node.mine(1, addressOf(depth));
    const deposit = await node.send(addressOf(depth + 1), '0.125');
    const raw = await node.rpc<string>('getrawtransaction', deposit);
    await node.mine(depth);
    await world.settle();
    expect(await world.record(wallet, deposit)).toMatchObject({ status: 'confirmed' });
    await reorgNode(node, depth);
    await world.settle();
    expect(await world.record(wallet, deposit)).toMatchObject({ status: 'broadcast', blockHeight: null });
    expect(await world.balance(wallet)).toEqual(await freshBalance());

    await world.stop();
    // Now the block with our coinbase goes, too.
    await reorgNode(node, depth + 2);
    // Its locktime kept it out of the mempool while the chain was shorter.
    await node.rpc('sendrawtransaction', raw).catch(() => {});
    await node.mine(1);
    world.start();
    await world.settle();
    expect((await chain.header(first as never))?.inBestChain).toBe(false);
    expect(await world.record(wallet, deposit)).toMatchObject({ status: 'confirmed' });
    expect(await world.balance(wallet)).toEqual(await freshBalance());
    await world.stop();
  });

  it('a restart of the node that loses its mempool ends unconfirmed deposits, until they are sent again', async () => {
    const { world, wallet } = await alice({ fromGenesis: true });
    const before = (await world.balance(wallet)).pendingSats;
    // Not the node's own payment: that would be back by itself.
    const [coinbase] = parseBlockTransactions((await chain.block(strangersBlock as never))!.bytes);
    const { raw, txid } = stranger.spend({
      coins: [{ txid: coinbase!.txid, vout: 0, amountSats: coinbase!.outputs[0]!.amountSats }],
      outputs: [{ script: keys.script(2), amountSats: BTC / 16n }],
    });
    const hex = Buffer.from(raw).toString('hex');
    await node.rpc('sendrawtransaction', hex, 0);
    await expect.poll(() => pending(world, wallet)).toBe(before + BTC / 16n);
    await node.kill();
    await expect.poll(() => world.follower().status().problem).not.toBe(null);
    await node.restart();
    await expect.poll(() => world.record(wallet, txid)).toMatchObject({ status: 'abandoned' });
    await node.rpc('sendrawtransaction', hex, 0);
    await expect.poll(() => pending(world, wallet)).toBe(before + BTC / 16n);
    await node.mine(1);
    await world.settle();
    expect(await world.balance(wallet)).toEqual(await freshBalance());
    await world.stop();
  });
});
