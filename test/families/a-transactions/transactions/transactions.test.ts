import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../builders/app.ts';
import { outsider } from '../../../services/transactions/payments-setup.ts';

const PATH = '/api/v1/transactions';
let app: TestApp;
let walletId: string;

const to = (amount: string, name = 'payee') => ({ address: outsider(name), amount });
const payment = (more: Record<string, unknown> = {}) => ({
  recipients: [to('0.00100000')],
  fee_rate: '2.5',
  rbf: true,
  ...more,
});

/** A new wallet whose one address has so many coins. */
async function walletOf(count: number): Promise<string> {
  const { wallet_id } = (await app.post('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' })).body;
  const { address } = (await app.post(`/api/v1/wallets/${wallet_id}/addresses`)).body;
  await app.post('/api/v1/bitcoin/blocks', { count, address });
  await app.simulated.mine(100, '51');
  await app.synced();
  return wallet_id;
}

beforeAll(async () => {
  app = await startTestApp();
  const wallet = await app.post('/api/v1/wallets', { name: 'Treasury', type: 'segwit', backup_type: 'none' });
  walletId = wallet.body.wallet_id;
  for (let i = 0; i < 8; i++) {
    const address = await app.post(`/api/v1/wallets/${walletId}/addresses`);
    await app.post('/api/v1/bitcoin/blocks', { count: 1, address: address.body.address });
  }
  await app.simulated.mine(100, '51');
  await app.synced();
});

afterAll(() => app.close());

