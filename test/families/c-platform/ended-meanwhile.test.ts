/** A request that was authorized, and whose account was frozen or whose credential ended before its job: nothing is moved or signed. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Json, TestAnswer } from '../../builders/app.ts';
import { type ApprovalsApp, startApprovalsApp } from './approvals-app.ts';
import { HELD_KINDS, type HeldKind } from './held-kinds.ts';

let app: ApprovalsApp;
const kinds: Record<string, Pick<HeldKind, 'ask' | 'prepare'>> = {};
beforeAll(async () => {
  app = await startApprovalsApp();
  for (const [name, make] of Object.entries(HELD_KINDS)) kinds[name] = make(app);
  kinds.payment = { ask: (apiKey) => app.pay({}, apiKey) };
  kinds.bulk = {
    ask: (apiKey) => {
      const payment = { recipients: [{ address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', amount: '0.001' }] };
      const body = { transactions: [{ ...payment, wallet_id: app.walletId, fee_rate: '2', rbf: true }] };
      return app.post('/api/v1/transactions/bulk', body, { apiKey });
    },
  };
  const contract = { type: 'dlc', oracle: 'local', outcomes: ['a', 'b'], collateral: '0.01' };
  kinds.contract = {
    ask: (apiKey) => app.post('/api/v1/contracts', { ...contract, wallet_id: app.walletId }, { apiKey }),
  };
  for (const kind of Object.values(kinds)) await kind.prepare?.();
});
afterAll(() => app.close());

const store = () => app.app.store;
const idOf = async (apiKey: string) => (await store().read.apiKeys.findByPrefix(apiKey.split('_')[1]!))!.keyId;
/** Answers the request, with `happens` between the rules' decision and the job. */
async function asked(ask: (apiKey: string) => Promise<TestAnswer>, apiKey: string, happens: () => Promise<unknown>) {
  const { enterpriseConfig } = store().read;
  const find = enterpriseConfig.find.bind(enterpriseConfig);
  const spied = vi.spyOn(enterpriseConfig, 'find').mockImplementationOnce(async (id) => {
    await happens();
    return find(id);
  });
  const answer = await ask(apiKey);
  expect(spied).toHaveBeenCalled();
  spied.mockRestore();
  return answer;
}

const ENDS: [string, string, (apiKey: string) => Promise<unknown>][] = [
  [
    'the account was frozen',
    'the account is frozen',
    () => store().write((tx) => tx.accounts.freeze(app.accountId, 1, 'stolen')),
  ],
  [
    'the key was revoked',
    'has ended',
    async (apiKey) => {
      const id = await idOf(apiKey);
      return store().write((tx) => tx.apiKeys.revoke(app.accountId, id, app.now()));
    },
  ],
];
it.each(
  [...Object.keys(HELD_KINDS), 'payment', 'bulk', 'contract'].flatMap((kind) =>
    ENDS.map((end) => [kind, ...end] as const),
  ),
)('%s: %s after it was authorized', async (kind, _, why, end) => {
  const apiKey = await app.voice('usr_late', { role: 'admin', scopes: ['*'] });
  const locked = async () => (await app.get(`/api/v1/wallets/${app.walletId}`)).body.balance;
  const before = await locked();
  const answer = await asked(kinds[kind]!.ask, apiKey, () => end(apiKey));
  await store().write((tx) => tx.accounts.unfreeze(app.accountId));
  expect([answer.status, answer.body.error?.message]).toEqual([403, expect.stringContaining(why)]);
  expect(await locked()).toEqual(before);
  const { data } = (await app.get('/api/v1/dlc/attestations')).body as Json;
  expect(data).toEqual([]);
});

it.each([
  ['was disabled', { disabledAt: 1 }, 'has ended'],
  ['is a viewer by now', { role: 'viewer' }, 'has the role viewer by now'],
] as const)('of a person who %s', async (_, patch, why) => {
  const { userId, token } = await app.person({ role: 'admin' });
  const answer = await asked(kinds.payment!.ask, token, () =>
    store().write((tx) => tx.users.update(app.accountId, userId, patch as never)),
  );
  expect([answer.status, answer.body.error?.message]).toEqual([403, expect.stringContaining(why)]);
});
