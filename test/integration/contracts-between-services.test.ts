/**
 * Two services on loopback, each a process with a database of its own, as each other's remote counterparty on a real node: what goes between
 * them are dlcspecs' messages alone, and the node judges every transaction.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../builders/app.ts';
import { digitsOf } from '../builders/dlc-oracle.ts';
import { foreignOracle } from '../builders/foreign-oracle.ts';
import { startTestNode, type TestNode } from '../builders/regtest-node.ts';
import { eventually, type ServiceProcess, startService } from '../builders/service-process.ts';

interface Side {
  readonly service: ServiceProcess;
  readonly walletId: string;
}

let node: TestNode;
let offerer: Side;
let accepter: Side;

async function ask(side: Side, method: string, path: string, body?: unknown): Promise<Json> {
  const answer = await side.service.call(method, path, body);
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  return answer.body;
}

async function openSide(type: string): Promise<Side> {
  const service = await startService(
    { CHAIN: 'bitcoind', BITCOIN_RPC_URL: node.rpcUrl, BITCOIN_RPC_COOKIE_FILE: node.cookieFile },
    { unlimited: true },
  );
  const { body } = await service.call('POST', '/api/v1/wallets', { name: type, type, backup_type: 'none' });
  const side = { service, walletId: body.wallet_id as string };
  for (const amount of ['0.5', '0.5', '0.5', '0.5', '0.5', '0.5']) {
    const { address } = await ask(side, 'POST', `/api/v1/wallets/${side.walletId}/addresses`);
    await node.send(address, amount);
  }
  return side;
}

const settledAt = async (side: Side) => (await ask(side, 'GET', '/api/v1/blockchain/status')).follower.height as number;

/** Mines and waits until both services have followed. */
async function mine(count = 1): Promise<void> {
  await node.mine(count);
  const height = await node.rpc<number>('getblockcount');
  for (const side of [offerer, accepter]) {
    await eventually(`block ${height} is followed`, async () => (await settledAt(side)) >= height);
  }
}

const contractOf = (side: Side, { contract_id }: Json): Promise<Json> =>
  ask(side, 'GET', `/api/v1/contracts/${contract_id}`);

async function until(side: Side, contract: Json, reached: (contract: Json) => boolean, what: string): Promise<Json> {
  let now = await contractOf(side, contract);
  await eventually(`contract of ${side.service.baseUrl} is ${what}`, async () => {
    now = await contractOf(side, contract);
    return reached(now);
  });
  return now;
}

const at = ({ contract_id }: Json, step: string): string => `/api/v1/dlc/contracts/${contract_id}/${step}`;

beforeAll(async () => {
  node = await startTestNode();
  await node.mine(150);
  [offerer, accepter] = [await openSide('segwit'), await openSide('taproot')];
  await mine();
});
afterAll(async () => {
  await offerer?.service.dispose();
  await accepter?.service.dispose();
  await node?.stop();
});

const COIN_TOSS = { outcomes: ['heads', 'tails', 'edge'], collateral: '0.02' };
const PRICE = {
  collateral: '0.02',
  descriptor: {
    digits: 10,
    unit: 'USD',
    payout_points: [
      { outcome: '0', payout: '0' },
      { outcome: '200', payout: '0' },
      { outcome: '800', payout: '0.02' },
      { outcome: '1023', payout: '0.02' },
    ],
    rounding: [{ begin_interval: '0', rounding_mod: '0.00001000' }],
  },
};

/** Through all messages to the funding transaction in a block. */
async function agreed(terms: Json): Promise<{ ours: Json; theirs: Json }> {
  const body = {
    type: 'dlc',
    oracle: 'local',
    counterparty: { mode: 'remote' },
    wallet_id: offerer.walletId,
    ...terms,
  };
  const ours = await ask(offerer, 'POST', '/api/v1/contracts', body);
  const { public_key } = await ask(offerer, 'GET', '/api/v1/dlc/oracles/local');
  const theirs = await ask(accepter, 'POST', '/api/v1/dlc/offers', {
    message: ours.messages.offer,
    accept_oracles: [public_key],
  });
  const accepted = await ask(accepter, 'POST', at(theirs, 'accept'), { wallet_id: accepter.walletId });
  const signed = await ask(offerer, 'POST', at(ours, 'accept'), { message: accepted.messages.accept });
  expect(signed.status).toBe('signed');
  const verified = await ask(accepter, 'POST', '/api/v1/dlc/verify', {
    offer: ours.messages.offer,
    accept: accepted.messages.accept,
    sign: signed.messages.sign,
  });
  expect(verified.checks.filter(({ verdict }: Json) => verdict === 'failed')).toEqual([]);
  const funded = await ask(accepter, 'POST', at(theirs, 'sign'), { message: signed.messages.sign });
  expect(funded.status).toBe('funded');
  expect(await node.rpc<string[]>('getrawmempool')).toContain(funded.funding_txid);
  await mine();
  expect((await contractOf(offerer, ours)).status).toBe('confirmed');
  expect((await contractOf(accepter, theirs)).status).toBe('confirmed');
  return { ours, theirs };
}

const paid = async (txid: string): Promise<number[]> => {
  const { vout } = await node.rpc<{ vout: { value: number }[] }>('getrawtransaction', txid, 1);
  return vout.map(({ value }) => value).sort();
};

