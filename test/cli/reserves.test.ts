/** `ashlar reserves verify` beside a real node: coins that are there, spent before and after the report, and proofs that nobody can mine. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTransaction } from '../../src/core/blocks/transaction.ts';
import { txid } from '../../src/core/outpoint.ts';
import { parsePsbt } from '../../src/core/psbt/codec/parse-psbt.ts';
import { extractTransaction } from '../../src/core/psbt/finalizing/extract-transaction.ts';
import type { PsbtV2 } from '../../src/core/psbt/psbt.ts';
import type { FundsCoin } from '../../src/core/reserves/prove-funds.ts';
import { CLI } from '../builders/built.ts';
import { childEnvironment } from '../builders/child-environment.ts';
import { startTestNode, type TestNode } from '../builders/regtest-node.ts';
import { fundsWallet, liabilityTree, reservesOf } from '../builders/reserves.ts';

const customers = [
  { customerId: 'alice', balanceSats: 150_000n },
  { customerId: 'bob', balanceSats: 50_000n },
  { customerId: 'carol', balanceSats: 0n },
];
const tree = liabilityTree(customers);
const wallets = { segwit: fundsWallet('segwit'), legacy: fundsWallet('legacy'), taproot: fundsWallet('taproot') };
let node: TestNode;
let folder: string;
let url: string;
let coins: Record<keyof typeof wallets, FundsCoin[]>;

const write = (name: string, value: unknown): string => {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(value));
  return file;
};
function verify(...args: string[]) {
  const run = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', CLI, 'reserves', 'verify', ...args],
    {
      env: { ...childEnvironment, DATA_DIR: join(folder, 'nothing') },
      ...{ cwd: folder, encoding: 'utf8' },
    },
  );
  return { status: run.status, stderr: run.stderr, json: () => JSON.parse(run.stdout) };
}

/** The outputs that a transaction pays to the wallet, from the node's own words. */
async function coinOf(type: keyof typeof wallets, index: number): Promise<FundsCoin> {
  const { address, scriptPubKey } = wallets[type].at(index);
  const paid = await node.send(address, '0.00100000');
  const raw = Buffer.from(await node.rpc<string>('getrawtransaction', paid), 'hex');
  const vout = parseTransaction(raw).outputs.findIndex((output) => output.scriptPubKey === scriptPubKey);
  const previous = type === 'legacy' ? raw : null;
  return { txid: txid(paid), vout, amountSats: 100_000n, scriptPubKey, change: false, index, previous };
}

