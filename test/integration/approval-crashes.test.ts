/**
 * kill -9 in each step of an approval, at random moments: while it is asked for, in the first vote, in the last one, and while it is carried
 * out. Asked and voted again under the same Idempotency-Keys, each has one end: done once, or its coins are free. CRASHES=n kills n times,
 * CRASH_SEED=n repeats a run.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { cosigner } from '../builders/cosigner.ts';
import { eventually, startService } from '../builders/service-process.ts';
import { type Answered, type Caller, type Credentials, createCaller, type Wanted } from './crashes/caller.ts';
import { PAYMENT, payeeAddress } from './crashes/mix.ts';
import { seededRandom } from './crashes/random.ts';
import { prepare, type Series, unlimited } from './crashes/series.ts';
import { allConfirmed, auditVerdict, chainVerdict, sumsVerdict } from './crashes/verdict.ts';
import { post, voice } from './crashes/voices.ts';

const CRASHES = Number(process.env.CRASHES ?? 16);
const SEED = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const APPROVALS = '/api/v1/enterprise/approvals';
const OPERATIONS = ['payment', 'contract_offer', 'message', 'signature'] as const;
/** Until when in its step the process lives, at most. */
const MAX_PAUSE_MS = 40;

it(`approvals over ${CRASHES} crashes end once each (CRASH_SEED=${SEED})`, { timeout: 600_000 }, async () => {
  const random = seededRandom(SEED);
  const service = await startService({ CHAIN: 'simulated', LOG_LEVEL: 'debug' });
  onTestFinished(() => service.dispose());
  const admin = JSON.parse(readFileSync(join(service.dataDir, 'admin-credentials.json'), 'utf8')) as Credentials;
  const caller = await unlimited(service.baseUrl, createCaller(service.baseUrl, admin));
  const { main: wallet } = await prepare(caller);
  const [eve, ada, bob] = [voice(service, 'eve'), voice(service, 'ada'), voice(service, 'bob')];
  const shared = await waitingForSignatures((path, body, key) => post(caller, { method: 'POST', path, body }, key), {
    ...{ wallet, count: Math.ceil(CRASHES / OPERATIONS.length) },
  });
  const rule = {
    name: 'four eyes',
    when: { operations: OPERATIONS },
    then: { action: 'approve', required: 2, from: { roles: ['operator'] } },
  };
  await post(caller, { method: 'POST', path: '/api/v1/enterprise/policies', body: rule }, 'rule');
  const { address } = (await post(caller, { method: 'POST', path: `/api/v1/wallets/${wallet}/addresses` }, 'address'))
    .body;
  const wants: Record<(typeof OPERATIONS)[number], (mark: string) => readonly [string, object]> = {
    payment: (mark: string) => [
      '/api/v1/transactions',
      {
        wallet_id: wallet,
        recipients: [{ address: payeeAddress(mark), amount: '0.001' }],
        fee_rate: '2',
        rbf: true,
        external_id: mark,
      },
    ],
    contract_offer: () => [
      '/api/v1/contracts',
      { type: 'dlc', oracle: 'local', outcomes: ['a', 'b'], collateral: '0.01', wallet_id: wallet },
    ],
    message: (mark: string) => [`/api/v1/wallets/${wallet}/messages`, { address, message: mark }],
    signature: () => {
      const { txid, psbt } = shared.pop() as any;
      return [`/api/v1/transactions/${txid}/signatures`, { psbt: party.sign(psbt) }];
    },
  };

  /** The step is under way when the process is killed; then it is asked for again, and has an answer. */
  async function crashedIn<T>(step: () => Promise<T>, crash: boolean, again: () => Promise<T>): Promise<T> {
    if (!crash) return again();
    const broken = step().catch(() => null);
    await sleep(random.between(0, MAX_PAUSE_MS));
    await service.kill();
    await broken;
    await service.start();
    return again();
  }
  const ended: { mark: string; operation: string; id: string; approved: boolean; subject: any }[] = [];
  for (let round = 0; round < CRASHES; round++) {
    const [mark, operation, step] = [`mark-${round}`, OPERATIONS[round % 4]!, Math.floor(round / 4) % 4];
    const [path, body] = wants[operation](mark);
    const at = (by: Caller, number: number, wanted: Wanted, key: string) =>
      crashedIn(
        () => by.write(wanted, key, () => {}),
        step === number,
        () => post(by, wanted, key) as Promise<any>,
      );
    const asked = (await at(eve, 0, { method: 'POST', path, body }, mark)).body;
    const id = asked.approval_id as string;
    const { digest } = await caller.read(`${APPROVALS}/${id}`);
    const approved = step === 3 || random.next() < 0.7;
    const vote = (how: string): Wanted => ({ method: 'POST', path: `${APPROVALS}/${id}/${how}`, body: { digest } });
    await at(ada, 1, vote('approve'), `${mark}-ada`);
    const last = (await at(bob, 2, vote(approved ? 'approve' : 'reject'), `${mark}-bob`)).body;
    expect(last.status).toBe(approved ? 'approved' : 'rejected');
    if (step === 3)
      await crashedIn(
        async () => null,
        true,
        async () => null,
      );
    ended.push({ mark, operation, id, approved, subject: asked });
    if (round % 4 === 3)
      await post(caller, { method: 'POST', path: '/api/v1/bitcoin/blocks', body: { count: 1 } }, `block-${round}`);
  }

  for (const { mark, operation, id, approved, subject } of ended) {
    const after = await eventually(`${mark} has ended`, async () => {
      const { status, done_at, ...rest } = await caller.read(`${APPROVALS}/${id}`);
      return (status === 'rejected' || done_at !== null) && { status, ...rest };
    });
    expect([mark, after.status, after.votes.length]).toEqual([mark, approved ? 'approved' : 'rejected', 2]);
    if (operation === 'message') expect(after.result !== null).toBe(approved);
    if (operation === 'signature') {
      const { txid, status } = await caller.read(`/api/v1/transactions/${subject.subject}`);
      if (!approved) {
        expect(status).toBe('awaiting_signature');
        await post(caller, { method: 'POST', path: `/api/v1/transactions/${txid}/abandon`, body: {} }, `${mark}-end`);
      } else
        await eventually(`${mark} is sent`, async () => {
          const now = await caller.read(`/api/v1/transactions/${txid}`);
          return now.status === 'broadcast' || now.status === 'confirmed';
        });
    }
    if (operation === 'contract_offer')
      await eventually(`${mark} is funded, or failed`, async () => {
        const { status } = await caller.read(`/api/v1/contracts/${subject.contract_id}`);
        return (approved ? ['funded', 'confirmed'] : ['failed']).includes(status);
      });
  }
  const records = await caller.readAll('/api/v1/transactions');
  for (const { mark, operation, approved } of ended) {
    if (operation !== 'payment') continue;
    const mine = records.filter(({ external_id }) => external_id === mark);
    expect([mark, mine.length, mine[0]?.status === 'failed']).toEqual([mark, 1, !approved]);
  }
  // Nobody has a second approval of what was asked for again.
  expect((await caller.read(`${APPROVALS}?limit=1`)).pagination.total).toBe(CRASHES);
  const wishes = ended
    .filter(({ operation }) => operation === 'payment')
    .map(({ mark, approved }) => ({ mark, kind: { operation: PAYMENT }, outcome: approved ? 'done' : 'refused' }));
  const series = { caller, service, world: { main: wallet, vault: wallet }, wishes } as unknown as Series;
  expect(await auditVerdict(series)).toEqual([]);
  await allConfirmed(series);
  expect(await sumsVerdict(series)).toEqual([]);
  const coins = await caller.readAll(`/api/v1/wallets/${wallet}/utxos`);
  expect(coins.filter(({ held }) => held)).toEqual([]);
  expect(await chainVerdict(series)).toEqual([]);
});

