/**
 * Thousands of requests, made from the schemas and bent: no answer is a 5xx, each is one that /openapi.json describes, none hangs.
 * FUZZ_REQUESTS sends more; a failure prints the seed, which FUZZ_SEED repeats.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnyOperation } from '../../src/hooks/operation.ts';
import { startTestApp, type TestAnswer, type TestApp } from '../builders/app.ts';
import { type AnswerCheck, createAnswerCheck } from '../builders/described-answers.ts';
import { type ArbitraryRequest, arbitraryRequest, type Dictionary } from './arbitrary-requests.ts';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 3_000);
const SEED = process.env.FUZZ_SEED === undefined ? {} : { seed: Number(process.env.FUZZ_SEED) };
const ANSWERS_WITHIN_MS = 20_000;
const ELSEWHERE = ['bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'];
const MNEMONIC = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const KEY =
  'tpubDDCEUa93989u7mn1gzUY5gMm3b8ASiYuQjsGBRwDUBbGm5Kp3KpNHavgwHXgx6pqyCviGXcBzsNDous6opP8AzN9x17NxCYfNbQBWVuYyrS';

let service: TestApp;
let check: AnswerCheck;
let dictionary: Dictionary;

beforeAll(async () => {
  service = await startTestApp();
  check = createAnswerCheck((await service.get('/openapi.json')).body);
  dictionary = await furnish();
});
afterAll(() => service.close());

/** Wallets, coins and payments to ask for. */
async function furnish(): Promise<Dictionary> {
  const made = async (body: object) =>
    (await service.post('/api/v1/wallets', { name: 'w', backup_type: 'encrypted', ...body })).body;
  const wallets = [
    await made({ type: 'segwit' }),
    await made({ type: 'taproot' }),
    await made({ type: 'legacy' }),
    await made({ type: 'watch-only', backup_type: 'none', xpub: KEY, script_type: 'segwit' }),
  ];
  const addresses: string[] = [...ELSEWHERE];
  for (const { wallet_id } of wallets) {
    const { address } = (await service.post(`/api/v1/wallets/${wallet_id}/addresses`)).body;
    addresses.push(address);
    await service.post('/api/v1/bitcoin/blocks', { count: 10, address });
  }
  await service.post('/api/v1/bitcoin/blocks', { count: 100 });
  await service.synced();
  const txids: string[] = ['ab'.repeat(32)];
  for (const { wallet_id } of wallets.slice(0, 3)) {
    const request = { recipients: [{ address: ELSEWHERE[0], amount: '0.3' }], fee_rate: '2', rbf: true, wallet_id };
    const paid = await service.post('/api/v1/transactions', request, { idempotencyKey: 'paid' });
    if (paid.status === 201) txids.push(paid.body.txid);
  }
  const utxos = (await service.get(`/api/v1/wallets/${wallets[0].wallet_id}/utxos`)).body.data;
  const coins = utxos.map(({ txid }: { txid: string }) => txid);
  const outpoints = utxos.map(({ txid, vout }: { txid: string; vout: number }) => `${txid}:${vout}`);
  const amounts = ['0.5', '0.00000001', '0.00000546', '12', '2000', '21000000', '0.123456789', 'max', '0'];
  const next = (await service.get('/api/v1/wallets?limit=1')).body.pagination.next_cursor;
  return {
    wallet_id: [...wallets.map(({ wallet_id }) => wallet_id), 'wal_0000000000000000000000'],
    txid: [...txids, ...coins],
    key: ['paid', 'again', 'never'],
    address: addresses,
    ref: [...addresses, ...txids, ...outpoints, KEY],
    outpoints: utxos.map(({ txid, vout }: { txid: string; vout: number }) => ({ txid, vout })),
    include: outpoints,
    exclude: outpoints,
    vout: [0, 1],
    amount: amounts,
    max_fee: amounts,
    fee_rate: ['1', '2.5', '30', '10000', '0.001', '0.1'],
    cursor: [next],
    limit: ['1', '100', '101'],
    offset: ['0', '5', '-1', String(Number.MAX_SAFE_INTEGER)],
    height: ['0', '100', '140', '4294967295'],
    count: [1, 0, -1, 100_000],
    mnemonic: [MNEMONIC, `${MNEMONIC} about`],
    backup: wallets.flatMap(({ backup }) => (backup === undefined ? [] : [backup, backup.slice(0, -3)])),
    backup_passphrase: ['correct horse battery staple'],
    xpub: [KEY, KEY.slice(0, -1)],
    cosigners: [`[d34db33f/48h/1h/0h/2h]${KEY}`, KEY],
    descriptor: [`wpkh(${KEY}/<0;1>/*)`, `wsh(and_v(v:pk(${KEY}/<0;1>/*),older(10)))`, `raw(00)`, 'wsh('.repeat(3_000)],
    birthday: [0, 100, 10_000_000, '2026-01-01', '0001-01-01', '9999-12-31T23:59:59Z'],
    external_id: ['one', 'two'],
  };
}

const operationOf = (id: string): AnyOperation =>
  service.app.operations.find((operation) => operation.id === id) as AnyOperation;

async function answered(request: ArbitraryRequest): Promise<TestAnswer> {
  const { method, path, body, headers } = request;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer to ${method} ${path}`)), ANSWERS_WITHIN_MS);
  });
  return Promise.race([service.call(method, path, body, { headers }), late]).finally(() => clearTimeout(timer));
}

describe('any request', () => {
  it('gets an answer that is described, and never a 5xx', { timeout: 30_000 + REQUESTS * 100 }, async () => {
    const statuses = new Map<string, Set<number>>();
    await fc.assert(
      fc.asyncProperty(arbitraryRequest(service.app.operations, dictionary), async (request) => {
        const answer = await answered(request);
        const id = request.operation;
        expect(answer.status, `${id}: ${answer.text}`).toBeLessThan(500);
        // A path that leads elsewhere is not this operation's to describe.
        const strayed = answer.status === 404 && /there is no such resource/.test(answer.text);
        const unreadable = answer.status === 400 && answer.body?.error.details?.field === 'path';
        if (!strayed && !unreadable && answer.status !== 405) expect(check(operationOf(id), answer)).toBeNull();
        if (answer.status >= 400 && operationOf(id).family === 'oauth') {
          expect(Object.keys(answer.body)).toEqual(['error', 'error_description']);
        } else if (answer.status >= 400) {
          expect(Object.keys(answer.body)).toEqual(['error']);
          expect(Object.keys(answer.body.error)).toEqual(['code', 'message', 'details']);
          expect(answer.body.error.details.reason).not.toBe('');
          if (answer.status === 400) expect(answer.body.error.details.field, answer.text).not.toBe('');
        }
        statuses.set(id, (statuses.get(id) ?? new Set()).add(answer.status));
      }),
      { numRuns: REQUESTS, endOnFailure: false, ...SEED },
    );
    // They are worth something only where they reach what an operation does, too.
    const reached = [...statuses].filter(([id, those]) => those.has(operationOf(id).success.status));
    expect(reached.length / service.app.operations.length).toBeGreaterThan(0.7);
  });
});