/** As of the node's present tip. */
async function reportOf(type: keyof typeof wallets, parts: FundsCoin[][]) {
  const tip = await node.rpc<number>('getblockcount');
  const heights = Array.from({ length: 12 }, (_, at) => tip - 11 + at);
  const hashes = await Promise.all(heights.map((height) => node.rpc<string>('getblockhash', height)));
  const headers = await Promise.all(hashes.map((hash) => node.rpc<string>('getblockheader', hash, false)));
  const statement = {
    ...{ account_id: 'acc_1', network: 'regtest' as const, block: { height: tip, hash: hashes.at(-1)! } },
    ...{ time: '2026-11-28T03:00:00.000Z', liabilities: tree.said },
  };
  return reservesOf(statement, headers, wallets[type], parts);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ashlar-reserves-'));
  node = await startTestNode();
  url = node.rpcUrl.replace('://', `://${readFileSync(node.cookieFile, 'utf8')}@`);
  coins = { segwit: [], legacy: [], taproot: [] };
  for (const type of ['segwit', 'legacy', 'taproot'] as const)
    for (const index of [0, 1, 2]) coins[type].push(await coinOf(type, index));
  await node.mine(1);
});
afterAll(async () => {
  await node?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('ashlar reserves verify', () => {
  it.each([
    'segwit',
    'legacy',
    'taproot',
  ] as const)('takes the proofs of a %s wallet, which no node takes', async (type) => {
    const report = await reportOf(type, [coins[type].slice(0, 2), coins[type].slice(2)]);
    for (const { signature } of report.proofs) {
      const psbt = parsePsbt(Buffer.from(signature.slice(3), 'base64')) as PsbtV2;
      const { raw } = extractTransaction(psbt);
      const [verdict] = await node.rpc<object[]>('testmempoolaccept', [Buffer.from(raw).toString('hex')], 0);
      expect(verdict).toMatchObject({ allowed: false });
      await expect(node.rpc('generateblock', 'raw(6a)', [Buffer.from(raw).toString('hex')])).rejects.toThrow(
        /missingorspent/,
      );
    }
    const file = write(`${type}.json`, report);
    const offline = verify(file);
    expect(offline.status, offline.stderr).toBe(0);
    expect(offline.stderr).toContain('(--chain)');
    expect(offline.json()).toMatchObject({
      ...{ verified: true, covered: true, unspent: 'not_checked', customer: 'not_checked' },
      ...{ reserves: { total: '0.00300000', coins: 3 }, liabilities: { total: '0.00200000', customers: 3 } },
      headers: { count: 12, work: '24' },
    });
    const asked = verify(file, '--chain', node.rpcUrl, '--cookie', node.cookieFile);
    expect(asked.status, asked.stderr).toBe(0);
    expect(asked.stderr).not.toContain('(--chain)');
    expect(asked.json()).toMatchObject({ verified: true, unspent: 'all', spent_since: { coins: 0 } });
  });

  it('finds a coin that was spent before the report, and tells one that was spent since in the mempool', async () => {
    const [kept, gone] = [coins.segwit[0]!, coins.segwit[1]!];
    const before = await reportOf('segwit', [[kept, gone]]);
    const out = [{ [await node.rpc<string>('getnewaddress')]: '0.00090000' }];
    const unsigned = await node.rpc('createrawtransaction', [{ txid: gone.txid, vout: gone.vout }], out);
    const spend = await node.rpc<{ hex: string }>('signrawtransactionwithkey', unsigned, [wallets.segwit.wif(1)]);
    await node.rpc('sendrawtransaction', spend.hex);
    const file = write('since.json', before);
    const waiting = verify(file, '--chain', url);
    expect(waiting.json()).toMatchObject({
      verified: true,
      unspent: 'all',
      spent_since: { coins: 1, amount: '0.00100000' },
    });
    await node.mine(1);
    const after = await reportOf('segwit', [[kept, gone]]);
    const spent = verify(write('spent.json', after), '--chain', url);
    expect(spent.status).toBe(1);
    expect(spent.json()).toMatchObject({
      ...{ verified: false, unspent: 'not_all', place: 'missing' },
      missing: [{ output: `${gone.txid}:${gone.vout}`, problem: expect.stringContaining('spent') }],
    });
    expect(verify(write('spent.json', after)).json()).toMatchObject({ verified: true, unspent: 'not_checked' });
  });

  it("finds an omission by the customer's own proof, and says where a file is wrong", async () => {
    const report = await reportOf('taproot', [coins.taproot]);
    const file = write('report.json', report);
    const proof = write('alice.json', tree.proofOf('alice'));
    const included = verify(file, '--proof', proof);
    expect(included.status, included.stderr).toBe(0);
    expect(included.json().customer).toMatchObject({ included: true, customer_id: 'alice', balance: '0.00150000' });
    const omitted = liabilityTree(customers.slice(1));
    const statement = { ...report, liabilities: omitted.said };
    const without = reservesOf(statement, report.headers, wallets.taproot, [coins.taproot]);
    const found = verify(write('omitted.json', without), '--proof', proof);
    expect(found.status).toBe(1);
    expect(found.json()).toMatchObject({ verified: false, place: expect.stringMatching(/^proof\./), covered: true });
    const short = reservesOf(report, report.headers, wallets.taproot, [coins.taproot.slice(1, 2)]);
    expect(verify(write('short.json', short))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('less than'),
    });
    expect(verify(write('no.json', []))).toMatchObject({ status: 1 });
    expect(verify(join(folder, 'none'))).toMatchObject({ status: 2 });
    expect(verify(file, '--chain', 'nowhere')).toMatchObject({ status: 2 });
    const other = { ...report, block: { ...report.block, height: report.block.height - 1 } };
    const moved = reservesOf(other, report.headers, wallets.taproot, [coins.taproot]);
    expect(verify(write('moved.json', moved), '--chain', url).json()).toMatchObject({
      verified: false,
      place: 'block',
    });
  });
});