const party = cosigner('crashes');

/** Payments of a wallet that another signs for, too: each of a coin of its own, before any rule is in force. */
async function waitingForSignatures(
  post: (path: string, body: object, key: string) => Promise<Answered>,
  { wallet, count }: { wallet: string; count: number },
): Promise<unknown[]> {
  const request = {
    name: 'shared',
    type: 'multisig',
    backup_type: 'none',
    required: 2,
    cosigners: [party.multisigKey],
  };
  const { wallet_id } = (await post('/api/v1/wallets', request, 'shared')).body;
  const pays = { fee_rate: '2', rbf: true };
  const recipients = [];
  for (let n = 0; n < count; n++) {
    const { address } = (await post(`/api/v1/wallets/${wallet_id}/addresses`, {}, `shared-${n}`)).body;
    recipients.push({ address, amount: '0.01' });
  }
  await post('/api/v1/transactions', { ...pays, wallet_id: wallet, recipients }, 'funding');
  await post('/api/v1/bitcoin/blocks', { count: 1 }, 'funded');
  const made = [];
  for (let n = 0; n < count; n++) {
    const to = [{ address: payeeAddress(`shared-${n}`), amount: '0.004' }];
    made.push(
      (await post('/api/v1/transactions', { ...pays, fee_rate: '40', wallet_id, recipients: to }, `pays-${n}`)).body,
    );
  }
  return made;
}