describe('two services', () => {
  it('toss a coin, and the offerer settles', async () => {
    const { ours, theirs } = await agreed(COIN_TOSS);
    const path = `/api/v1/contracts/${ours.contract_id}/execute`;
    const executed = await ask(offerer, 'PUT', path, { outcome: 'tails' });
    expect(await paid(executed.cet_txid)).toEqual([0.01, 0.01]);
    // What the CET says of the outcome is learned when it is there.
    const seen = await until(accepter, theirs, ({ outcome }) => outcome !== null, 'settled');
    expect(seen).toMatchObject({ status: 'executed', outcome: 'tails', cet_txid: executed.cet_txid });
    await mine();
    expect((await contractOf(offerer, ours)).status).toBe('closed');
    expect((await contractOf(accepter, theirs)).status).toBe('closed');
  });

  it('bet on a number, and the accepter settles with an attestation that it alone was given', async () => {
    const oracle = foreignOracle();
    const event = oracle.announce({ kind: 'digits', base: 2, signed: false, unit: 'USD', precision: 0, digits: 10 });
    const named = { name: 'of others', public_key: oracle.publicKey };
    const { oracle_id } = await ask(offerer, 'POST', '/api/v1/dlc/oracles', named);
    await ask(accepter, 'POST', '/api/v1/dlc/oracles', named);
    const announcement = Buffer.from(event.announcement).toString('hex');
    await ask(offerer, 'POST', '/api/v1/dlc/announcements', { announcement });
    const { ours, theirs } = await agreed({ ...PRICE, oracle: oracle_id, event_id: event.event.eventId });
    const attestation = Buffer.from(event.attest(...digitsOf(500n, 10))).toString('hex');
    await ask(accepter, 'POST', '/api/v1/dlc/attestations', { attestation });
    const settled = await until(accepter, theirs, ({ status }) => status === 'executed', 'settled');
    expect(settled).toMatchObject({ outcome: '500' });
    expect(await paid(settled.cet_txid)).toEqual([0.01, 0.01]);
    await mine();
    const seen = await until(offerer, ours, ({ status, outcome }) => status === 'closed' && outcome !== null, 'closed');
    expect(seen).toMatchObject({ cet_txid: settled.cet_txid, outcome: '500' });
  });

  it('get their collateral back after the locktime', async () => {
    const height = await node.rpc<number>('getblockcount');
    const { ours, theirs } = await agreed({ ...COIN_TOSS, refund_locktime: height + 6, offer_collateral: '0.005' });
    const early = await offerer.service.call('POST', at(ours, 'refund'));
    expect([early.status, early.body.error.details.code]).toEqual([409, 'state_conflict']);
    await mine(6);
    // Not when it is signed: when a node has it.
    const refunded = await until(accepter, theirs, ({ status }) => status === 'refunded', 'refunded');
    await mine();
    expect(await paid(refunded.refund_txid)).toEqual([0.005, 0.015]);
    expect(await until(offerer, ours, ({ status }) => status === 'closed', 'closed')).toMatchObject({
      refund_txid: refunded.refund_txid,
      outcome: null,
    });
  });

  it('divide a contract by agreement, as the other side proposed', async () => {
    const { ours, theirs } = await agreed(COIN_TOSS);
    const { psbt } = await ask(accepter, 'POST', at(theirs, 'close'), { offer_payout: '0.013', fee_rate: '3' });
    const body = { psbt, minimum_payout: '0.01299' };
    const { contract } = await ask(offerer, 'POST', at(ours, 'close'), body);
    const [least, most] = await paid(contract.closing_txid);
    expect(least).toBeCloseTo(0.007, 4);
    expect(most).toBeCloseTo(0.013, 4);
    await mine();
    expect(await until(accepter, theirs, ({ status }) => status === 'closed', 'closed')).toMatchObject({
      closing_txid: contract.closing_txid,
      cet_txid: null,
      outcome: null,
    });
  });

  it('end a contract that the other side never signs by spending an input otherwise', async () => {
    const body = { type: 'dlc', oracle: 'local', counterparty: { mode: 'remote' }, ...COIN_TOSS };
    const ours = await ask(offerer, 'POST', '/api/v1/contracts', body);
    const { public_key } = await ask(offerer, 'GET', '/api/v1/dlc/oracles/local');
    const named = { message: ours.messages.offer, accept_oracles: [public_key] };
    const theirs = await ask(accepter, 'POST', '/api/v1/dlc/offers', named);
    const accepted = await ask(accepter, 'POST', at(theirs, 'accept'));
    const signed = await ask(offerer, 'POST', at(ours, 'accept'), { message: accepted.messages.accept });
    // Its signatures are out: only another spend of its coin keeps the other side from funding it.
    await ask(offerer, 'POST', at(ours, 'cancel'));
    await mine();
    const late = await accepter.service.call('POST', at(theirs, 'sign'), { message: signed.messages.sign });
    expect([late.status, late.body.error.details.code], JSON.stringify(late.body)).toEqual([422, 'contract_refused']);
    expect(late.body.error.message).toMatch(/^funding_input_unspent:/);
    expect((await contractOf(offerer, ours)).status).toBe('cancelled');
    await ask(accepter, 'POST', at(theirs, 'cancel'));
    const { balance } = await ask(accepter, 'GET', `/api/v1/wallets/${accepter.walletId}`);
    expect(balance.locked).toBe('0.00000000');
  });
});
