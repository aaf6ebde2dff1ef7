/**
 * A whole story over HTTP on the simulated chain: each answer, good or bad, is one that /openapi.json describes. That a good answer of every
 * operation is, and one of each refusal that all have, operations-matrix.test.ts shows.
 */
import { TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FeeRate } from '../../src/core/fee-rate.ts';
import { makeProof } from '../../src/core/request-signatures/proof-of-possession.ts';
import type { AnyOperation } from '../../src/hooks/operation.ts';
import { type CallOptions, type Json, startTestApp, type TestAnswer, type TestApp } from '../builders/app.ts';
import { type AnswerCheck, createAnswerCheck } from '../builders/described-answers.ts';

const ELSEWHERE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const MNEMONIC = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const XPUB =
  'tpubDDCEUa93989u7mn1gzUY5gMm3b8ASiYuQjsGBRwDUBbGm5Kp3KpNHavgwHXgx6pqyCviGXcBzsNDous6opP8AzN9x17NxCYfNbQBWVuYyrS';

let service: TestApp;
let check: AnswerCheck;

beforeAll(async () => {
  service = await startTestApp();
  check = createAnswerCheck((await service.get('/openapi.json')).body);
});
afterAll(() => service.close());

const operationOf = (id: string): AnyOperation => {
  const found = service.app.operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`no operation ${id}`);
  return found;
};

interface Given extends CallOptions {
  query?: Record<string, string>;
  body?: unknown;
}

/** What the operation's own example sends. */
function exampleOf(id: string): Given {
  const { query, body } = operationOf(id).example ?? {};
  return {
    ...(query === undefined ? {} : { query: query as Record<string, string> }),
    ...(body === undefined ? {} : { body }),
  };
}

/** Calls an operation and expects the status; the answer is held against the description. */
async function ask(id: string, status: number, params: Record<string, string>, given: Given = {}): Promise<TestAnswer> {
  const operation = operationOf(id);
  const { query, body, ...options } = given;
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] as string);
  const search = query === undefined ? '' : `?${new URLSearchParams(query)}`;
  const type = operation.bodyContentType;
  const answer = await service.call(operation.method, path + search, body, {
    ...options,
    headers: { ...(type === undefined || body === undefined ? {} : { 'content-type': type }), ...options.headers },
  });
  expect(answer.status, `${id}: ${answer.text}`).toBe(status);
  expect(check(operation, answer)).toBeNull();
  return answer;
}

const wallet = async (body: Json): Promise<Json> =>
  (await ask('wallet.create', 201, {}, { body: { name: 'w', backup_type: 'none', ...body } })).body;
const pay = async (more: Json = {}, given: Given = {}, status = 201): Promise<Json> =>
  (
    await ask(
      'transaction.create',
      status,
      {},
      { body: { recipients: [{ address: ELSEWHERE, amount: '0.1' }], fee_rate: '2', rbf: true, ...more }, ...given },
    )
  ).body;
const mine = async (count: number, address: string): Promise<void> => {
  await ask('blocks.mine', 201, {}, { body: { count, address } });
  await service.synced();
};

