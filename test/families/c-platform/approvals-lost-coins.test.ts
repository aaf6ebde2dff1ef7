/** A payment that waits loses its coin: to a double-spend, confirmed or not, or to a reorganization. It ends, and says why. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json, TestAnswer } from '../../builders/app.ts';
import { outsider } from '../../services/transactions/payments-setup.ts';
import { type ApprovalsApp, startApprovalsApp, TRANSACTIONS } from './approvals-app.ts';

let app: ApprovalsApp;
let [ada, desk]: [string, string] = ['', ''];
beforeAll(async () => {
  app = await startApprovalsApp();
  ada = await app.voice('usr_ada');
  ({ apiKey: desk } = await app.anotherAccount('desk'));
});
afterAll(() => app.close());

const made = async (answer: Promise<TestAnswer>): Promise<Json> => {
  const { status, body, text } = await answer;
  expect(status, text).toBeLessThan(300);
  return body;
};
async function mine() {
  await app.simulated.mine(1, '51');
  await app.synced();
}
const balance = async (id: string): Promise<Json> => (await app.get(`/api/v1/wallets/${id}`)).body.balance;

/** A wallet with one coin, whose words somebody knows, and a payment of it that waits. */
async function waiting() {
  await app.rules();
  const wallet = await made(app.post('/api/v1/wallets', { name: 'shared', type: 'segwit', backup_type: 'mnemonic' }));
  const { address } = await made(app.post(`/api/v1/wallets/${wallet.wallet_id}/addresses`));
  await made(app.pay({ recipients: [{ address, amount: '0.5' }] }));
  await mine();
  const copy = await made(
    app.post(
      '/api/v1/wallets',
      { name: 'copy', type: 'segwit', backup_type: 'none', mnemonic: wallet.mnemonic, birthday: 0 },
      { apiKey: desk },
    ),
  );
  const sees = async () =>
    (await app.get(`/api/v1/wallets/${copy.wallet_id}`, { apiKey: desk })).body.balance.confirmed;
  await expect.poll(sees, { timeout: 90_000 }).toBe('0.50000000');
  await app.rules({});
  const payment = await app.waiting({ wallet_id: wallet.wallet_id });
  const steal = () =>
    made(
      app.post(
        TRANSACTIONS,
        {
          ...{ wallet_id: copy.wallet_id, fee_rate: '5', rbf: false },
          recipients: [{ address: outsider('thief'), amount: 'max' }],
        },
        { apiKey: desk },
      ),
    );
  return { payment, walletId: wallet.wallet_id as string, steal };
}
type Waiting = Awaited<ReturnType<typeof waiting>>;

const ENDS: [string, (one: Waiting) => Promise<unknown>][] = [
  ['a block spends it elsewhere', ({ steal }) => steal().then(mine)],
  [
    'it is spent elsewhere, unconfirmed, when the last vote comes',
    async ({ steal, payment }) => {
      await steal();
      await app.vote(payment.approval_id, ada);
    },
  ],
];
it.each(ENDS)('%s: nothing of it is sent, its coins are free, and nobody can approve it', async (_, end) => {
  const one = await waiting();
  await end(one);
  expect((await app.status(one.payment.txid, 'failed')).reason).toEqual(expect.stringMatching(/./));
  expect(await app.approval(one.payment.approval_id)).toMatchObject({ status: 'failed', done_at: null });
  await mine();
  expect((await app.get(`${TRANSACTIONS}/${one.payment.txid}`)).body.status).toBe('failed');
  expect(await balance(one.walletId)).toMatchObject({ locked: '0.00000000' });
  expect((await app.vote(one.payment.approval_id, ada)).status).toBe(409);
  expect((await app.app.store.read.approvals.toDo({ ofEach: 10, all: 10 })).length).toBe(0);
});

it('a replacement whose original confirms first fails', async () => {
  await app.rules();
  const original = await made(app.pay());
  await app.rules({});
  const bump = await made(app.post(`${TRANSACTIONS}/${original.txid}/bump`, { fee_rate: '9' }));
  await mine();
  await app.status(bump.txid, 'failed');
  expect((await app.approval(bump.approval_id)).status).toBe('failed');
});

it('a reorganization takes the block whose subsidy it spends: it fails', async () => {
  const { wallet_id } = await made(
    app.post('/api/v1/wallets', { name: 'mined', type: 'segwit', backup_type: 'mnemonic' }),
  );
  const { address } = await made(app.post(`/api/v1/wallets/${wallet_id}/addresses`));
  await made(app.post('/api/v1/bitcoin/blocks', { count: 1, address }));
  await app.simulated.mine(100, '51');
  await app.synced();
  const { txid, approval_id } = await app.waiting({ wallet_id });
  await app.simulated.reorganize(101, { scriptPubKey: '51' });
  await app.synced();
  expect((await app.status(txid, 'failed')).reason).toEqual(expect.stringMatching(/./));
  expect((await app.approval(approval_id)).status).toBe('failed');
  expect(await balance(wallet_id)).toMatchObject({ locked: '0.00000000' });
});
