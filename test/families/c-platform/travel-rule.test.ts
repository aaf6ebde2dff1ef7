/** Data of the travel rule: with payments and by themselves, incomplete, replaced, read, encrypted. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { madeReport } from '../../builders/report-recipes.ts';
import { outsider } from '../../services/transactions/payments-setup.ts';
import vectors from '../../vectors/ivms101.json' with { type: 'json' };

const PATH = '/api/v1/compliance/travel-rule';
const { example1, example2 } = vectors;
/** Stands nowhere but in what is sent. */
const SECRET = 'Zyxwvutsrq';
const secret = { ...example1, originator: { originatorPerson: [person(SECRET)] } };
let app: TestApp;
let ahead = 0;

function person(primaryIdentifier: string) {
  const name = { nameIdentifier: [{ primaryIdentifier, naturalPersonNameIdentifierType: 'LEGL' }] };
  return { naturalPerson: { name, customerIdentification: '1' } };
}

beforeAll(async () => {
  app = await startTestApp({ clock: () => Date.now() + ahead });
  const { body: wallet } = await app.post('/api/v1/wallets', { name: 'Hot', type: 'segwit', backup_type: 'none' });
  for (let at = 0; at < 6; at++) {
    const { body } = await app.post(`/api/v1/wallets/${wallet.wallet_id}/addresses`);
    await app.post('/api/v1/bitcoin/blocks', { count: 1, address: body.address });
  }
  await app.simulated.mine(100, '51');
  await app.synced();
  // Blocks that are made one after another are ahead of the clock.
  ahead = 3_600_000;
});
afterAll(() => app.close());

const payment = (...travelRules: Json[]): Json => ({
  recipients: travelRules.map((travel_rule, at) => ({ address: outsider(`${at}`), amount: '0.50000000', travel_rule })),
  ...{ fee_rate: '2', rbf: true },
});
async function paid(...travelRules: Json[]): Promise<Json> {
  const answer = await app.post('/api/v1/transactions', payment(...travelRules));
  expect(answer.status, answer.text).toBe(201);
  expect(answer.text).not.toContain(SECRET);
  return answer.body;
}
const read = async (txid: string, recipient?: number) =>
  (await app.get(`${PATH}/${txid}${recipient === undefined ? '' : `?recipient=${recipient}`}`)).body;
const audited = async (operation: string) =>
  (await app.get(`/api/v1/compliance/audit?operation=${operation}`)).body.data.map(({ target }: Json) => target);

it('comes with a payment, is read by recipient, which is audited, and stands nowhere in plain text', async () => {
  const { txid } = await paid(secret, undefined, { beneficiary: example2.beneficiary });
  expect(await read(txid, 0)).toMatchObject({
    ...{ txid, recipient: 0, status: 'complete', missing: [], travel_rule: secret },
  });
  expect(await read(txid, 1)).toMatchObject({ status: 'missing', travel_rule: null, updated_at: null });
  expect(await read(txid, 2)).toMatchObject({ status: 'missing', missing: ['originator.originatorPerson'] });
  expect(await audited('travel-rule.get')).toEqual([txid, txid]);
  expect(await read(txid)).toMatchObject({ error: { details: { field: 'query.recipient' } } });
  expect(await read(txid, 3)).toMatchObject({ error: { details: { field: 'query.recipient' } } });
  for (const shown of [`/api/v1/transactions/${txid}`, '/api/v1/transactions', '/api/v1/idempotency/x'])
    expect((await app.get(shown)).text).not.toContain(SECRET);
  const files = readdirSync(app.dataDir).filter((name) => name.startsWith('ashlar.db'));
  expect(files.length).toBeGreaterThan(0);
  for (const name of files) expect(readFileSync(join(app.dataDir, name)).includes(SECRET)).toBe(false);
});

it('is refused where it is wrong, naming the path, with the payment', async () => {
  const born = { ...secret, originator: { originatorPerson: [born2999()] } };
  const place = 'originator.originatorPerson[0].naturalPerson';
  const fieldOf = async (travel_rule: Json) => {
    const answer = await app.post('/api/v1/transactions', payment(undefined, travel_rule));
    expect(answer.status, answer.text).toBe(400);
    expect(answer.text).not.toContain(SECRET);
    return answer.body.error.details.field;
  };
  expect(await fieldOf(born)).toBe(`recipients[1].travel_rule.${place}.dateAndPlaceOfBirth.dateOfBirth`);
  expect(await fieldOf({ ...secret, extra: 'x' })).toBe('recipients[1].travel_rule.extra');
  // Names of the standard of 2020.
  for (const [given, meant] of [
    [{ originatorPersons: [] }, 'originatorPerson'],
    [{ originatorPerson: [{ naturalPerson: { customerNumber: '1' } }] }, 'customerIdentification'],
  ] as const) {
    const { body } = await app.post('/api/v1/transactions', payment({ originator: given }));
    expect(body.error.message).toContain(`did you mean ${meant}?`);
  }
  const [beside, long] = ['1', '2'].map((digit) => ({ accountNumber: Array(10).fill(digit.repeat(512)) }));
  expect(await fieldOf({ originator: beside, beneficiary: long })).toBe('recipients[1].travel_rule');
  const many = await app.post('/api/v1/transactions', payment(...Array(10).fill({ originator: beside })));
  expect(many.body.error.details).toMatchObject({ field: 'recipients', code: 'invalid_value' });
});
const born2999 = () => {
  const { naturalPerson } = person(SECRET);
  return { naturalPerson: { ...naturalPerson, dateAndPlaceOfBirth: { dateOfBirth: '2999-01-01', placeOfBirth: 'x' } } };
};

