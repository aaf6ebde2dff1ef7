/**
 * kill -9 at every COMMIT in the life of what waits for approval, from the request to its end: payments and each step of a contract. Asked and
 * voted again under the same Idempotency-Keys, each is done once, exactly as it was approved. It is killed right before one COMMIT and right
 * after the next, or the other way round; CRASH_SEED=n repeats a run.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../builders/service-process.ts';
import { type Caller, createCaller } from './crashes/caller.ts';
import { type KilledService, livesKilledAtEach, startKilledService, type When } from './crashes/killed-service.ts';
import { PAYMENT, payeeAddress } from './crashes/mix.ts';
import { prepare, type Series } from './crashes/series.ts';
import { allConfirmed, auditVerdict, chainVerdict, sumsVerdict } from './crashes/verdict.ts';
import { post, voice } from './crashes/voices.ts';

const CONTRACTS = '/api/v1/contracts';
const DLC = '/api/v1/dlc/contracts';
const APPROVALS = '/api/v1/enterprise/approvals';
/** Of each account, for contracts that hold theirs. */
const COINS = 40;
const SEED = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));

let killed: KilledService;
let [admin, eve, ada, desk]: Caller[] = [];
let [wallet, deskWallet, key] = ['', '', 0];
const payments: string[] = [];

const made = async (by: Caller, path: string, body: object = {}) =>
  (await post(by, { method: 'POST', path, body }, `made-${key++}`)).body;
const mine = async () => {
  await made(admin!, '/api/v1/bitcoin/blocks', { count: 1 });
  await eventually(
    'the block is followed',
    async () => (await admin!.read('/api/v1/blockchain/status')).follower.lag === 0,
  );
};
const until = (id: string, ...statuses: string[]) =>
  eventually(`${id} is ${statuses}`, async () => {
    const contract = await admin!.read(`${CONTRACTS}/${id}`);
    return statuses.includes(contract.status) && contract;
  });

beforeAll(async () => {
  killed = await startKilledService({});
  const { service } = killed;
  admin = killed.admin;
  const { main } = await prepare(admin);
  [eve, ada] = [voice(service, 'eve'), voice(service, 'ada')];
  desk = createCaller(service.baseUrl, await made(admin, '/api/v1/accounts', { name: 'desk', tier: 'enterprise' }));
  const recipients = [];
  [wallet, deskWallet] = ['', ''];
  for (const by of [admin, desk]) {
    const { wallet_id } = await made(by, '/api/v1/wallets', { name: 'contracts', type: 'segwit', backup_type: 'none' });
    if (by === admin) wallet = wallet_id;
    else deskWallet = wallet_id;
    for (let n = 0; n < COINS; n++) {
      const { address } = await made(by, `/api/v1/wallets/${wallet_id}/addresses`);
      recipients.push({ address, amount: '0.1' });
    }
  }
  await made(admin, '/api/v1/transactions', { wallet_id: main, fee_rate: '2', rbf: true, recipients });
  await mine();
  await made(admin, '/api/v1/enterprise/policies', {
    name: 'two people',
    when: { initiators: { roles: ['operator'] } },
    then: { action: 'approve', required: 1, from: { roles: ['operator'] } },
  });
  killed.startAgain();
}, 120_000);
afterAll(() => killed.dispose());

const TERMS = { type: 'dlc', oracle: 'local', outcomes: ['heads', 'tails'], collateral: '0.01' };
const offered = (by: Caller, wallet_id: string, more = {}) => made(by, CONTRACTS, { ...TERMS, wallet_id, ...more });
const remote = { counterparty: { mode: 'remote' } };
const confirmed = async () => {
  const { contract_id } = await offered(admin!, wallet);
  await until(contract_id, 'funded');
  await mine();
  return until(contract_id, 'confirmed');
};
const received = async (by: Caller, from: Caller, { messages }: any) => {
  const { public_key } = await from.read('/api/v1/dlc/oracles/local');
  return made(by, '/api/v1/dlc/offers', { message: messages.offer, accept_oracles: [public_key] });
};
/** Offered by us and accepted by the desk. */
const answered = async () => {
  const ours = await offered(admin!, wallet, remote);
  const theirs = await received(desk!, admin!, ours);
  const { messages } = await made(desk!, `${DLC}/${theirs.contract_id}/accept`, { wallet_id: deskWallet });
  return { id: ours.contract_id as string, message: messages.accept as string };
};

