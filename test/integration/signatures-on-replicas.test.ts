/** Signatures of one payment sent to two processes on one PostgreSQL: at the same moment, and through a crash. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../builders/app.ts';
import { cosigner } from '../builders/cosigner.ts';
import { eventually, type ServiceProcess } from '../builders/service-process.ts';
import { prepare, type Sent, send, startTwoProcesses, type TwoProcesses } from './replicas/two-processes.ts';

const parties = ['alice', 'bob', 'carol', 'dave', 'erin'].map(cosigner);
let both: TwoProcesses;
let wallet: Json;

beforeAll(async () => {
  both = await startTwoProcesses();
  const made = await call(both.first, 'POST', '/api/v1/wallets', {
    ...{ name: 'board', type: 'multisig', backup_type: 'none', required: 5, own_key: false },
    cosigners: parties.map((party) => party.multisigKey),
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  wallet = made.body;
  for (let i = 0; i < 6; i++) {
    const { body } = await call(both.first, 'POST', `/api/v1/wallets/${wallet.wallet_id}/addresses`, {});
    await both.node.rpc('sendtoaddress', body.address, '0.5');
  }
  await both.node.mine(1);
  await eventually('the deposits are confirmed', async () => {
    const { body } = await call(both.second, 'GET', `/api/v1/wallets/${wallet.wallet_id}`);
    return body.balance.confirmed === '3.00000000';
  });
});

afterAll(() => both?.stop());

const call = (
  service: ServiceProcess,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Sent> => send(service, prepare(method, path, both.admin, { body: body ?? null, headers }));

async function waiting(): Promise<Json> {
  const { status, body } = await call(both.first, 'POST', '/api/v1/transactions', {
    recipients: [{ address: await both.node.rpc<string>('getnewaddress'), amount: '0.2' }],
    ...{ fee_rate: '2', rbf: true, wallet_id: wallet.wallet_id },
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

const pathOf = ({ txid }: Json): string => `/api/v1/transactions/${txid}/signatures`;

it('five signers at once, to both: no signature is lost, and the payment is sent once', async () => {
  for (let round = 0; round < 3; round++) {
    const payment = await waiting();
    const answers = await Promise.all(
      parties.map((party, index) =>
        call(index % 2 ? both.first : both.second, 'POST', pathOf(payment), { psbt: party.sign(payment.psbt) }),
      ),
    );
    expect(answers.map(({ status, body }) => [status, body.status]).sort()).toEqual([
      ...Array.from({ length: 4 }, () => [200, 'awaiting_signature']),
      [200, 'broadcast'],
    ]);
    expect(await both.node.rpc<string[]>('getrawmempool')).toContain(payment.txid);
  }
});

it('the same signature to both at once counts once', async () => {
  const payment = await waiting();
  const psbt = parties[0]!.sign(payment.psbt);
  const answers = await Promise.all([both.first, both.second].map((to) => call(to, 'POST', pathOf(payment), { psbt })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  expect(answers.find(({ status }) => status === 422)?.body.error.details.code).toBe('nothing_signed');
});

it('the last signature through a crash: the retry has its answer, and the payment is sent', async () => {
  const payment = await waiting();
  for (const party of parties.slice(1)) {
    expect((await call(both.second, 'POST', pathOf(payment), { psbt: party.sign(payment.psbt) })).status).toBe(200);
  }
  const last = prepare('POST', pathOf(payment), both.admin, {
    body: { psbt: parties[0]!.sign(payment.psbt) },
    headers: { 'idempotency-key': 'last-signature' },
  });
  const lost = send(both.first, last).catch(() => null);
  await eventually('the signature is committed', async () => {
    const { body } = await call(both.second, 'GET', `/api/v1/transactions/${payment.txid}`);
    return body.status !== 'awaiting_signature';
  });
  await both.first.kill();
  await lost;
  // Whether the answer had left or not, the same request has it from the other process.
  await eventually('the retry is answered', async () => {
    const again = prepare('POST', pathOf(payment), both.admin, {
      body: JSON.parse(last.body!),
      headers: { 'idempotency-key': 'last-signature' },
    });
    const { status, body } = await send(both.second, again);
    expect([200, 409]).toContain(status);
    return status === 200 && body.txid === payment.txid;
  });
  await eventually('it is sent', async () =>
    (await both.node.rpc<string[]>('getrawmempool')).includes(payment.txid as string),
  );
  await both.first.start();
});