describe('the description', () => {
  let treasury: Json;
  let address: string;

  it('holds for wallets of every type and kind of backup', async () => {
    treasury = await wallet({ name: 'Treasury', type: 'segwit', backup_type: 'encrypted', external_id: 'treasury' });
    await wallet({ type: 'taproot', backup_type: 'mnemonic', words: 12 });
    const passphrase = { backup_passphrase: 'correct horse battery' };
    const nested = await wallet({ type: 'nested-segwit', backup_type: 'encrypted', ...passphrase });
    await wallet({ type: 'legacy' });
    await wallet({ type: 'multisig', required: 1, cosigners: [`[d34db33f/48h/1h/0h/2h]${XPUB}`] });
    const watching = await wallet({ type: 'watch-only', xpub: XPUB, script_type: 'segwit' });
    await wallet({ type: 'segwit', mnemonic: MNEMONIC, birthday: 0 });
    await wallet({ type: 'nested-segwit', backup: nested.backup, ...passphrase, birthday: '2026-01-01' });
    await ask('wallet.list', 200, {}, { query: { limit: '3', offset: '1' } });
    await ask('wallet.get', 200, watching);
    await ask('wallet.update', 200, watching, { body: { name: 'Auditors', archived: true } });
    await ask('wallet.backup', 200, treasury, { body: { backup_passphrase: 'correct horse battery staple' } });
    await ask('wallet.backup', 200, treasury);
  });

  it('holds for addresses, coins, balances and labels', async () => {
    address = (await ask('wallet-address.reserve', 201, treasury, { body: { label: 'Invoice 1' } })).body.address;
    await ask('wallet-address.reserve', 201, treasury);
    await ask('wallet-address.list', 200, treasury);
    await mine(110, address);
    await ask('wallet-balance.get', 200, treasury);
    await ask('wallet-balance.get', 200, treasury, exampleOf('wallet-balance.get'));
    const [coin] = (await ask('wallet-utxo.list', 200, treasury, { query: { confirmed: 'true' } })).body.data;
    const body = { outpoints: [{ txid: coin.txid, vout: coin.vout }] };
    for (const verb of ['lock', 'unlock', 'freeze', 'unfreeze'])
      await ask(`wallet-utxo.${verb}`, 200, treasury, { body });
    await ask('wallet-label.import', 200, treasury, exampleOf('wallet-label.import'));
    await ask('wallet-label.export', 200, treasury);
    await ask('wallet.rescan', 202, treasury, { body: { from_height: 100 } });
    // What is spent meanwhile would be in the scan's way.
    const scan = async () => (await ask('wallet.get', 200, treasury)).body.scan.state;
    while ((await scan()) !== 'idle') await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it('holds for payments and what is done with them', async () => {
    await pay({}, { query: { dry_run: 'true' } }, 200);
    const paid = await pay({ label: 'Rent', external_id: 'rent-1' }, { idempotencyKey: 'rent' });
    expect((await pay({ label: 'Rent', external_id: 'rent-1' }, { idempotencyKey: 'rent' })).txid).toBe(paid.txid);
    await ask('idempotency.get', 200, { key: 'rent' });
    await ask('transaction.get', 200, paid);
    const bumped = (await ask('transaction.bump', 201, paid, exampleOf('transaction.bump'))).body;
    await ask('transaction.cpfp', 201, bumped, { body: { fee_rate: '40' } });
    const doomed = await pay({ recipients: [{ address: ELSEWHERE, amount: '1' }] });
    await ask('transaction.cancel', 201, doomed);
    const evicted = await pay();
    service.simulated.setMempoolLimits({ minFeeRate: 100_000n as FeeRate });
    expect(await service.simulated.evict(evicted.txid)).toBe(true);
    await ask('transaction.abandon', 200, evicted);
    service.simulated.setMempoolLimits({ minFeeRate: 0n as FeeRate });
    await ask('transaction.bulk-create', 200, {}, exampleOf('transaction.bulk-create'));
    await ask(
      'transaction.bulk-create',
      200,
      {},
      {
        body: { transactions: [{ recipients: [{ address: ELSEWHERE, amount: '9999' }], fee_rate: '2', rbf: true }] },
      },
    );
    await mine(1, address);
    await ask('transaction.get', 200, bumped);
    await ask('transaction.list', 200, {}, { query: { status: 'confirmed' } });
    await ask('wallet-transaction.list', 200, treasury);
    await ask('fee.estimate', 200, {});
    await ask('blockchain-status.get', 200, {});
    for (const id of ['liveness.get', 'readiness.get', 'openapi.get']) await ask(id, 200, {}, { apiKey: null });
  });

  it('holds for API keys and accounts', async () => {
    const made = (await ask('api-key.create', 201, {}, exampleOf('api-key.create'))).body;
    await ask('api-key.list', 200, {}, exampleOf('api-key.list'));
    await ask('api-key.get', 200, made);
    const limits = { tier: 'custom', limits: { requests_per_minute: 5, bulk_per_minute: 1 } };
    await ask('api-key.create', 201, {}, { body: { name: 'k', scopes: ['*'], ...limits } });
    await ask('api-key.rotate', 201, made, exampleOf('api-key.rotate'));
    await ask('api-key.rotate', 409, made);
    await ask('api-key.revoke', 204, made);
    await ask(
      'api-key.create',
      403,
      {},
      { ...exampleOf('api-key.create'), apiKey: await service.key({ role: 'viewer' }) },
    );
    await ask('api-key.create', 422, {}, { body: { name: 'k', scopes: ['*'], require_signature: false } });
    const account = (await ask('account.create', 201, {}, exampleOf('account.create'))).body;
    await ask('account.create', 409, {}, exampleOf('account.create'));
    await ask('account.list', 200, {}, exampleOf('account.list'));
    await ask('account.get', 200, account);
    await ask('account.freeze', 200, account, exampleOf('account.freeze'));
    await ask('account.unfreeze', 200, account);
    await ask('account.freeze', 409, { account_id: service.accountId });
  });

  it('holds for signing keys', async () => {
    const { publicJwk, privateJwk, keyId } = service.app.services.signingKeys.newPair();
    const me = (await service.get('/api/v1/api-keys')).body.data.at(-1).api_key_id;
    const proof = makeProof(
      privateJwk,
      { accountId: service.accountId, credentialId: me },
      Math.floor(Date.now() / 1000),
    );
    const body = { public_key: publicJwk, credential: { kind: 'api_key', id: me }, proof };
    await ask('signing-key.create', 201, {}, { body });
    await ask('signing-key.create', 409, {}, { body });
    await ask('signing-key.create', 400, {}, exampleOf('signing-key.create'));
    await ask('signing-key.create', 401, {}, { body, sign: false });
    await ask('signing-key.list', 200, {}, exampleOf('signing-key.list'));
    await ask('signing-key.get', 200, { key_id: keyId });
    await ask('signing-key.revoke', 200, { key_id: keyId });
    await ask('signing-key.get', 404, { key_id: keyId.replace(/./g, 'A') });
  });

  it('holds for people, their logins, sessions and second factors', async () => {
    const password = 'correct horse battery staple';
    const fresh = 'another good password';
    const anyone = { apiKey: null };
    const login = async (status: number, body: Json) => (await ask('auth.login', status, {}, { ...anyone, body })).body;
    const user = (await ask('user.create', 201, {}, exampleOf('user.create'))).body;
    await ask('user.create', 409, {}, exampleOf('user.create'));
    const invited = { username: 'grace', role: 'viewer', scopes: ['wallets:read'] };
    const guest = (await ask('user.create', 201, {}, { body: invited })).body;
    await login(200, { reset_token: guest.invitation.reset_token, new_password: password });
    await login(401, { reset_token: guest.invitation.reset_token, new_password: password });
    await ask('user.list', 200, {}, exampleOf('user.list'));
    await ask('user.get', 200, user);
    await ask('user.update', 200, user, exampleOf('user.update'));
    await login(401, { username: 'ada', password: 'not it' });
    await login(400, { username: 'ada' });
    const tokens = await login(200, { email: 'ada@example.com', password });
    const me = { apiKey: tokens.access_token };
    await ask('auth-person.get', 200, {}, me);
    await ask('auth-session.list', 200, {}, me);
    await ask('user-session.list', 200, user);
    await ask('auth.refresh', 200, {}, { ...anyone, body: { refresh_token: tokens.refresh_token } });
    await ask('auth.refresh', 401, {}, { ...anyone, body: { refresh_token: 'rt_x' } });
    await ask('user.update', 400, user, { ...me, body: { password: fresh } });
    await ask('user.update', 403, user, { ...me, body: { role: 'admin' } });
    await ask('auth-totp.start', 403, {}, { ...me, body: { password: fresh } });
    const { secret } = (await ask('auth-totp.start', 201, {}, { ...me, body: { password } })).body;
    const totp = new TOTP({ secret }).generate();
    const { recovery_codes: codes } = (await ask('auth-totp.confirm', 200, {}, { ...me, body: { totp } })).body;
    await ask('auth-totp.start', 409, {}, { ...me, body: { password } });
    expect((await login(401, { username: 'ada', password })).error.details.code).toBe('totp_required');
    const second = await login(200, { username: 'ada', password, totp: codes[0] });
    await ask('auth-session.end', 204, { session_id: second.session_id }, me);
    await ask('auth-totp.remove', 403, {}, { ...me, body: { totp: codes[0] } });
    await ask('auth-totp.remove', 204, {}, { ...me, body: { totp: codes[1] } });
    await ask('user-totp.remove', 204, user);
    const { reset_token: reset } = (await ask('user-password.reset', 201, user)).body;
    const again = await login(200, { reset_token: reset, new_password: fresh });
    await ask('user-session.end', 204, { ...user, session_id: again.session_id });
    await ask('auth.logout', 204, {}, { ...anyone, body: { refresh_token: again.refresh_token } });
    await ask('auth-person.get', 401, {}, me);
    await ask('user.delete', 204, user);
    await ask('user.delete', 404, user);
    for (const id of ['sso.start', 'sso.finish']) await ask(id, 404, {}, anyone);
  });

  it('holds for what is refused', async () => {
    const request = { recipients: [{ address, amount: '1' }], fee_rate: '2', rbf: true };
    const refused = async (status: number, more: Json) =>
      ask('transaction.create', status, {}, { body: { ...request, ...more } });
    const to = (other: string, amount: string) => ({ recipients: [{ address: other, amount }] });
    await refused(400, to('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', '1'));
    await refused(400, to('nonsense', '1'));
    for (const amount of ['0', '-1', '0.123456789', '1e8', 'NaN', '21000001', '1,5', ''])
      await refused(400, to(address, amount));
    for (const rate of ['0', '-1', '10001', '1e3', 'fast', '0.0001']) await refused(400, { fee_rate: rate });
    await refused(422, to(address, '0.00000001'));
    await refused(422, to(address, '20999999'));
    await refused(422, { max_fee: '0.00000001' });
    await refused(404, { wallet_id: 'wal_0000000000000000000000' });
    await refused(422, { coin_control: { include: [`${'ab'.repeat(32)}:0`] } });
    const confirmed = (
      await ask('transaction.list', 200, {}, { query: { status: 'confirmed', direction: 'outgoing' } })
    ).body.data[0];
    await ask('transaction.bump', 409, confirmed, { body: { fee_rate: '50' } });
    await ask('transaction.cpfp', 409, confirmed, { body: { fee_rate: '50' } });
    await ask('transaction.cancel', 409, confirmed);
    await ask('transaction.abandon', 409, confirmed);
    await ask('transaction.get', 404, { txid: 'ab'.repeat(32) });
    await ask('transaction.get', 401, confirmed, { apiKey: 'ak_wrong' });
    await ask('transaction.get', 403, confirmed, { apiKey: await service.key({ scopes: ['wallets:read'] }) });
    await ask('transaction.get', 406, confirmed, { headers: { accept: 'application/json; version=3' } });
    await ask(
      'transaction.create',
      415,
      {},
      { body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    );
    await ask('transaction.create', 413, {}, { body: ' '.repeat(1024 * 1024 + 1) });
    await ask('transaction.create', 422, {}, { body: request, idempotencyKey: 'rent' });
    await ask(
      'wallet.create',
      400,
      {},
      { body: { name: 'w', type: 'segwit', backup_type: 'none', mnemonic: 'not words' } },
    );
    await ask(
      'wallet.create',
      400,
      {},
      { body: { name: 'w', type: 'segwit', backup_type: 'none', backup: 'e.e.e.e.e' } },
    );
    await ask('wallet-label.import', 400, treasury, { body: 'no JSON\n' });
    await ask('wallet-utxo.lock', 404, treasury, exampleOf('wallet-utxo.lock'));
    await ask('idempotency.get', 404, { key: 'never' });
  });
});
