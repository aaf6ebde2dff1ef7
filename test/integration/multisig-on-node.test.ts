/**
 * Wallets that several sign for, on a real node: Bitcoin Core's own wallet, @scure/btc-signer and @caravan/psbt as the other parties, in
 * any order; what they send is verified, put together and taken by the node.
 */
import { PsbtV2 as CaravanPsbt } from '@caravan/psbt';
import { Transaction } from '@scure/btc-signer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBitcoindSource } from '../../src/chain/bitcoind/create-bitcoind-source.ts';
import { createRpcClient } from '../../src/chain/bitcoind/rpc-client.ts';
import type { ChainSource } from '../../src/chain/chain-source.ts';
import { networkParameters } from '../../src/core/network.ts';
import {
  bip32Derivations,
  nonWitnessUtxo,
  tapBip32Derivations,
  witnessUtxo,
} from '../../src/core/psbt/codec/input-fields.ts';
import { GLOBAL, INPUT, OUTPUT } from '../../src/core/psbt/codec/key-types.ts';
import { psbtFromText } from '../../src/core/psbt/codec/psbt-text.ts';
import type { PsbtV2 } from '../../src/core/psbt/psbt.ts';
import { bip32 } from '../../src/core/wallets/hd-key.ts';
import { type Json, startTestApp, type TestApp } from '../builders/app.ts';
import { type Cosigner, cosigner } from '../builders/cosigner.ts';
import { startTestNode, type TestNode } from '../builders/regtest-node.ts';
import { collectedLog } from '../secrets/collected.ts';

const PATH = '/api/v1/transactions';
const [alice, bob, core] = [cosigner('alice'), cosigner('bob'), cosigner('core')];
let node: TestNode;
let chain: ChainSource;
let app: TestApp;

beforeAll(async () => {
  node = await startTestNode();
  await node.mine(150);
  chain = createBitcoindSource({
    rpcUrl: node.rpcUrl,
    cookieFile: node.cookieFile,
    zmqUrls: node.zmqUrls,
    network: 'regtest',
    log: collectedLog(),
  });
  app = await startTestApp({ chain, env: { CHAIN: 'bitcoind', BITCOIN_RPC_URL: node.rpcUrl } });
});

afterAll(async () => {
  await app?.close();
  await chain?.close();
  await node?.stop();
});