it('is replaced by itself, of what came in too, each account its own', async () => {
  const { txid } = await paid(secret);
  const put = (given: string, body: Json, apiKey = app.adminKey) =>
    app.call('PUT', `${PATH}/${given}`, body, { apiKey });
  const now = await put(txid, { travel_rule: example2 });
  expect(now.status, now.text).toBe(200);
  expect(now.body).toMatchObject({ txid, status: 'complete', travel_rule: example2 });
  expect((await read(txid)).travel_rule).toEqual(example2);
  const [deposit] = (await app.get('/api/v1/transactions?direction=incoming&limit=1')).body.data;
  expect((await put(deposit.txid, { recipient: 0, travel_rule: {} })).body.missing).toHaveLength(2);
  expect(await audited('travel-rule.replace')).toEqual([deposit.txid, txid]);
  expect((await put(deposit.txid, { recipient: 1, travel_rule: {} })).body.error.details.field).toBe('recipient');
  const { apiKey } = await app.anotherAccount();
  expect((await put(txid, { travel_rule: {} }, apiKey)).status).toBe(404);
  expect((await app.get(`${PATH}/${txid}`, { apiKey })).status).toBe(404);
  const reader = await app.key({ role: 'viewer', scopes: ['compliance:read'] });
  expect((await app.get(`${PATH}/${txid}`, { apiKey: reader })).status).toBe(403);
});

it('goes on with what replaces the payment, and with each payment of a bulk', async () => {
  const { txid } = await paid(undefined, example2, secret);
  const { body: bumped } = await app.post(`/api/v1/transactions/${txid}/bump`, { fee_rate: '5' });
  const { body: again } = await app.post(`/api/v1/transactions/${bumped.txid}/bump`, { fee_rate: '9' });
  expect(again.replaces).toBe(bumped.txid);
  const of = async (of: string) =>
    [await read(of, 0), await read(of, 1), await read(of, 2)].map((one) => one.travel_rule);
  expect(await of(again.txid)).toEqual([null, example2, secret]);
  const { body: cancelled } = await app.post(`/api/v1/transactions/${again.txid}/cancel`, { fee_rate: '20' });
  expect((await read(cancelled.txid)).travel_rule).toBeNull();
  expect(await of(txid)).toEqual([null, example2, secret]);
  // One that is built on it, and goes with it.
  const parent = await paid(example1);
  const { body: coins } = await app.get(`/api/v1/wallets/${parent.wallet_id}/utxos?limit=100`);
  const change = coins.data.find((coin: Json) => coin.txid === parent.txid);
  const built = { ...payment(example2, secret), coin_control: { include: [`${change.txid}:${change.vout}`] } };
  expect((await app.post('/api/v1/transactions', built)).status).toBe(201);
  const both = { fee_rate: '30', replace_descendants: true };
  const whole = await app.post(`/api/v1/transactions/${parent.txid}/bump`, both);
  expect(whole.body.recipients, whole.text).toHaveLength(3);
  expect(await of(whole.body.txid)).toEqual([example1, example2, secret]);
  const bulk = await app.post('/api/v1/transactions/bulk', { transactions: [payment(example1), payment(example2)] });
  const made = bulk.body.data.map(({ transaction }: Json) => transaction.txid);
  expect((await read(made[0])).travel_rule).toEqual(example1);
  expect((await read(made[1])).travel_rule).toEqual(example2);
});

it('a report has what is over the threshold and what has data, with what is missing; reading it is audited', async () => {
  const report = async () => {
    const asked = { type: 'travel-rule', from: '2020-01-01T00:00:00Z' };
    const { content, path } = await madeReport(app.call, 'compliance', asked);
    return { path, ...content.body };
  };
  const { txid } = await paid(example2, undefined);
  const of = ({ rows }: Json) => rows.filter((row: Json) => row.txid === txid);
  expect(of(await report())).toMatchObject([{ recipient: 0, originator: 'Xinli Wu' }]);
  const config = await app.call('PUT', '/api/v1/enterprise/config', { travel_rule: { threshold: '0.49999999' } });
  expect(config.body.travel_rule).toEqual({ threshold: '0.49999999' });
  const over = await report();
  const row = { direction: 'outgoing', amount: '0.50000000' };
  expect(of(over)).toMatchObject([
    { ...row, recipient: 0, travel_rule: 'complete', missing: '', originator: 'Xinli Wu', beneficiary: 'ABC Limited' },
    { ...row, recipient: 1, travel_rule: 'missing', originator: null, address: outsider('1') },
  ]);
  expect(of(over)[1].missing).toBe('originator.originatorPerson beneficiary.beneficiaryPerson');
  expect(over.rows.filter(({ direction }: Json) => direction === 'incoming')).toHaveLength(6);
  expect(over.summary).toMatchObject({ threshold: '0.49999999' });
  expect(await audited('compliance-report.read')).toEqual([0, 1].map(() => expect.stringMatching(/^rep_/)));
  await app.call('PUT', '/api/v1/enterprise/config', { travel_rule: { threshold: '0.50000000' } });
  expect(of(await report())).toHaveLength(1);
  const unread = await app.key({ role: 'operator', scopes: ['compliance:write'] });
  const body = { type: 'travel-rule', from: '2020-01-01T00:00:00Z' };
  expect((await app.post('/api/v1/compliance/report', body, { apiKey: unread })).status).toBe(403);
});
