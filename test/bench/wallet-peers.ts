/**
 * The same work of the wallets of Bitcoin Core and (where BCOIN names it, see peers.ts) bcoin, in alternating rounds over HTTP: payments,
 * a label, addresses, a balance, pages of coins, addresses and transactions. CPU time of each process with all its threads, and wall time. Ours signs its requests, keeps an audit
 * record and the answer, and syncs each commit; bcoin has all in memory. ONLY=page measures pages only. Run: node test/bench/wallet-peers.ts [ROUNDS]
 */
import { createHash } from 'node:crypto';
import { requestSigner, signRequest } from '../../src/core/request-signatures/sign-request.ts';
import { outsideAddress, startFundedApp } from './funded-app.ts';
import { type Request, startBcoin, startCaller, startCore } from './peers.ts';

const ROUNDS = Number(process.argv[2] ?? 5);
const WARM_UP = 3;
const COINS = 400;
const PER_ROUND = 64;
const AT_ONCE = 32;

const { app, walletId } = await startFundedApp(COINS);
const [core, bcoin, caller] = [await startCore(COINS), await startBcoin(COINS), startCaller()];
const signer = requestSigner(app.pairOf(app.adminKey));
let asked = 0;

function signed(method: 'POST' | 'PATCH', path: string, content: object): Request {
  const body = JSON.stringify(content);
  const name = `request-${asked++}`;
  const headers = {
    ...{ authorization: `Bearer ${app.adminKey}`, 'content-type': 'application/json', 'idempotency-key': name },
  };
  const message = { method, url: `http://${app.host}${path}`, headers, body: Buffer.from(body) };
  const params = { created: Math.floor(Date.now() / 1000), nonce: name };
  return { path, method, headers: { host: app.host, ...headers, ...signRequest(message, signer, params) }, body };
}

const payee = outsideAddress('payee');
const label = () => createHash('sha256').update(String(asked++)).digest('hex');
const labelled = await core.address();
const plain = { authorization: `Bearer ${app.adminKey}` };
const json = { 'content-type': 'application/json' };
const own = {
  name: 'Ashlar',
  origin: await app.listen(),
  micros: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  async mine() {
    await app.simulated.mine(1, '51');
    await app.synced();
  },
};

type Side = Pick<typeof own, 'name' | 'origin' | 'micros' | 'mine'>;
const SIDES: readonly Side[] = [own, core, ...(bcoin ? [bcoin] : [])];
const payment = (): Partial<Record<string, Request>> => ({
  Ashlar: signed('POST', '/api/v1/transactions', {
    recipients: [{ address: payee, amount: '0.001' }],
    ...{ fee_rate: '2', rbf: true, wallet_id: walletId },
  }),
  'Bitcoin Core': core.call('sendtoaddress', payee, 0.001),
  bcoin: {
    ...{ path: '/wallet/bench/send', method: 'POST', headers: json },
    body: JSON.stringify({ rate: 2000, outputs: [{ address: payee, value: 100_000 }] }),
  },
});
const WORK: Record<string, { atOnce: number; of: () => Partial<Record<string, Request>> }> = {
  'payment, 32 at once': { atOnce: AT_ONCE, of: payment },
  'payment, one by one': { atOnce: 1, of: payment },
  'name or label': {
    atOnce: AT_ONCE,
    of: () => ({
      Ashlar: signed('PATCH', `/api/v1/wallets/${walletId}`, { name: label() }),
      'Bitcoin Core': core.call('setlabel', labelled, label()),
    }),
  },
  'new address': {
    atOnce: 8,
    of: () => ({
      Ashlar: signed('POST', `/api/v1/wallets/${walletId}/addresses`, {}),
      'Bitcoin Core': core.call('getnewaddress'),
      bcoin: { path: '/wallet/bench/address', method: 'POST', headers: json, body: '{"account":"default"}' },
    }),
  },
  balance: {
    atOnce: 8,
    of: () => ({
      Ashlar: { path: `/api/v1/wallets/${walletId}/balance`, method: 'GET', headers: plain },
      'Bitcoin Core': core.call('getbalances'),
      bcoin: { path: '/wallet/bench/balance', method: 'GET', headers: {} },
    }),
  },
  // The others have no pages of coins and addresses: they list all.
  'page of 100 UTXOs': {
    atOnce: 8,
    of: () => ({
      Ashlar: { path: `/api/v1/wallets/${walletId}/utxos?limit=100`, method: 'GET', headers: plain },
      'Bitcoin Core': core.call('listunspent'),
      bcoin: { path: '/wallet/bench/coin', method: 'GET', headers: {} },
    }),
  },
  'page of 50 addresses': {
    atOnce: 8,
    of: () => ({
      Ashlar: { path: `/api/v1/wallets/${walletId}/addresses?limit=50`, method: 'GET', headers: plain },
      'Bitcoin Core': core.call('listreceivedbyaddress', 0, true),
    }),
  },
  'page of 50 transactions': {
    atOnce: 8,
    of: () => ({
      Ashlar: { path: `/api/v1/wallets/${walletId}/transactions?limit=50`, method: 'GET', headers: plain },
      'Bitcoin Core': core.call('listtransactions', '*', 50),
      bcoin: { path: '/wallet/bench/tx/last?limit=50', method: 'GET', headers: {} },
    }),
  },
};

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
console.log(`${PER_ROUND} of each in a round, wallets of ${COINS} coins, medians of ${ROUNDS} rounds`);
for (const [work, { atOnce, of }] of Object.entries(WORK)) {
  if (process.env.ONLY && !work.includes(process.env.ONLY)) continue;
  const found = new Map<string, { cpu: number[]; wall: number[] }>();
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    for (const side of SIDES) {
      const requests = Array.from({ length: PER_ROUND }, () => of()[side.name]).filter((one) => one !== undefined);
      if (requests.length === 0) continue;
      await side.mine();
      const before = side.micros();
      const seconds = await caller.send(side.origin, requests, atOnce);
      if (round < WARM_UP) continue;
      const { cpu, wall } = found.get(side.name) ?? { cpu: [], wall: [] };
      found.set(side.name, { cpu: [...cpu, (side.micros() - before) / PER_ROUND], wall: [...wall, seconds] });
    }
  }
  const ours = median(found.get(own.name)!.cpu);
  for (const [name, { cpu, wall }] of found) {
    const ms = (micros: number) => `${(micros / 1000).toFixed(2).padStart(7)} ms`;
    const ratio = name === own.name ? '' : `  ratio ${(median(cpu) / ours).toFixed(2)}`;
    const each = (median(wall) * 1e6) / PER_ROUND;
    console.log(`${work.padEnd(24)} ${name.padEnd(13)} ${ms(median(cpu))} CPU, ${ms(each)} wall${ratio}`);
  }
}
caller.stop();
await Promise.all([core.stop(), bcoin?.stop(), app.close()]);
process.exit();