/** A wallet of the node itself, beside the one that pays. */
async function nodeWallet<T>(
  descriptors: readonly string[],
  work: (rpc: <A>(method: string, params: readonly unknown[]) => Promise<A>) => Promise<T>,
  privateKeys = true,
): Promise<T> {
  const name = `party ${descriptors.join().length} ${Math.random()}`;
  await node.rpc('createwallet', name, !privateKeys, true, '', false, true);
  const client = createRpcClient({
    url: `${node.rpcUrl}/wallet/${encodeURIComponent(name)}`,
    cookieFile: node.cookieFile,
  });
  const rpc = <A>(method: string, params: readonly unknown[]) => client.call<A>(method, params as unknown[]);
  try {
    const requests = [];
    for (const [index, descriptor] of descriptors.entries()) {
      const bare = descriptor.replace(/#.*$/, '');
      const { checksum } = await rpc<{ checksum: string }>('getdescriptorinfo', [bare]);
      requests.push({
        desc: `${bare}#${checksum}`,
        timestamp: 'now',
        active: true,
        internal: index % 2 === 1,
        range: [0, 50],
      });
    }
    const imported = await rpc<{ success: boolean }[]>('importdescriptors', [requests]);
    expect(
      imported.every(({ success }) => success),
      JSON.stringify(imported),
    ).toBe(true);
    return await work(rpc);
  } finally {
    await client.close();
  }
}

/** Core's signature, on version 0, with its private keys in the descriptors in the place of its public ones. */
async function signedByCore(wallet: Json, version0: string, party: Cosigner, finalize = false): Promise<string> {
  const secret = (descriptor: string) =>
    descriptor.replaceAll(
      new RegExp(`\\[${party.fingerprint}((?:/\\d+h)*)\\][xt]pub\\w+`, 'g'),
      (_, path: string) => `${party.master}${path}`,
    );
  const { external, internal } = wallet.descriptors;
  return nodeWallet([external, internal].map(secret), async (rpc) => {
    const { psbt } = await rpc<{ psbt: string }>('walletprocesspsbt', [version0, true, 'DEFAULT', true, finalize]);
    return psbt;
  });
}

/** Signed by @scure/btc-signer with the keys that the PSBT's derivations name. */
function signedByScure(text: string, party: Cosigner): string {
  const psbt = psbtFromText(text) as PsbtV2;
  const transaction = Transaction.fromPSBT(Buffer.from(text, 'base64'), { allowUnknownOutputs: true });
  const master = bip32.fromBase58(party.master, networkParameters('regtest'));
  psbt.inputs.forEach((input, index) => {
    const own = [
      ...bip32Derivations(input, INPUT.BIP32_DERIVATION),
      ...tapBip32Derivations(input, INPUT.TAP_BIP32_DERIVATION),
    ].filter(({ fingerprint }) => fingerprint === party.fingerprint);
    for (const { path } of own) {
      const key = path.reduce((at, step) => at.derive(step), master);
      transaction.signIdx(key.privateKey!, index);
    }
  });
  return Buffer.from(transaction.toPSBT(2)).toString('base64');
}

async function funded(body: Json, coins: readonly string[] = ['0.3', '0.2']): Promise<Json> {
  const made = await app.post('/api/v1/wallets', { name: 'shared', backup_type: 'none', ...body });
  expect(made.status, made.text).toBe(201);
  for (const amount of coins) {
    const { body: reserved } = await app.post(`/api/v1/wallets/${made.body.wallet_id}/addresses`);
    await node.send(reserved.address, amount);
  }
  await node.mine(1);
  await app.synced();
  const enough = async () => (await app.get(`/api/v1/wallets/${made.body.wallet_id}`)).body.balance.confirmed;
  await expect.poll(enough).not.toBe('0.00000000');
  return made.body;
}

const watch = (descriptor: string, coins?: readonly string[]) => funded({ type: 'watch-only', descriptor }, coins);

async function pay(wallet: Json, amount = '0.4'): Promise<Json> {
  const answer = await app.post(PATH, {
    recipients: [{ address: await node.rpc<string>('getnewaddress'), amount }],
    fee_rate: '2.5',
    rbf: true,
    wallet_id: wallet.wallet_id,
  });
  expect(answer.status, answer.text).toBe(201);
  expect(answer.body.status).toBe('awaiting_signature');
  return answer.body;
}

const add = async (txid: string, psbt: string): Promise<Json> => {
  const answer = await app.post(`${PATH}/${txid}/signatures`, { psbt });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const version0 = async (txid: string): Promise<string> => (await app.get(`${PATH}/${txid}/psbt?version=0`)).body.psbt;

/** In the mempool at the fee that was planned, no larger than planned, then in a block. */
async function taken(waiting: Json, sent: Json): Promise<void> {
  expect(sent).toMatchObject({ status: 'broadcast', reason: null, psbt: null, unsigned_txid: waiting.txid });
  const entry = await node.rpc<{ vsize: number; fees: { base: number } }>('getmempoolentry', sent.txid);
  expect(entry.fees.base.toFixed(8)).toBe(waiting.fee);
  expect(entry.vsize).toBe(sent.vsize);
  expect(entry.vsize).toBeLessThanOrEqual(waiting.vsize);
  expect(entry.vsize).toBeGreaterThan(waiting.vsize - 8);
  await node.mine(1);
  await app.synced();
  expect((await app.get(`${PATH}/${waiting.txid}`)).body).toMatchObject({ status: 'confirmed', txid: sent.txid });
}

describe('a 2-of-3', () => {
  const parties = [core.multisigKey, alice.multisigKey];

  it("of the service, Bitcoin Core and @scure/btc-signer: the service's signature and Core's", async () => {
    const wallet = await funded({ type: 'multisig', required: 2, cosigners: parties });
    const waiting = await pay(wallet);
    const psbt = psbtFromText(waiting.psbt) as PsbtV2;
    // What hardware wallets ask for: whole previous transactions, every key with its path, the change's too, and the accounts.
    expect(psbt.inputs.every((input) => nonWitnessUtxo(input) && witnessUtxo(input))).toBe(true);
    expect(psbt.inputs.map((input) => bip32Derivations(input, INPUT.BIP32_DERIVATION).length)).toEqual([3, 3]);
    expect(psbt.outputs.map((output) => bip32Derivations(output, OUTPUT.BIP32_DERIVATION).length).sort()).toEqual([
      0, 3,
    ]);
    expect(psbt.global.all(GLOBAL.XPUB)).toHaveLength(3);
    const sent = await add(waiting.txid, await signedByCore(wallet, await version0(waiting.txid), core));
    await taken(waiting, sent);
  });

  it("of the service, Bitcoin Core and @scure/btc-signer: the service's signature and @scure/btc-signer's", async () => {
    const wallet = await funded({ type: 'multisig', required: 2, cosigners: parties });
    const waiting = await pay(wallet);
    await taken(waiting, await add(waiting.txid, signedByScure(waiting.psbt, alice)));
  });

  it('without the service: @scure/btc-signer and ours, put together by @caravan/psbt', async () => {
    const wallet = await funded({
      ...{ type: 'multisig', required: 2, own_key: false },
      cosigners: [...parties, bob.multisigKey],
    });
    const waiting = await pay(wallet);
    const combined = new CaravanPsbt(signedByScure(waiting.psbt, alice));
    combined.combine([new CaravanPsbt(bob.sign(waiting.psbt))]);
    expect(combined.PSBT_IN_PARTIAL_SIG.map((signatures) => signatures.length)).toEqual([2, 2]);
    await taken(waiting, await add(waiting.txid, combined.serialize('base64')));
  });

  it('without the service, in any order, one after the other', async () => {
    const wallet = await funded(
      { type: 'multisig', required: 3, own_key: false, cosigners: [...parties, bob.multisigKey] },
      ['0.3', '0.2', '0.1'],
    );
    const by: Record<string, (waiting: Json) => Promise<string> | string> = {
      core: async ({ txid }) => signedByCore(wallet, await version0(txid), core),
      scure: ({ psbt }) => signedByScure(psbt, alice),
      caravan: ({ psbt }) => new CaravanPsbt(bob.sign(psbt)).serialize('base64'),
    };
    for (const order of [
      ['core', 'scure', 'caravan'],
      ['caravan', 'core', 'scure'],
    ]) {
      const waiting = await pay(wallet, '0.05');
      const answers: Json[] = [];
      for (const name of order) answers.push(await add(waiting.txid, await by[name]!(waiting)));
      expect(answers.map(({ status }) => status)).toEqual(['awaiting_signature', 'awaiting_signature', 'broadcast']);
      await taken(waiting, answers[2]!);
    }
  });
});

describe('a 2-of-3 of taproot', () => {
  const parties = [core.multisigKey, alice.multisigKey];
  const taproot = { type: 'multisig', script_type: 'taproot', required: 2 };

  it("of the service and Bitcoin Core or @scure/btc-signer: a leaf with the service's signature and theirs", async () => {
    const wallet = await funded({ ...taproot, cosigners: parties }, ['0.3', '0.2', '0.3', '0.2']);
    const waiting = await pay(wallet);
    const psbt = psbtFromText(waiting.psbt) as PsbtV2;
    // Two coins or three: single random draw may win at a low feerate.
    const counts = psbt.inputs.map((input) => input.all(INPUT.TAP_SCRIPT_SIG).length);
    expect(counts).toEqual(Array(counts.length).fill(1));
    expect(counts.length).toBeGreaterThan(1);
    expect(psbt.outputs.filter((output) => output.has(OUTPUT.TAP_TREE))).toHaveLength(1);
    await taken(waiting, await add(waiting.txid, await signedByCore(wallet, await version0(waiting.txid), core)));
    const second = await pay(wallet);
    await taken(second, await add(second.txid, signedByScure(second.psbt, alice)));
  });

  it('without the service, one after the other', async () => {
    const wallet = await funded({ ...taproot, own_key: false, cosigners: [...parties, bob.multisigKey] });
    const waiting = await pay(wallet);
    expect((await add(waiting.txid, bob.sign(waiting.psbt))).status).toBe('awaiting_signature');
    await taken(waiting, await add(waiting.txid, await signedByCore(wallet, await version0(waiting.txid), core)));
  });
});

/** Both rounds of MuSig2: every party's nonces, then every party's partial signatures. */
async function signedTogether({ txid, psbt }: Json, parties: readonly Cosigner[]): Promise<Json> {
  const rounds = parties.map((party) => party.nonces(psbt));
  let answer: Json = {};
  for (const round of rounds) answer = await add(txid, round.psbt);
  const all = answer.psbt;
  for (const round of rounds) answer = await add(txid, round.sign(all));
  return answer;
}

describe('a MuSig2 wallet', () => {
  const MUSIG = 'musig(A,B,C)/<0;1>/*';
  const DERIVED_FIRST = 'musig(A/<0;1>/*,B/<0;1>/*,C/<0;1>/*)';

  it('of the service and two others: one signature in the block, as of a single key', async () => {
    const wallet = await funded({
      ...{ type: 'multisig', script_type: 'musig' },
      cosigners: [alice, bob].map((party) => party.key(87, 1, 0)),
    });
    const waiting = await pay(wallet);
    await taken(waiting, await signedTogether(waiting, [alice, bob]));
  });

  it.each([
    [`tr(${MUSIG})`, [alice, bob, core]],
    [`tr(${DERIVED_FIRST})`, [core, alice, bob]],
    [`rawtr(${MUSIG})`, [alice, bob, core]],
    [`rawtr(${DERIVED_FIRST})`, [bob, core, alice]],
    [`tr(NOBODY,pk(${MUSIG}))`, [alice, bob, core]],
    [`tr(NOBODY,and_v(v:pkh(${DERIVED_FIRST}),older(1)))`, [alice, bob, core]],
    [`tr(musig(A,B)/<0;1>/*,{pk(musig(B,C)/<0;1>/*),pk(musig(A,C)/<2;3>/*)})`, [alice, core]],
  ] as const)('that is watched, %s, is signed by those who suffice', async (inner, signers) => {
    const parties: Record<string, string> = {
      ...{ A: alice.multisigKey, B: bob.multisigKey, C: core.multisigKey },
      NOBODY: '50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0',
    };
    const wallet = await watch(inner.replaceAll(/\b(?:[ABC]|NOBODY)\b/g, (name) => parties[name]!));
    const waiting = await pay(wallet);
    const sent = await signedTogether(waiting, signers);
    expect(sent).toMatchObject({ status: 'broadcast', txid: waiting.txid });
    expect(await node.rpc<string[]>('getrawmempool')).toContain(sent.txid);
    await node.mine(1);
    await app.synced();
    expect((await app.get(`${PATH}/${waiting.txid}`)).body.status).toBe('confirmed');
  });
});

describe('a watch-only wallet of one key', () => {
  const forms = {
    segwit: `wpkh(${core.key(84, 1, 0)}/<0;1>/*)`,
    taproot: `tr(${core.key(86, 1, 0)}/<0;1>/*)`,
    'nested segwit': `sh(wpkh(${core.key(49, 1, 0)}/<0;1>/*))`,
    legacy: `pkh(${core.key(44, 1, 0)}/<0;1>/*)`,
  };
  it.each(Object.entries(forms))('(%s) is paid from with Core, @scure/btc-signer and our signer', async (_, form) => {
    const wallet = await watch(form, ['0.3', '0.2', '0.2', '0.2']);
    const first = await pay(wallet, '0.1');
    // Final scripts, as Core makes them when it can, are as good as partial signatures.
    await taken(first, await add(first.txid, await signedByCore(wallet, await version0(first.txid), core, true)));
    const second = await pay(wallet, '0.1');
    await taken(second, await add(second.txid, core.sign(second.psbt)));
    const third = await pay(wallet, '0.1');
    await taken(third, await add(third.txid, signedByScure(third.psbt, core)));
  });
});

describe('a watch-only wallet of scripts', () => {
  const key = (party: Cosigner) => `${party.multisigKey}/<0;1>/*`;
  const NOBODY = '50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0';

  it('tr() with a tree: two sign for a leaf', async () => {
    const wallet = await watch(`tr(${NOBODY},{multi_a(2,${key(alice)},${key(bob)}),pk(${key(core)})})`);
    const waiting = await pay(wallet, '0.1');
    expect((await add(waiting.txid, alice.sign(waiting.psbt))).status).toBe('awaiting_signature');
    await taken(waiting, await add(waiting.txid, bob.sign(waiting.psbt)));
  });

  it.each([
    ['sh(wsh(sortedmulti(2,A,B)))', [alice, bob]],
    ['sh(sortedmulti(2,A,B))', [bob, alice]],
    ['wsh(multi(1,A,B))', [bob]],
    ['wsh(or_d(pk(A),and_v(v:pkh(B),older(144))))', [alice]],
    // Every spend waits for something: sequences and locktime are set for it.
    ['wsh(and_v(v:pk(A),older(2)))', [alice]],
    ['wsh(and_v(v:pk(A),after(120)))', [alice]],
    ['wsh(andor(pk(A),older(1),and_v(v:pk(B),after(50))))', [alice]],
    [`tr(${NOBODY},and_v(v:pk(A),older(2)))`, [alice]],
    ['wsh(thresh(2,pk(A),s:pk(B),s:pk(C)))', [core, bob]],
  ] as const)('%s is signed by those whom it names', async (inner, signers) => {
    const parties: Record<string, Cosigner> = { A: alice, B: bob, C: core };
    const wallet = await watch(inner.replaceAll(/\b[ABC]\b/g, (name) => key(parties[name]!)));
    await node.mine(2);
    await app.synced();
    const waiting = await pay(wallet, '0.4');
    let sent: Json = waiting;
    for (const party of signers) sent = await add(waiting.txid, party.sign(waiting.psbt));
    expect(sent).toMatchObject({ status: 'broadcast', unsigned_txid: waiting.txid });
    expect(sent.vsize).toBeLessThanOrEqual(waiting.vsize);
    expect(await node.rpc<string[]>('getrawmempool')).toContain(sent.txid);
    await node.mine(1);
    await app.synced();
    expect((await app.get(`${PATH}/${waiting.txid}`)).body.status).toBe('confirmed');
  });

  it.each([
    ['wsh(and_v(v:pk(A),older(100)))', 'nothing_to_spend|insufficient_funds|coin_unavailable'],
    ['wsh(and_v(v:pk(A),after(100000)))', 'coin_unavailable'],
    ['wsh(and_v(v:pk(A),after(1600000000)))', 'signing_unavailable'],
    ['wsh(and_v(v:pk(A),older(4194305)))', 'signing_unavailable'],
  ])('%s is refused as long as it cannot be spent, saying why', async (inner, code) => {
    const wallet = await watch(
      inner.replace(/\bA\b/, () => key(alice)),
      ['0.1'],
    );
    const answer = await app.post(PATH, {
      recipients: [{ address: await node.rpc<string>('getnewaddress'), amount: '0.05' }],
      ...{ fee_rate: '2', rbf: true, wallet_id: wallet.wallet_id },
    });
    expect(answer.status, answer.text).toBe(422);
    expect(answer.body.error.details.code).toMatch(new RegExp(`^(${code})$`));
  });
});

it("Core imports what is exported for it, and has the wallet's addresses", async () => {
  const wallet = await funded({ type: 'multisig', required: 2, cosigners: [core.multisigKey, alice.multisigKey] }, [
    '0.1',
  ]);
  const exported = await app.get(`/api/v1/wallets/${wallet.wallet_id}/exports/bitcoin-core`);
  const requests = JSON.parse(exported.text) as { desc: string; next_index: number }[];
  expect(requests.map(({ next_index }) => next_index)).toEqual([1, 0]);
  await nodeWallet(
    [],
    async (rpc) => {
      const imported = await rpc<{ success: boolean }[]>('importdescriptors', [requests]);
      expect(imported).toMatchObject([{ success: true }, { success: true }]);
      const { body: next } = await app.post(`/api/v1/wallets/${wallet.wallet_id}/addresses`);
      expect(await rpc<string>('getnewaddress', ['', 'bech32'])).toBe(next.address);
      expect(await rpc<number>('getbalance', [])).toBe(0.1);
    },
    false,
  );
  const bsms = (await app.get(`/api/v1/wallets/${wallet.wallet_id}/exports/bip129`)).text.split('\n');
  const listed = await app.get(`/api/v1/wallets/${wallet.wallet_id}/addresses?limit=100`);
  expect(listed.body.data.map((one: Json) => one.address)).toContain(bsms[3]);
});
