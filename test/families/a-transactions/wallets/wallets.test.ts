import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeAddress } from '../../../../src/core/relay-policy/address.ts';
import type { AnyOperation } from '../../../../src/hooks/operation.ts';
import { type Json, startTestApp, type TestAnswer, type TestApp } from '../../../builders/app.ts';

const WORDS = `${'abandon '.repeat(11)}about`;
const PASSPHRASE = 'correct horse battery staple';
const TPUB =
  'tpubDCdxmvzJ5QBjTN8oCjjyT2V58AyZvA1fkmCeZRC75QMoaHcVP2m45Bv3hmnR7ttAwkb2UNYyoXdHVt4gwBqRrJqLUU2JrM43HippxiWpHra';
const JSONL = { headers: { 'content-type': 'application/jsonl' } };

describe('wallets over HTTP', () => {
  let service: TestApp;
  let operations: Map<string, AnyOperation>;
  let logged = '';
  const secrets: string[] = [WORDS, PASSPHRASE];

  beforeAll(async () => {
    const log = pino(
      { level: 'trace' },
      new Writable({
        write(chunk, _, done) {
          logged += chunk;
          done();
        },
      }),
    );
    service = await startTestApp({ blocks: 3, log });
    await service.synced();
    operations = new Map(service.app.operations.map((operation) => [operation.id, operation]));
  });
  afterAll(() => service.close());

  /** The answer, checked against the operation's published schema. */
  function checked(id: string, answer: TestAnswer): Json {
    const { success } = operations.get(id)!;
    expect(answer.body, answer.text).not.toBeNull();
    expect({ status: answer.status, text: answer.text }).toEqual({ status: success.status, text: answer.text });
    success.schema.parse(answer.body);
    return answer.body;
  }
  const create = async (body: Record<string, unknown>) =>
    checked('wallet.create', await service.post('/api/v1/wallets', { name: 'Treasury', backup_type: 'none', ...body }));

  it('answers the whole record to three fields', async () => {
    const body = await create({ type: 'segwit' });
    expect(body).toEqual({
      wallet_id: expect.stringMatching(/^wal_[0-9A-Za-z]{22}$/),
      name: 'Treasury',
      type: 'segwit',
      backup_type: 'none',
      network: 'regtest',
      fingerprint: expect.stringMatching(/^[0-9a-f]{8}$/),
      descriptors: {
        external: expect.stringMatching(/^wpkh\(\[[0-9a-f]{8}\/84h\/1h\/0h\]tpub\w+\/0\/\*\)#\w{8}$/),
        internal: expect.stringMatching(/\/1\/\*\)#\w{8}$/),
      },
      balance: { confirmed: '0.00000000', pending: '0.00000000', immature: '0.00000000', locked: '0.00000000' },
      external_id: null,
      is_default: true,
      birthday: 3,
      scan: { state: 'idle', from_height: null, at_height: null, to_height: null, error: null },
      archived_at: null,
      created_at: expect.stringMatching(/Z$/),
    });
    const read = await service.get(`/api/v1/wallets/${body.wallet_id}`);
    expect(checked('wallet.get', read)).toEqual(body);
  });

  it('gives words once, and the same words to a retry of the same request', async () => {
    const request = { name: 'Words', type: 'taproot', backup_type: 'mnemonic', words: 12 };
    const first = await service.post('/api/v1/wallets', request, { idempotencyKey: 'words-1' });
    const { mnemonic, wallet_id: walletId } = checked('wallet.create', first);
    secrets.push(mnemonic);
    expect(mnemonic.split(' ')).toHaveLength(12);
    const again = await service.post('/api/v1/wallets', request, { idempotencyKey: 'words-1' });
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.text).toBe(first.text);
    const read = checked('wallet.get', await service.get(`/api/v1/wallets/${walletId}`));
    expect(read).not.toHaveProperty('mnemonic');
    expect(JSON.stringify(read)).not.toContain(mnemonic);
  });

  it('backs up and restores', async () => {
    const made = await create({ type: 'segwit', backup_type: 'encrypted', backup_passphrase: PASSPHRASE });
    expect(made).toMatchObject({ server_bound: false, backup: expect.stringMatching(/^[\w-]+(\.[\w-]*){4}$/) });
    const path = `/api/v1/wallets/${made.wallet_id}/backup`;
    const later = checked('wallet.backup', await service.post(path, { backup_passphrase: PASSPHRASE }));
    const restored = await create({ type: 'segwit', backup: later.backup, backup_passphrase: PASSPHRASE });
    expect(restored.descriptors).toEqual(made.descriptors);
    expect(['queued', 'scanning', 'idle']).toContain(restored.scan.state);
    expect(checked('wallet.backup', await service.post(path)).server_bound).toBe(true);
    const operator = await service.key({ role: 'operator' });
    expect((await service.post(path, {}, { apiKey: operator })).status).toBe(403);
  });

  it('reserves, pays and lists addresses, coins and balance', async () => {
    const { wallet_id: walletId } = await create({ type: 'nested-segwit' });
    const path = `/api/v1/wallets/${walletId}`;
    const bare = checked('wallet-address.reserve', await service.post(`${path}/addresses`));
    expect(bare).toEqual({
      address: expect.stringMatching(/^2/),
      index: 0,
      path: 'm/49h/1h/0h/0/0',
      change: false,
      label: null,
      used: false,
    });
    const labelled = await service.post(`${path}/addresses`, { label: 'Invoice', change: true });
    expect(checked('wallet-address.reserve', labelled)).toMatchObject({ index: 0, change: true, label: 'Invoice' });
    await service.simulated.mine(1, decodeAddress(bare.address, 'regtest').scriptPubKey);
    await service.synced();
    const addresses = await service.get(`${path}/addresses?used=true&limit=1`);
    expect(checked('wallet-address.list', addresses)).toMatchObject({
      data: [{ address: bare.address, used: true }],
      pagination: { total: 1, limit: 1, offset: 0, has_more: false },
    });
    const ahead = checked('wallet-address.list', await service.get(`${path}/addresses?look_ahead=true&change=false`));
    expect(ahead.pagination.total).toBe(21);
    const utxos = checked('wallet-utxo.list', await service.get(`${path}/utxos`));
    expect(utxos.data).toMatchObject([{ address: bare.address, status: 'immature', confirmations: 1, coinbase: true }]);
    const wallet = checked('wallet.get', await service.get(path));
    expect(wallet.balance).toMatchObject({ immature: utxos.data[0].amount, confirmed: '0.00000000' });
    const before = checked('wallet-balance.get', await service.get(`${path}/balance?height=3`));
    expect(before).toMatchObject({ height: 3, confirmed: '0.00000000', immature: '0.00000000' });

    const outpoints = { outpoints: [{ txid: utxos.data[0].txid, vout: utxos.data[0].vout }] };
    for (const [verb, expected] of [
      ['lock', { locked: true, frozen: false }],
      ['freeze', { locked: true, frozen: true }],
      ['unlock', { locked: false, frozen: true }],
      ['unfreeze', { locked: false, frozen: false }],
    ] as const) {
      const flagged = checked(`wallet-utxo.${verb}`, await service.post(`${path}/utxos/${verb}`, outpoints));
      expect(flagged.data).toMatchObject([expected]);
    }
    const elsewhere = { outpoints: [{ txid: 'ab'.repeat(32), vout: 0 }] };
    expect((await service.post(`${path}/utxos/lock`, elsewhere)).body.error).toMatchObject({
      code: 'not_found',
      details: { field: 'outpoints[0]' },
    });
  });

  it('takes labels in and gives them out as JSON lines', async () => {
    const { wallet_id: walletId } = await create({ type: 'segwit' });
    const path = `/api/v1/wallets/${walletId}`;
    const { address } = (await service.post(`${path}/addresses`)).body;
    const line = JSON.stringify({ type: 'addr', ref: address, label: 'Ünïcode' });
    const taken = checked('wallet-label.import', await service.post(`${path}/labels/import`, `${line}\n`, JSONL));
    expect(taken).toEqual({ imported: 1, ignored: 0 });
    const given = await service.get(`${path}/labels/export`);
    expect(given.headers['content-type']).toContain('application/jsonl');
    expect(JSON.parse(given.text)).toMatchObject({ type: 'addr', ref: address, label: 'Ünïcode' });
    const wrong = await service.post(`${path}/labels/import`, `${line}\n{"type":"tx"}\n`, JSONL);
    expect(wrong.status).toBe(400);
    expect(wrong.body.error).toMatchObject({ code: 'invalid_request', details: { code: 'invalid_label_file' } });
    expect(wrong.body.error.message).toContain('line 2');
  });

  it('renames, archives and lists', async () => {
    const { wallet_id: walletId } = await create({ type: 'legacy', external_id: 'erp-7' });
    const path = `/api/v1/wallets/${walletId}`;
    const patched = checked('wallet.update', await service.call('PATCH', path, { name: 'Old', external_id: null }));
    expect(patched).toMatchObject({ name: 'Old', external_id: null });
    expect((await service.call('PATCH', path, {})).status).toBe(400);
    checked('wallet.update', await service.call('PATCH', path, { archived: true }));
    const list = async (query: string) =>
      checked('wallet.list', await service.get(`/api/v1/wallets?limit=100&${query}`)).data.map(
        (one: Json) => one.wallet_id,
      );
    expect(await list('type=legacy')).toEqual([]);
    expect(await list('type=legacy&archived=true')).toEqual([walletId]);
    checked('wallet.update', await service.call('PATCH', path, { archived: false }));
    expect(await list('name=Old')).toEqual([walletId]);
  });

  it('rescans', async () => {
    const { wallet_id: walletId } = await create({ type: 'segwit' });
    const path = `/api/v1/wallets/${walletId}`;
    const asked = checked('wallet.rescan', await service.post(`${path}/rescan`, { from_height: 0 }));
    expect(asked).toMatchObject({ birthday: 0, scan: { state: 'queued', from_height: 0 } });
    for (;;) {
      const { scan } = (await service.get(path)).body;
      if (scan.state === 'idle') break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });

  it.each<[Record<string, unknown>, string, string, number]>([
    [{ type: 'segwit', required: 2 }, 'required', 'invalid_value', 400],
    [{ type: 'bech32' }, 'type', 'invalid_value', 400],
    [{ type: 'segwit', backup_type: 'cloud' }, 'backup_type', 'invalid_value', 400],
    [{ type: 'segwit', name: '' }, 'name', 'invalid_value', 400],
    [{ type: 'segwit', colour: 'red' }, 'colour', 'invalid_value', 400],
    [{ type: 'segwit', words: 13 }, 'words', 'invalid_value', 400],
    [{ type: 'segwit', mnemonic: WORDS.replace('about', 'abandon') }, 'mnemonic', 'invalid_mnemonic', 400],
    [{ type: 'segwit', mnemonic: WORDS, birthday: -1 }, 'birthday', 'invalid_value', 400],
    [{ type: 'segwit', mnemonic: WORDS, birthday: 'soon' }, 'birthday', 'invalid_value', 400],
    [{ type: 'watch-only', descriptor: `wpkh(${TPUB}/*)#00000000` }, 'descriptor', 'invalid_descriptor', 400],
    [
      { type: 'watch-only', xpub: TPUB.replace('tpub', 'xpub'), script_type: 'segwit' },
      'xpub',
      'invalid_descriptor',
      400,
    ],
    [{ type: 'multisig', required: 2, cosigners: [TPUB, 7] }, 'cosigners[1]', 'invalid_value', 400],
    [{ type: 'multisig', required: 1, cosigners: [] }, 'cosigners', 'invalid_value', 400],
  ])('refuses %j, naming the field', async (changes, field, code, status) => {
    const answer = await service.post('/api/v1/wallets', { name: 'Wrong', backup_type: 'none', ...changes });
    expect(answer.status, answer.text).toBe(status);
    expect(answer.body.error.details).toMatchObject({ field, code });
    expect(answer.text).not.toContain('abandon');
  });

  it('answers 404 for an unknown wallet and for one of another account, 400 for a malformed id', async () => {
    const { wallet_id: walletId } = await create({ type: 'segwit' });
    const { apiKey } = await service.anotherAccount();
    for (const path of ['', '/addresses', '/utxos', '/balance', '/labels/export']) {
      const foreign = await service.get(`/api/v1/wallets/${walletId}${path}`, { apiKey });
      expect([foreign.status, foreign.body.error.code]).toEqual([404, 'not_found']);
    }
    expect((await service.get('/api/v1/wallets/wal_0000000000000000000000')).status).toBe(404);
    expect((await service.get('/api/v1/wallets/7')).body.error).toMatchObject({
      code: 'invalid_request',
      details: { field: 'wallet_id' },
    });
  });

  it('answers the examples of the documentation', async () => {
    for (const { example, body, success } of operations.values()) {
      if (body && example?.body !== undefined) expect(body.safeParse(example.body).success).toBe(true);
      if (example?.response !== undefined) success.schema.parse(example.response);
    }
  });

  it('logs no words, passphrases, seeds or private keys', () => {
    expect(logged).toContain('"operation":"wallet.create","status":201');
    for (const secret of secrets) expect(logged).not.toContain(secret);
    expect(logged).not.toMatch(/[xt]prv[1-9A-HJ-NP-Za-km-z]{20}/);
  });
});
