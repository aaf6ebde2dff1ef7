/** Mistakes that people make at first, each with an answer that says at once what to do. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CallOptions, startTestApp, type TestAnswer, type TestApp } from '../builders/app.ts';
import { outsider } from '../services/transactions/payments-setup.ts';

let app: TestApp;
let empty: string;

beforeAll(async () => {
  app = await startTestApp();
  const wallet = (name: string) => app.post('/api/v1/wallets', { name, type: 'segwit', backup_type: 'none' });
  const { wallet_id } = (await wallet('Treasury')).body;
  empty = (await wallet('Poor')).body.wallet_id;
  const { address } = (await app.post(`/api/v1/wallets/${wallet_id}/addresses`)).body;
  await app.post('/api/v1/bitcoin/blocks', { count: 1, address });
  await app.simulated.mine(100, '51');
  await app.synced();
});
afterAll(() => app.close());

const PAY = '/api/v1/transactions';
const address = outsider('payee');
const payment = (recipient: object, more: object = {}) => ({
  recipients: [{ address, amount: '0.001', ...recipient }],
  fee_rate: '2.5',
  rbf: true,
  ...more,
});
const wallet = (more: object) => ({ name: 'x', type: 'segwit', backup_type: 'none', ...more });
const key = (...scopes: string[]) => ({ name: 'k', role: 'operator', scopes });

type Row = [mistake: string, body: unknown, status: number, code: string, field: string, says: string];

async function expectRefused(answer: TestAnswer, [, , status, code, field, says]: Row): Promise<void> {
  expect(answer.status, answer.text).toBe(status);
  expect(answer.body.error.details, answer.text).toMatchObject({ code, field });
  expect(answer.body.error.message).toContain(says);
}

const AMOUNT = 'recipients[0].amount';

it.each<Row>([
  [
    'a number for the address',
    payment({ address: 5 }),
    400,
    'invalid_value',
    'recipients[0].address',
    'must be a Bitcoin address',
  ],
  ['a number for the amount', payment({ amount: 0.5 }), 400, 'invalid_value', AMOUNT, 'in quotation marks'],
  ['satoshis as a number', payment({ amount: 50000 }), 400, 'invalid_value', AMOUNT, '50000 sat is "0.00050000"'],
  [
    'satoshis above all there is',
    payment({ amount: '50000000' }),
    400,
    'invalid_value',
    AMOUNT,
    '50000000 satoshis are "0.50000000"',
  ],
  [
    'satoshis as an amount',
    payment({ amount: '10000' }),
    422,
    'insufficient_funds',
    'recipients',
    'amounts are BTC: 10000 sat is "0.00010000"',
  ],
  [
    'satoshis by name',
    payment({ amount: '5000 sats' }),
    400,
    'invalid_value',
    AMOUNT,
    '5000 satoshis are "0.00005000"',
  ],
  ['a comma', payment({ amount: '0,5' }), 400, 'invalid_value', AMOUNT, 'a point instead of a comma: "0.5"'],
  ['a unit', payment({ amount: '0.5 BTC' }), 400, 'invalid_value', AMOUNT, 'without a unit: "0.5"'],
  ['an exponent', payment({ amount: '1e-3' }), 400, 'invalid_value', AMOUNT, 'without an exponent'],
  ['nine decimals', payment({ amount: '0.123456789' }), 400, 'invalid_value', AMOUNT, 'at most 8 decimals'],
  ['a negative amount', payment({ amount: '-1' }), 400, 'invalid_value', AMOUNT, 'not negative'],
  ['no amount', payment({ amount: '' }), 400, 'invalid_value', AMOUNT, 'such as "0.00150000"'],
  ['a blank', payment({ amount: ' 1' }), 400, 'invalid_value', AMOUNT, 'without blanks around it: "1"'],
  ['no digit before the point', payment({ amount: '.5' }), 400, 'invalid_value', AMOUNT, '"0.5"'],
  ['a fee rate that is none', payment({}, { fee_rate: '100000' }), 400, 'invalid_value', 'fee_rate', 'at most 10000'],
  [
    'a fee rate with a unit',
    payment({}, { fee_rate: '2.5 sat/vB' }),
    400,
    'invalid_value',
    'fee_rate',
    'without a unit: "2.5"',
  ],
  ['a fee rate with a comma', payment({}, { fee_rate: '2,5' }), 400, 'invalid_value', 'fee_rate', '"2.5"'],
  ['Auto', payment({}, { fee_rate: 'Auto' }), 400, 'invalid_value', 'fee_rate', 'must be written "auto"'],
  ['6blocks', payment({}, { fee_rate: '6Blocks' }), 400, 'invalid_value', 'fee_rate', 'must be written "6 blocks"'],
  [
    'text for a boolean',
    payment({}, { rbf: 'true' }),
    400,
    'invalid_value',
    'rbf',
    'must be true or false, without quotation marks',
  ],
  [
    'fields that others call so',
    { outputs: [], fee: '1', rbf: true },
    400,
    'invalid_value',
    'recipients',
    'is required',
  ],
  [
    'a trailing comma',
    '{"fee_rate": "2.5",}',
    400,
    'malformed_json',
    'body',
    'line 1, column 20: a comma with nothing after it',
  ],
  [
    'a word that is cut off',
    '{"rbf": tru}',
    400,
    'malformed_json',
    'body',
    'column 9: tru is not valid in JSON: write true',
  ],
  [
    'an address in a URI',
    payment({ address: `bitcoin:${address}?amount=1` }),
    400,
    'invalid_address',
    'recipients[0].address',
    'write the address alone, without bitcoin:',
  ],
  [
    'an address between blanks',
    payment({ address: ` ${address}` }),
    400,
    'invalid_address',
    'recipients[0].address',
    'write it without blanks around it',
  ],
  ['all for the amount', payment({ amount: 'all' }), 400, 'invalid_value', AMOUNT, 'or "max" for all that is left'],
  [
    'one recipient without brackets',
    payment({}, { recipients: { address, amount: '1' } }),
    400,
    'invalid_value',
    'recipients',
    'must be an array of objects {address, address_book_id, amount, travel_rule}',
  ],
  [
    'a recipient too many',
    payment({}, { subtract_fee_from: [3] }),
    400,
    'invalid_value',
    'subtract_fee_from[0]',
    'must be the index of a recipient: 0',
  ],
  [
    'two recipients of the rest',
    payment({}, { recipients: [1, 2].map(() => ({ address, amount: 'max' })) }),
    400,
    'invalid_value',
    'recipients[1].amount',
    'recipients[1].amount must not be "max", too: only one',
  ],
  ['null', payment({}, { label: null }), 400, 'invalid_value', 'label', 'must be a string, or be left out'],
  ['null where a value is needed', payment({}, { rbf: null }), 400, 'invalid_value', 'rbf', 'must be true or false'],
  [
    'nothing',
    undefined,
    400,
    'invalid_value',
    'body',
    'body is missing: send a JSON object with recipients, fee_rate, rbf',
  ],
  ['a NUL', { ...payment({}), label: 'a\0b' }, 400, 'invalid_value', 'label', 'label has a NUL character (\\u0000)'],
])('%s in a payment', async (...row) => expectRefused(await app.post(PAY, row[1]), row));

it.each<[string, ...Row]>([
  [
    '/api/v1/wallets',
    'a type in capitals',
    wallet({ type: 'Taproot' }),
    400,
    'invalid_value',
    'type',
    'did you mean "taproot"?',
  ],
  [
    '/api/v1/wallets',
    'a type by another name',
    wallet({ type: 'P2WPKH' }),
    400,
    'invalid_value',
    'type',
    'did you mean "segwit"?',
  ],
  ['/api/v1/api-keys', 'a scope', key('wallets:reed'), 400, 'invalid_value', 'scopes[0]', 'did you mean wallets:read?'],
  [
    '/api/v1/api-keys',
    'a scope in capitals',
    key('Wallets:read'),
    400,
    'invalid_value',
    'scopes[0]',
    'did you mean wallets:read?',
  ],
  [
    '/api/v1/api-keys',
    'a scope turned round',
    key('read:wallets'),
    400,
    'invalid_value',
    'scopes[0]',
    'did you mean wallets:read?',
  ],
  [
    '/api/v1/api-keys',
    'scopes in one',
    key('wallets:read,fees:read'),
    400,
    'invalid_value',
    'scopes[0]',
    '["wallets:read","fees:read"]',
  ],
  [
    '/api/v1/bitcoin/blocks',
    'a count in quotation marks',
    { count: '1', address },
    400,
    'invalid_value',
    'count',
    'must be a whole number, without quotation marks',
  ],
  ['/api/psbt/decode', 'a path', {}, 404, 'not_found', '', 'did you mean /api/psbt/v2/decode?'],
  ['/api/v1/psbt/decode', 'a path', {}, 404, 'not_found', '', 'did you mean /api/psbt/v2/decode?'],
])('%s with %s', async (path, ...row) => expectRefused(await app.post(path, row[1]), row));

it.each<Row>([
  ['GET /api/v1/wallets/', {}, 404, 'not_found', '', 'did you mean /api/v1/wallets?'],
  ['GET /api/wallets', {}, 404, 'not_found', '', 'did you mean /api/v1/wallets?'],
  ['GET /api/v2/wallets', {}, 404, 'not_found', '', 'v2 has no resources yet: did you mean /api/v1/wallets?'],
  ['GET /api/v2/xyz', {}, 404, 'not_found', '', 'v2 has no resources yet: /openapi.json'],
  ['PUT /api/v1/wallets/x', {}, 405, 'method_not_allowed', 'method', 'PATCH changes the fields'],
  ['GET /api/v1/wallets?page=2', {}, 400, 'invalid_value', 'query.page', 'did you mean offset?'],
])('%s', async (...row) => {
  const [method, path] = row[0].split(' ') as [string, string];
  await expectRefused(await app.call(method, path, undefined, row[1] as CallOptions), row);
});

it('lists what is wrong with recipients all at once, as it lists what is wrong with a body', async () => {
  const recipients = [
    { address: 'bcrt1qwrong', amount: '0.1' },
    { address, amount: '0.00000001' },
    { address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', amount: '0.1' },
  ];
  const wrong = (await app.post(PAY, payment({}, { recipients }))).body.error;
  expect(wrong.details).toMatchObject({ code: 'invalid_address', field: 'recipients[0].address' });
  expect(wrong.details.errors.map(({ field }: { field: string }) => field)).toEqual([
    'recipients[0].address',
    'recipients[2].address',
    'recipients[1].amount',
  ]);
  const dust = ['0.00000001', '0.1', '0.00000002'].map((amount) => ({ address, amount }));
  const small = (await app.post(PAY, payment({}, { recipients: dust }))).body.error;
  expect(small.details).toMatchObject({ code: 'dust', field: 'recipients[0].amount' });
  expect(small.details.errors).toMatchObject([
    { field: 'recipients[0].amount', reason: small.message },
    { field: 'recipients[2].amount', reason: expect.stringContaining('0.00000002') },
  ]);
  const bulk = await app.post(`${PAY}/bulk`, { transactions: [payment({}, { recipients: dust })] });
  expect(bulk.body.data[0].error.details.errors.map(({ field }: { field: string }) => field)).toEqual([
    'transactions[0].recipients[0].amount',
    'transactions[0].recipients[2].amount',
  ]);
  const many = Array.from({ length: 700 }, () => ({ address: 'x', amount: '0.1' }));
  expect((await app.post(PAY, payment({}, { recipients: many }))).body.error.details.errors).toHaveLength(20);
});

it.each([
  [PAY, payment({ amount_sats: 5 }), 'recipients[0].amount_sats', 'amount, in BTC?'],
  [PAY, payment({ amount_sat: 5 }), 'recipients[0].amount_sat', 'amount, in BTC?'],
  ['/api/v1/bitcoin/transactions/broadcast', { hex: '00' }, 'hex', 'transaction?'],
  ['/api/v1/bitcoin/transactions/broadcast', { raw: '00' }, 'raw', 'transaction?'],
  ['/api/v1/wallets/wal_3mVb1k7Q2xYt9LpRw0Zc5A/utxos/lock', { utxos: [] }, 'utxos', 'outpoints?'],
])('%s with %j is told what %s is here', async (path, body, field, name) => {
  const { errors } = (await app.post(path, body)).body.error.details;
  expect(errors).toContainEqual({ field, reason: `is not a known field: did you mean ${name}` });
});

it('says once what is wrong with a body as a whole, and keeps the reason of a field', async () => {
  expect((await app.post(PAY)).body.error.details.reason).toBeUndefined();
  expect((await app.post(PAY, {})).body.error.details.reason).toBe('is required');
});

it('names satoshis only where there is enough for them', async () => {
  const poor = await app.post(PAY, payment({ amount: '10000' }, { wallet_id: empty }));
  expect(poor.body.error.message).not.toContain('amounts are BTC');
  const few = await app.post(PAY, payment({ amount: '545' }));
  expect(few.body.error.details.code).toBe('insufficient_funds');
  expect(few.body.error.message).not.toContain('amounts are BTC');
});

it('an API key in X-API-Key is refused with the header that is read', async () => {
  const answer = await app.get('/api/v1/wallets', { apiKey: null, headers: { 'x-api-key': app.adminKey } });
  await expectRefused(answer, ['', {}, 401, 'unauthorized', 'headers.authorization', '(X-API-Key is not read)']);
});