describe('POST /api/v1/transactions', () => {
  it('pays with the five fields alone and answers the record of decisions §9, no field more or less', async () => {
    const answer = await app.post(PATH, payment());
    expect(answer.status, answer.text).toBe(201);
    expect(Object.keys(answer.body).sort()).toEqual(
      [
        ...['txid', 'unsigned_txid', 'wallet_id', 'status', 'direction', 'recipients', 'amount', 'fee', 'fee_rate'],
        ...[
          'effective_fee_rate',
          'ancestor_fee',
          'fee_note',
          'musig_round',
          'input_count',
          'vsize',
          'rbf',
          'block_height',
          'block_hash',
          'confirmations',
          'replaces',
          'replaced_by',
          'label',
        ],
        ...['external_id', 'reason', 'policy', 'approval_id', 'psbt', 'created_at'],
      ].sort(),
    );
    expect(answer.body).toMatchObject({
      wallet_id: walletId,
      status: 'broadcast',
      direction: 'outgoing',
      recipients: [{ address: outsider('payee'), amount: '0.00100000' }],
      amount: '0.00100000',
      rbf: true,
      block_height: null,
      confirmations: 0,
      external_id: null,
    });
    expect(answer.body.txid).toBe(answer.body.unsigned_txid);
    expect(Number(answer.body.fee_rate)).toBeGreaterThanOrEqual(2.5);
    expect((await app.get(`${PATH}/${answer.body.txid}`)).body).toEqual(answer.body);
    expect((await app.get(`${PATH}/${answer.body.txid.toUpperCase()}`)).status).toBe(200);
  });

  it('spends the coins of an address together unless told not to, and says how many coins it spends', async () => {
    const wallet_id = await walletOf(9);
    const dry = (more: Record<string, unknown>) => app.post(`${PATH}?dry_run=true`, payment({ wallet_id, ...more }));
    expect((await dry({})).body.input_count).toBe(9);
    expect((await dry({ group_by_script: false })).body.input_count).toBe(1);
  });

  it('says what of a fee lifts unconfirmed ancestors', async () => {
    const wallet_id = await walletOf(1);
    const parent = await app.post(PATH, payment({ wallet_id, fee_rate: '1' }));
    expect(parent.body).toMatchObject({ ancestor_fee: '0.00000000', fee_note: null, input_count: 1 });
    expect(parent.body.effective_fee_rate).toBe(parent.body.fee_rate);
    const child = await app.post(PATH, payment({ wallet_id, fee_rate: '20' }));
    // 20 sat/vB of the parent's size, less the fee that it paid.
    const lacked = BigInt(20 * parent.body.vsize) - BigInt(parent.body.fee.replace('.', ''));
    expect(BigInt(child.body.ancestor_fee.replace('.', ''))).toBe(lacked);
    expect(child.body.fee_note).toContain(child.body.ancestor_fee);
    expect(Number(child.body.fee_rate)).toBeGreaterThan(30);
    expect(Number(child.body.effective_fee_rate)).toBeGreaterThanOrEqual(20);
    expect(Number(child.body.effective_fee_rate)).toBeLessThan(21);
    expect((await app.get(`${PATH}/${child.body.txid}`)).body).toEqual(child.body);
  });

  it('answers the same record to a dry run and keeps nothing', async () => {
    const answer = await app.post(`${PATH}?dry_run=true`, payment({ external_id: 'dry' }), { idempotencyKey: 'dry-1' });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({
      ...{ status: 'preview', dry_run: true, bounded_search: false, external_id: 'dry' },
    });
    expect((await app.get(`${PATH}/${answer.body.txid}`)).status).toBe(404);
    expect((await app.get('/api/v1/idempotency/dry-1')).status).toBe(404);
  });

  it('takes the fee rate "auto"', async () => {
    const auto = await app.post(`${PATH}?dry_run=true`, payment({ fee_rate: 'auto' }));
    expect([auto.status, auto.body.effective_fee_rate]).toEqual([200, expect.stringMatching(/^0\.1/)]);
  });

  it('makes one payment of twenty parallel retries, and replays it', async () => {
    const request = payment({ external_id: 'retried' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => app.post(PATH, request, { idempotencyKey: 'retry-1' })),
    );
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    const txids = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.txid));
    expect(txids.size).toBe(1);
    const again = await app.post(PATH, request, { idempotencyKey: 'retry-1' });
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.body).toMatchObject({ txid: [...txids][0], status: 'broadcast' });
    const named = await app.get(`${PATH}?external_id=retried`);
    expect(named.body.pagination.total).toBe(1);
    const other = await app.post(PATH, payment(), { idempotencyKey: 'retry-1' });
    expect(other.status).toBe(422);
    expect(other.body.error.details.code).toBe('idempotency_mismatch');
  });

  it('answers 503 and keeps nothing, not even the key, while the node is away', async () => {
    app.simulated.setReachable(false);
    const away = await app.post(PATH, payment({ external_id: 'away' }), { idempotencyKey: 'away-1' });
    app.simulated.setReachable(true);
    expect(away.status).toBe(503);
    expect(away.headers['retry-after']).toMatch(/^\d+$/);
    expect(away.body.error.details.code).toBe('node_unavailable');
    expect((await app.get(`${PATH}?external_id=away`)).body.pagination.total).toBe(0);
    const back = await app.post(PATH, payment({ external_id: 'away' }), { idempotencyKey: 'away-1' });
    expect(back.status, back.text).toBe(201);
    expect(back.headers['idempotency-replayed']).toBeUndefined();
  });

  const included = `${'ab'.repeat(32)}:0`;
  it.each([
    [
      'an address of mainnet',
      { recipients: [{ address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', amount: '0.001' }] },
      400,
      'recipients[0].address',
      'wrong_network',
    ],
    [
      'no address',
      { recipients: [{ address: 'x', amount: '0.001' }] },
      400,
      'recipients[0].address',
      'invalid_address',
    ],
    ['9 decimals', { recipients: [to('0.001'), to('0.000000001')] }, 400, 'recipients[1].amount', 'invalid_value'],
    ['an amount of 0', { recipients: [to('0')] }, 400, 'recipients[0].amount', 'invalid_value'],
    ['a negative amount', { recipients: [to('-1')] }, 400, 'recipients[0].amount', 'invalid_value'],
    ['dust', { recipients: [to('0.00000293')] }, 422, 'recipients[0].amount', 'dust'],
    ['above 21M', { recipients: [to('21000000.00000001')] }, 400, 'recipients[0].amount', 'invalid_value'],
    ['exponent notation', { recipients: [to('1e-3')] }, 400, 'recipients[0].amount', 'invalid_value'],
    ['NaN', { recipients: [to('NaN')] }, 400, 'recipients[0].amount', 'invalid_value'],
    [
      'a number for an amount',
      { recipients: [{ address: outsider('x'), amount: 0.001 }] },
      400,
      'recipients[0].amount',
      'invalid_value',
    ],
    ['no recipient', { recipients: [] }, 400, 'recipients', 'invalid_value'],
    [
      '701 recipients',
      { recipients: Array.from({ length: 701 }, () => to('0.001')) },
      400,
      'recipients',
      'invalid_value',
    ],
    ['two that take all', { recipients: [to('max'), to('max', 'b')] }, 400, 'recipients[1].amount', 'invalid_value'],
    ['more than there is', { recipients: [to('20000000')] }, 422, 'recipients', 'insufficient_funds'],
    ['a fee rate of 0', { fee_rate: '0' }, 400, 'fee_rate', 'invalid_value'],
    ['a fee rate above 10,000', { fee_rate: '10000.001' }, 400, 'fee_rate', 'invalid_value'],
    ['a fee rate that is a number', { fee_rate: 2 }, 400, 'fee_rate', 'invalid_value'],
    ['a fee rate below the floor', { fee_rate: '0.05' }, 422, 'fee_rate', 'fee_too_low'],
    ['a fee above max_fee', { max_fee: '0.00000001' }, 422, 'max_fee', 'fee_too_high'],
    ['rbf as text', { rbf: 'true' }, 400, 'rbf', 'invalid_value'],
    ['no rbf', { rbf: undefined }, 400, 'rbf', 'invalid_value'],
    ['an unknown field', { feerate: '1' }, 400, 'feerate', 'invalid_value'],
    [
      'an unknown field of a recipient',
      { recipients: [{ ...to('0.001'), memo: 'x' }] },
      400,
      'recipients[0].memo',
      'invalid_value',
    ],
    ['a malformed wallet_id', { wallet_id: 'x' }, 400, 'wallet_id', 'invalid_value'],
    ['an unknown wallet', { wallet_id: 'wal_0000000000000000000000' }, 404, 'wallet_id', 'not_found'],
    ['a malformed outpoint', { coin_control: { include: ['abc:0'] } }, 400, 'coin_control.include[0]', 'invalid_value'],
    [
      'a coin named twice',
      { coin_control: { include: [included, included] } },
      400,
      'coin_control.include[1]',
      'invalid_value',
    ],
    [
      'a coin both in and out',
      { coin_control: { include: [included], exclude: [included] } },
      400,
      'coin_control.exclude[0]',
      'invalid_value',
    ],
    [
      'a coin that is not there',
      { coin_control: { include: [included] } },
      422,
      'coin_control.include[0]',
      'coin_unavailable',
    ],
    ['a fee payer that is no recipient', { subtract_fee_from: [1] }, 400, 'subtract_fee_from[0]', 'invalid_value'],
    ['a fee payer named twice', { subtract_fee_from: [0, 0] }, 400, 'subtract_fee_from[1]', 'invalid_value'],
    ['a fractional min_conf', { min_conf: 1.5 }, 400, 'min_conf', 'invalid_value'],
    ['a negative min_conf', { min_conf: -1 }, 400, 'min_conf', 'invalid_value'],
    ['an empty external_id', { external_id: '' }, 400, 'external_id', 'invalid_value'],
    ['a label of 256 characters', { label: 'x'.repeat(256) }, 400, 'label', 'invalid_value'],
  ])('refuses %s', async (_, more, status, field, code) => {
    const answer = await app.post(PATH, payment(more));
    expect(answer.status, answer.text).toBe(status);
    expect(answer.body.error).toMatchObject({
      code: status === 404 ? 'not_found' : 'invalid_request',
      message: expect.any(String),
      details: { field, code },
    });
  });

  it('refuses a wrong dry_run and an unknown query parameter', async () => {
    expect((await app.post(`${PATH}?dry_run=yes`, payment())).body.error.details.field).toBe('query.dry_run');
    expect((await app.post(`${PATH}?dryrun=true`, payment())).body.error.details.field).toBe('query.dryrun');
  });

  it('pays from a watch-only wallet by a PSBT, and refuses where only an address is watched', async () => {
    const watch = (descriptor: string) =>
      app.post('/api/v1/wallets', {
        name: 'Watching',
        type: 'watch-only',
        backup_type: 'none',
        descriptor,
        birthday: 0,
      });
    const own = await app.get(`/api/v1/wallets/${walletId}`);
    const watching = await watch(own.body.descriptors.external);
    expect(watching.status, watching.text).toBe(201);
    const balance = async () => (await app.get(`/api/v1/wallets/${watching.body.wallet_id}`)).body.balance.confirmed;
    await expect.poll(balance).not.toBe('0.00000000');
    const answer = await app.post(PATH, payment({ wallet_id: watching.body.wallet_id }));
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toMatchObject({ status: 'awaiting_signature', psbt: expect.stringMatching(/^cHNidP/) });

    const bare = await watch(`addr(${outsider('watched')})`);
    expect(bare.status, bare.text).toBe(201);
    const refused = await app.post(PATH, payment({ wallet_id: bare.body.wallet_id }));
    expect(refused.status).toBe(422);
    expect(refused.body.error.details).toMatchObject({ field: 'wallet_id', code: 'signing_unavailable' });
  });

  it('needs the operator role; another account sees neither wallet nor transaction', async () => {
    const viewer = await app.key({ role: 'viewer', scopes: ['transactions:read'] });
    expect((await app.post(PATH, payment(), { apiKey: viewer })).status).toBe(403);
    const other = await app.anotherAccount();
    const apiKey = other.apiKey;
    const mine = await app.post(PATH, payment());
    expect((await app.get(`${PATH}/${mine.body.txid}`, { apiKey })).status).toBe(404);
    expect((await app.post(`${PATH}/${mine.body.txid}/bump`, { fee_rate: '9' }, { apiKey })).status).toBe(404);
    expect((await app.post(PATH, payment({ wallet_id: walletId }), { apiKey })).status).toBe(404);
    expect((await app.get(`/api/v1/wallets/${walletId}/transactions`, { apiKey })).status).toBe(404);
    expect((await app.get(PATH, { apiKey })).body.pagination.total).toBe(0);
  });
});

describe('lists', () => {
  it('page through the history, newest first, by offset and by cursor', async () => {
    const { body: all } = await app.get(`${PATH}?limit=100`);
    expect(all.pagination.total).toBe(all.data.length);
    const times = all.data.map((one: { created_at: string }) => Date.parse(one.created_at));
    expect(times).toEqual([...times].sort((a, b) => b - a));
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await app.get(`${PATH}?limit=3${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      seen.push(...body.data.map((one: { txid: string }) => one.txid));
      cursor = body.pagination.next_cursor ?? '';
    } while (cursor !== '');
    expect(seen).toEqual(all.data.map((one: { txid: string }) => one.txid));
    const second = await app.get(`${PATH}?limit=3&offset=3`);
    expect(second.body.data.map((one: { txid: string }) => one.txid)).toEqual(seen.slice(3, 6));
  });

  it('filter by status, direction, label and wallet', async () => {
    await app.post(PATH, payment({ label: 'rent' }));
    const rent = await app.get(`${PATH}?label=rent&direction=outgoing&wallet_id=${walletId}`);
    expect(rent.body.data.map((one: { label: string }) => one.label)).toEqual(['rent']);
    const incoming = await app.get(`/api/v1/wallets/${walletId}/transactions?direction=incoming&status=confirmed`);
    expect(incoming.body.pagination.total).toBe(8);
    expect(incoming.body.data[0]).toMatchObject({ direction: 'incoming', confirmations: expect.any(Number) });
  });

  it.each([
    ['limit=0', 'query.limit'],
    ['limit=1000', 'query.limit'],
    ['offset=-1', 'query.offset'],
    ['status=lost', 'query.status'],
    ['wallet_id=1', 'query.wallet_id'],
    ['colour=red', 'query.colour'],
  ])('refuse ?%s naming the field', async (query, field) => {
    const answer = await app.get(`${PATH}?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details.field).toBe(field);
  });

  it('answer 400 to a malformed txid and 404 to an unknown one', async () => {
    expect((await app.get(`${PATH}/xyz`)).body.error.details).toMatchObject({ field: 'txid', code: 'invalid_value' });
    expect((await app.get(`${PATH}/${'0'.repeat(64)}`)).status).toBe(404);
  });
});

describe('bump, cpfp, cancel, abandon', () => {
  it('answer the new record, and say why when they cannot', async () => {
    const paid = await app.post(PATH, payment());
    const low = await app.post(`${PATH}/${paid.body.txid}/bump`, { fee_rate: '2.5' });
    expect(low.status).toBe(422);
    expect(low.body.error.details).toMatchObject({ field: 'fee_rate', code: 'fee_too_low' });
    const bumped = await app.post(`${PATH}/${paid.body.txid}/bump`, { fee_rate: '12' }, { idempotencyKey: 'bump-1' });
    expect(bumped.status, bumped.text).toBe(201);
    expect(bumped.body).toMatchObject({ status: 'broadcast', replaces: paid.body.txid });
    const replayed = await app.post(`${PATH}/${paid.body.txid}/bump`, { fee_rate: '12' }, { idempotencyKey: 'bump-1' });
    expect(replayed.body).toEqual(bumped.body);
    const gone = await app.post(`${PATH}/${paid.body.txid}/bump`, { fee_rate: '30' });
    expect(gone.status).toBe(409);
    expect(gone.body.error.details).toMatchObject({ field: 'txid', code: 'state_conflict' });
    expect(gone.body.error.message).toContain(bumped.body.txid);

    const child = await app.post(`${PATH}/${bumped.body.txid}/cpfp`, { fee_rate: '40' });
    expect(child.status, child.text).toBe(201);
    expect(child.body).toMatchObject({ direction: 'internal', status: 'broadcast' });
    const evicting = await app.post(`${PATH}/${bumped.body.txid}/cancel`, {});
    expect(evicting.status).toBe(409);
    expect(evicting.body.error.details.code).toBe('descendants_would_be_evicted');
    expect(evicting.body.error.message).toContain(child.body.txid);
    const cancelled = await app.post(`${PATH}/${bumped.body.txid}/cancel`, { replace_descendants: true });
    expect(cancelled.status, cancelled.text).toBe(201);
    const bare = await app.post(`${PATH}/${(await app.post(PATH, payment())).body.txid}/cancel`);
    expect(bare.status, bare.text).toBe(201);
    const abandon = await app.post(`${PATH}/${cancelled.body.txid}/abandon`);
    expect(abandon.status).toBe(409);
  });
});

describe('POST /api/v1/transactions/bulk', () => {
  it('answers each request on its own, in order, and pays nothing twice when asked again', async () => {
    const requests = {
      transactions: [payment(), payment({ recipients: [to('20000000')] }), payment({ recipients: [to('0.00000001')] })],
    };
    const before = (await app.get(PATH)).body.pagination.total;
    const answer = await app.post(`${PATH}/bulk`, requests, { idempotencyKey: 'bulk-1' });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.data.map((one: { status: number }) => one.status)).toEqual([201, 422, 422]);
    expect(answer.body.data[0]).toMatchObject({ error: null, transaction: { status: 'broadcast' } });
    expect(answer.body.data[1]).toMatchObject({
      transaction: null,
      error: { code: 'invalid_request', details: { field: 'transactions[1].recipients', code: 'insufficient_funds' } },
    });
    expect(answer.body.data[2].error.details.field).toBe('transactions[2].recipients[0].amount');
    const again = await app.post(`${PATH}/bulk`, requests, { idempotencyKey: 'bulk-1' });
    expect(again.body).toEqual(answer.body);
    expect((await app.get(PATH)).body.pagination.total).toBe(before + 1);
  });

  it('refuses the whole where one is malformed, and more than 100', async () => {
    const bad = await app.post(`${PATH}/bulk`, { transactions: [payment(), payment({ fee_rate: 'x' })] });
    expect(bad.status).toBe(400);
    expect(bad.body.error.details.field).toBe('transactions[1].fee_rate');
    const recipients = Array.from({ length: 500 }, () => payment().recipients[0]);
    const large = Array.from({ length: 3 }, () => payment({ recipients }));
    const crowded = await app.post(`${PATH}/bulk`, { transactions: large });
    expect(crowded.body.error.message).toBe('transactions must name at most 1200 recipients and coins in all');
    const many = await app.post(`${PATH}/bulk`, { transactions: Array.from({ length: 101 }, () => payment()) });
    expect(many.body.error.details.field).toBe('transactions');
  });
});

describe('GET /api/v1/fees/estimates', () => {
  it('says unavailable plainly, and rates where there are some, never below what the mempool takes', async () => {
    const none = await app.get('/api/v1/fees/estimates?targets=6,1');
    expect(none.status, none.text).toBe(200);
    expect(none.body).toEqual({ '1': 'unavailable', '6': 'unavailable' });
    app.simulated.setFeeEstimates(
      new Map([
        [1, 12_500n as never],
        [6, 50n as never],
      ]),
    );
    expect((await app.get('/api/v1/fees/estimates')).body).toMatchObject({
      '1': '12.5',
      '6': '0.1',
      '144': 'unavailable',
    });
    app.simulated.setFeeEstimates(null);
  });

  it.each(['0', 'x', '1,,2', '1009', '1.5'])('refuses targets=%s', async (targets) => {
    const answer = await app.get(`/api/v1/fees/estimates?targets=${targets}`);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details.field).toBe('query.targets');
  });
});
