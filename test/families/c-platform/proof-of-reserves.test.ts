/** Reports of reserves over HTTP, checked as customers and auditors check them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyInclusion, verifyReserves } from '../../../src/core/reserves/verify-reserves.ts';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { madeReport } from '../../builders/report-recipes.ts';
import { fundsWallet } from '../../builders/reserves.ts';

const PATH = '/api/v1/compliance/report';
const liabilities = 'customer_id,balance\nalice,9000000000\n"bob, jr",5\ncarol,0\n';
let app: TestApp;
const wallets: Record<string, string> = {};

beforeAll(async () => {
  app = await startTestApp();
  const { descriptor } = fundsWallet('segwit');
  for (const [name, given] of Object.entries<Json>({
    ...Object.fromEntries(
      ['segwit', 'taproot', 'nested-segwit', 'legacy', 'ruled', 'asked'].map((type) => [type, { type }]),
    ),
    watched: { type: 'watch-only', descriptor },
  })) {
    const type = name === 'ruled' || name === 'asked' ? 'segwit' : given.type;
    const body = { name, ...given, type, backup_type: 'none' };
    const made = await app.post('/api/v1/wallets', body);
    expect(made.status, made.text).toBe(201);
    wallets[name] = made.body.wallet_id;
    const { address } = (await app.post(`/api/v1/wallets/${wallets[name]}/addresses`, {})).body;
    await app.post('/api/v1/bitcoin/blocks', { count: name === 'segwit' ? 3 : 1, address });
  }
  await app.synced();
  const rule = (name: string, then: Json) =>
    app.post('/api/v1/enterprise/policies', {
      name,
      when: { operations: ['message'], wallets: [wallets[name]] },
      then,
    });
  expect((await rule('ruled', { action: 'deny', message: 'no' })).status).toBe(201);
  const then = { action: 'approve', required: 1, from: { roles: ['admin'] }, expires_in_hours: 24 };
  expect((await rule('asked', then)).status).toBe(201);
});
afterAll(() => app.close());

describe('POST /compliance/report of type proof-of-reserves', () => {
  it('proves what the service can sign for, says why not the rest, and gives each customer a proof', async () => {
    const { report, content } = await madeReport(app.call, 'compliance', { type: 'proof-of-reserves', liabilities });
    expect(report).toMatchObject({
      status: 'done',
      format: 'json',
      reason: null,
      wallets: null,
      progress: { done: 9 },
    });
    const { report: file, customers } = JSON.parse(content.text);
    const { claims, reservesSats, liabilitiesSats } = verifyReserves(file);
    expect([claims.length, reservesSats, liabilitiesSats]).toEqual([6, 6n * 5_000_000_000n, 9_000_000_005n]);
    expect(file.proofs.map((proof: Json) => proof.wallet_id).sort()).toEqual(
      ['segwit', 'taproot', 'nested-segwit', 'legacy'].map((type) => wallets[type]).sort(),
    );
    const reasons = new Map(file.not_proven.map((one: Json) => [one.wallet_id, one]));
    expect(reasons.get(wallets.watched)).toMatchObject({
      coins: 1,
      amount: '50.00000000',
      reason: expect.stringContaining('watch-only'),
    });
    expect(reasons.get(wallets.ruled)).toMatchObject({ reason: expect.stringContaining('rule "ruled" denies') });
    expect(reasons.get(wallets.asked)).toMatchObject({ reason: expect.stringContaining('requires 1 approval') });
    const tip = (await app.get('/api/v1/blockchain/status')).body;
    expect(file.block).toEqual({ height: tip.height, hash: tip.best_block_hash });
    expect(file.account_id).toBe(app.accountId);
    expect(customers).toHaveLength(3);
    for (const proof of customers) verifyInclusion(file, proof);
    expect(content.text.split('\n').filter((line) => line.includes('"customer_id":"alice"'))).toHaveLength(1);
    expect(JSON.stringify(file)).not.toContain('alice');
    const again = await madeReport(app.call, 'compliance', {
      type: 'proof-of-reserves',
      liabilities,
      wallets: [wallets.taproot],
    });
    const second = JSON.parse(again.content.text);
    expect([second.report.proofs.length, second.report.not_proven]).toEqual([1, []]);
    expect(second.report.liabilities.root).not.toBe(file.liabilities.root);
    expect(() => verifyInclusion(second.report, customers[0])).toThrow(/not in the report/);
  });

  it.each<[string, Json, number, string]>([
    ['without liabilities', {}, 400, 'liabilities'],
    ['as PDF', { liabilities, format: 'pdf' }, 400, 'format'],
    ['with a negative balance', { liabilities: 'a,1\nb,-1' }, 400, 'liabilities[2].balance'],
    ['with a customer twice', { liabilities: 'a,1\na,1' }, 400, 'liabilities[2].customer_id'],
    ['of a wallet that a rule denies', { liabilities, wallets: ['taproot', 'ruled'] }, 403, 'wallets[1]'],
    ['of a wallet that a rule wants approved', { liabilities, wallets: ['asked'] }, 403, 'wallets[0]'],
    ['of a wallet that is not there', { liabilities, wallets: ['wal_0000000000000000000000'] }, 404, 'wallets[0]'],
  ])('is refused %s', async (_, given, status, field) => {
    const named = given.wallets?.map((one: string) => wallets[one] ?? one);
    const answer = await app.post(PATH, { type: 'proof-of-reserves', ...given, wallets: named });
    const { code, ...details } = answer.body.error.details;
    expect([answer.status, details.field], answer.text).toEqual([status, field]);
    if (status === 403) expect(code).toBe('policy_denied');
  });

  it('takes the rights that signing messages takes, of maker and reader', async () => {
    const asked = { type: 'proof-of-reserves', liabilities };
    const lesser = await app.key({ role: 'operator', scopes: ['compliance:read', 'compliance:write', 'wallets:read'] });
    const refused = await app.post(PATH, asked, { apiKey: lesser });
    expect([refused.status, refused.body.error.message]).toEqual([403, expect.stringContaining('messages:write')]);
    const { path } = await madeReport(app.call, 'compliance', asked);
    expect((await app.get(`${path}/content`, { apiKey: lesser })).status).toBe(403);
    const missingFrom = await app.post(PATH, { type: 'audit' });
    expect([missingFrom.status, missingFrom.body.error.details.field]).toEqual([400, 'from']);
  });
});
