/** A service with a wallet, rules that want approvals, and people who may give them; its clock stands until it is moved. */
import { expect } from 'vitest';
import { newId } from '../../../src/core/ids.ts';
import type { Approvers } from '../../../src/core/policies/policy.ts';
import type { NewApiKey } from '../../../src/services/credentials/api-keys.ts';
import { type Json, startTestApp, type TestAnswer, type TestApp, type TestAppOptions } from '../../builders/app.ts';
import { seededBytes } from '../../chain/simulated/simulated-setup.ts';
import { outsider } from '../../services/transactions/payments-setup.ts';
import { PASSWORD } from './users-app.ts';

export const APPROVALS = '/api/v1/enterprise/approvals';
export const TRANSACTIONS = '/api/v1/transactions';

export interface Rule {
  required?: number;
  from?: Approvers;
  expiresInHours?: number;
  amountOverSats?: bigint;
  then?: Json;
  when?: Json;
}

export interface ApprovalsApp extends TestApp {
  now(): number;
  advance(ms: number): void;
  readonly walletId: string;
  /** Sets the account's rules to these. */
  rules(...rules: readonly Rule[]): Promise<void>;
  /** An API key that counts as a person; of the role operator unless said. */
  voice(person: string, given?: Partial<NewApiKey>): Promise<string>;
  /** A person, logged in and signing; of the role operator unless said. */
  person(given?: Json): Promise<{ userId: string; token: string }>;
  /** A payment by a key of usr_eve's. */
  pay(body?: Json, apiKey?: string): Promise<TestAnswer>;
  /** The same, that waits: its record. */
  waiting(body?: Json): Promise<Json>;
  approval(id: string): Promise<Json>;
  vote(
    id: string,
    apiKey: string,
    more?: { decision?: 'approve' | 'reject'; digest?: string; comment?: string },
  ): Promise<TestAnswer>;
  /** As soon as it is so. */
  status(txid: string, status: string): Promise<Json>;
}

const random = seededBytes('approvals');

export async function startApprovalsApp(options: TestAppOptions = {}): Promise<ApprovalsApp> {
  let now = Date.parse('2026-11-21T12:00:00Z');
  const clock = options.clock ?? (() => now);
  const app = await startTestApp({ approvalsEveryMs: 100, ...options, clock });
  const { accountId } = app;
  const made = await app.post('/api/v1/wallets', { name: 'Treasury', type: 'segwit', backup_type: 'mnemonic' });
  expect(made.status, made.text).toBe(201);
  const walletId: string = made.body.wallet_id;
  for (let i = 0; i < 12; i++) {
    const { body } = await app.post(`/api/v1/wallets/${walletId}/addresses`);
    await app.post('/api/v1/bitcoin/blocks', { count: 1, address: body.address });
  }
  await app.simulated.mine(100, '51');
  await app.synced();

  async function rules(...given: readonly Rule[]): Promise<void> {
    await app.app.store.write(async (tx) => {
      const record = await tx.enterpriseConfig.lockOrMake(accountId, now);
      for (const { policyId } of await tx.policies.list(accountId)) await tx.policies.delete(accountId, policyId);
      for (const [index, rule] of given.entries()) {
        const { required = 1, from = { roles: ['operator'] }, expiresInHours = 24, when = {}, amountOverSats } = rule;
        await tx.policies.insert({
          ...{ policyId: newId('pol', random), accountId, name: `rule ${index}`, enabled: true, position: index + 1 },
          when: { ...when, ...(amountOverSats === undefined ? {} : { amountOverSats }) },
          then: rule.then ?? { action: 'approve', required, from, expiresInHours },
          ...{ createdAt: now, updatedAt: now },
        });
      }
      await tx.enterpriseConfig.update(accountId, { version: record.version + 1 });
    });
  }

  const voices = new Map<string, string>();
  async function voice(person: string, given: Partial<NewApiKey> = {}): Promise<string> {
    const key = await app.key({ role: 'operator', countsAs: person, name: person, ...given });
    voices.set(person, key);
    return key;
  }
  await voice('usr_eve');
  const pay = (body: Json = {}, apiKey = voices.get('usr_eve') as string) =>
    app.post(
      TRANSACTIONS,
      {
        recipients: [{ address: outsider('payee'), amount: '0.01000000' }],
        fee_rate: '2',
        rbf: true,
        wallet_id: walletId,
        ...body,
      },
      { apiKey },
    );

  async function person(given: Json = {}): Promise<{ userId: string; token: string }> {
    const { publicJwk, privateJwk } = app.app.services.signingKeys.newPair();
    const username = newId('usr', random).toLowerCase().replaceAll('_', '-');
    const user = { username, password: PASSWORD, role: 'operator', scopes: ['*'], public_key: publicJwk, ...given };
    const made = await app.post('/api/v1/users', user);
    expect(made.status, made.text).toBe(201);
    const options = { apiKey: null, sign: privateJwk };
    const login = await app.post('/api/v1/auth/login', { username, password: PASSWORD }, options);
    app.remember(login.body.access_token, privateJwk);
    return { userId: made.body.user_id, token: login.body.access_token };
  }

  const approval = async (id: string): Promise<Json> => (await app.get(`${APPROVALS}/${id}`)).body;
  return Object.assign(app, {
    walletId,
    now: clock,
    rules,
    voice,
    person,
    pay,
    advance(ms: number) {
      now += ms;
    },
    async waiting(body: Json = {}) {
      const answer = await pay(body);
      expect(answer.status, answer.text).toBe(202);
      expect(answer.body).toMatchObject({ status: 'awaiting_approval', approval_id: expect.stringMatching(/^apr_/) });
      return answer.body;
    },
    approval,
    async vote(id: string, apiKey: string, more: Parameters<ApprovalsApp['vote']>[2] = {}) {
      const { decision = 'approve', comment } = more;
      const digest = more.digest ?? (await approval(id)).digest;
      return app.post(`${APPROVALS}/${id}/${decision}`, { digest, ...(comment && { comment }) }, { apiKey });
    },
    async status(txid: string, status: string): Promise<Json> {
      await expect
        .poll(async () => (await app.get(`${TRANSACTIONS}/${txid}`)).body.status, { timeout: 90_000, interval: 50 })
        .toBe(status);
      return (await app.get(`${TRANSACTIONS}/${txid}`)).body;
    },
  });
}