interface Life {
  /** What is asked for; `done`: what it comes to, once it was approved. */
  begin(
    mark: string,
  ): Promise<{ method?: string; path: string; body: object; done(asked: any, signs: any): Promise<unknown> }>;
}
const closedBy = async (id: string, { unsigned_txid }: any) => {
  const contract = await until(id, 'executed', 'closed');
  expect(contract.closing_txid).toBe(unsigned_txid);
};
const LIVES: Record<string, Life['begin']> = {
  async payment(mark) {
    payments.push(mark);
    const recipients = [{ address: payeeAddress(mark), amount: '0.001' }];
    return {
      ...{
        path: '/api/v1/transactions',
        body: { wallet_id: wallet, recipients, fee_rate: '2', rbf: true, external_id: mark },
      },
      done: ({ txid }, { unsigned_txid }) =>
        eventually(`${mark} is sent`, async () => {
          const now = await admin!.read(`/api/v1/transactions/${txid}`);
          return now.unsigned_txid === unsigned_txid && ['broadcast', 'confirmed'].includes(now.status);
        }),
    };
  },
  contract_offer: async () => ({
    ...{ path: CONTRACTS, body: { ...TERMS, wallet_id: wallet } },
    done: ({ contract_id }) => until(contract_id, 'funded', 'confirmed'),
  }),
  async contract_accept() {
    const { contract_id: id } = await received(admin!, desk!, await offered(desk!, deskWallet, remote));
    return {
      ...{ path: `${DLC}/${id}/accept`, body: { wallet_id: wallet } },
      async done() {
        const { messages } = await until(id, 'accepted');
        expect(messages.accept).toMatch(/^[0-9a-f]+$/);
        // Of one that nobody signs the coins would be held to the end.
        await made(admin!, `${DLC}/${id}/cancel`);
      },
    };
  },
  async contract_sign() {
    const { id, message } = await answered();
    return {
      ...{ path: `${DLC}/${id}/accept`, body: { message } },
      async done() {
        const { messages } = await until(id, 'signed');
        expect(messages.sign).toMatch(/^[0-9a-f]+$/);
      },
    };
  },
  async contract_execute() {
    const { contract_id: id } = await confirmed();
    return {
      ...{ method: 'PUT', path: `${CONTRACTS}/${id}/execute`, body: { outcome: 'heads' } },
      done: (_, signs) => closedBy(id, signs),
    };
  },
  async contract_close() {
    const { contract_id: id } = await confirmed();
    return {
      ...{ path: `${DLC}/${id}/close`, body: { offer_payout: '0.006' } },
      done: (_, signs) => closedBy(id, signs),
    };
  },
  async contract_cancel() {
    const { id, message } = await answered();
    await made(admin!, `${DLC}/${id}/accept`, { message });
    await until(id, 'signed');
    return {
      ...{ path: `${DLC}/${id}/cancel`, body: {} },
      async done(_, { unsigned_txid }) {
        expect((await until(id, 'cancelled')).reason).toContain(unsigned_txid);
      },
    };
  },
};
let asked = 0;

/** From the request to its end; true if it was killed on the way. */
async function live(name: string, commit: number, when: When): Promise<boolean> {
  const mark = `${name}-${when}-${commit}`;
  const { method = 'POST', path, body, done } = await LIVES[name]!(mark);
  const before = killed.deaths;
  killed.arm(mark, commit, when);
  const answer = (await post(eve!, { method, path, body }, mark)).body;
  const id = answer.approval_id as string;
  const approval = (more: (now: any) => unknown) =>
    eventually(`${mark} goes on`, async () => {
      const now = await admin!.read(`${APPROVALS}/${id}`);
      return more(now) && now;
    });
  const { digest, text } = await approval(({ status }) => status === 'pending');
  await post(ada!, { method: 'POST', path: `${APPROVALS}/${id}/approve`, body: { digest } }, `${mark}-ada`);
  const { status, votes } = await approval((now) => now.status !== 'approved' || now.done_at !== null);
  expect([mark, status, votes.length]).toEqual([mark, 'approved', 1]);
  await done(answer, JSON.parse(text).signs);
  asked++;
  killed.spare();
  return killed.deaths > before;
}

it.each(Object.keys(LIVES))(`%s (CRASH_SEED=${SEED})`, { timeout: 600_000 }, async (name) => {
  const lives = livesKilledAtEach((commit) => live(name, commit, (commit + SEED) % 2 === 0 ? 'before' : 'after'));
  // Of the request, the vote and what it comes to.
  expect(await lives).toBeGreaterThan(3);
});

it('and afterwards nobody has a second approval, and coins, sums, audit log and chain are as they have to be', async () => {
  expect((await admin!.read(`${APPROVALS}?limit=1`)).pagination.total).toBe(asked);
  const wishes = payments.map((mark) => ({ mark, kind: { operation: PAYMENT }, outcome: 'done' }));
  const { service } = killed;
  const series = { caller: admin, service, world: { main: wallet, vault: wallet }, wishes } as unknown as Series;
  expect(await auditVerdict(series)).toEqual([]);
  await allConfirmed(series);
  expect(await sumsVerdict(series)).toEqual([]);
  killed.end();
  expect(await chainVerdict(series)).toEqual([]);
});
