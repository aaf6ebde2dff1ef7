/** The address book over HTTP: entries, their delay and proofs, CSV, and payments that name entries. */
import { randomBytes } from 'node:crypto';
import { address as codec } from 'bitcoinjs-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_RULES } from '../../../src/core/policies/account-rules.ts';
import { addressBookEntry } from '../../../src/families/c-platform/enterprise/address-book/entry-answer.ts';
import { createAddressBook } from '../../../src/services/address-book/address-book.ts';
import type { RulesOf } from '../../../src/services/policies/rules-of.ts';
import { type CallOptions, type Json, startTestApp, type TestAnswer, type TestApp } from '../../builders/app.ts';
import { requestContext } from '../../builders/request-context.ts';

const PATH = '/api/v1/enterprise/address-book';
const HOUR = 3_600_000;
const CSV = { headers: { 'content-type': 'text/csv' } };
let service: TestApp;
let wallet: string;
let offset = 0;
const clock = () => Date.now() + offset;

beforeAll(async () => {
  service = await startTestApp({ clock, blocks: 101 });
  wallet = (await service.post('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' })).body.wallet_id;
});
afterAll(() => service.close());

const address = async (): Promise<string> =>
  (await service.post(`/api/v1/wallets/${wallet}/addresses`, undefined)).body.address;
async function made(given: Json = {}): Promise<Json> {
  const answer = await service.post(PATH, { name: 'Exchange', address: await address(), ...given });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}
const patch = (entry: Json, body: Json, options: CallOptions = {}) =>
  service.call('PATCH', `${PATH}/${entry.address_book_id}`, body, options);
const refusal = ({ status, body: { error } }: TestAnswer) => [status, error?.details.code, error?.details.field];
const base58 = (at: number): string => {
  const hash = Buffer.alloc(20);
  hash.writeUInt32BE(at);
  return codec.toBase58Check(hash, 111);
};
const ids = ({ body }: TestAnswer): string[] => body.data.map((entry: Json) => entry.address_book_id);

const withDelay =
  (addressBookDelayHours: number): RulesOf =>
  async () => ({ ...NO_RULES, config: { ...NO_RULES.config, addressBookDelayHours } });
/** The account's book under a config whose delay is so long. */
function delayed(hours: number) {
  const { store, services } = service.app;
  const { computing } = services;
  const network = 'regtest' as const;
  const book = createAddressBook({ store, clock, randomBytes, computing, network, rulesOf: withDelay(hours) });
  const context = () => requestContext({ accountId: service.accountId });
  return {
    create: async (given: { address: string; tags?: string[] }) =>
      addressBookEntry.present(
        await book.create({ name: 'later', tags: [], externalId: null, proof: null, ...given }, context()),
      ),
    update: async (entry: Json, given: Json) =>
      addressBookEntry.present(await book.update(entry.address_book_id, given, context())),
  };
}

describe('an entry', () => {
  it('is made, shown, changed and removed', async () => {
    const given = await address();
    const entry = await made({ address: given.toUpperCase(), tags: ['a', 'b', 'a'], external_id: 'x-1' });
    expect(entry).toMatchObject({ address: given, tags: ['a', 'b'], external_id: 'x-1', verified: false, proof: null });
    expect(entry.effective_at).toBe(entry.created_at);
    const path = `${PATH}/${entry.address_book_id}`;
    expect((await service.get(path)).body).toEqual(entry);
    const changed = await patch(entry, { name: 'Other', external_id: null });
    expect(changed.body).toEqual({ ...entry, name: 'Other', external_id: null, updated_at: changed.body.updated_at });
    expect((await service.call('DELETE', path)).status).toBe(204);
    expect((await service.get(path)).status).toBe(404);
    expect((await service.call('DELETE', path)).status).toBe(404);
  });

  it('has an address that no other has, however it is written, and says which has it', async () => {
    const [one, other] = [await made({ name: 'The first' }), await made()];
    const again = await service.post(PATH, { name: 'again', address: one.address.toUpperCase() });
    expect(refusal(again)).toEqual([409, 'already_exists', 'address']);
    expect(again.body.error.message).toContain(`${one.address_book_id} already has this address: "The first"`);
    expect(refusal(await patch(other, { address: one.address }))).toEqual([409, 'already_exists', 'address']);
    expect((await patch(one, { address: one.address })).status).toBe(200);
    const { apiKey } = await service.anotherAccount('with a book of its own');
    expect((await service.post(PATH, { name: 'a', address: one.address }, { apiKey })).status).toBe(201);
    expect((await service.get(`${PATH}/${one.address_book_id}`, { apiKey })).status).toBe(404);
    expect((await patch(one, { name: 'b' }, { apiKey })).status).toBe(404);
  });

  it('of one address is made once however many ask at once', async () => {
    const body = { name: 'raced', address: await address() };
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.post(PATH, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });

  it.each([
    [{ address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' }, 'wrong_network', 'address'],
    [{ address: 'nowhere' }, 'invalid_address', 'address'],
    [{ name: '' }, 'invalid_value', 'name'],
    [{ tags: ['a;b'] }, 'invalid_value', 'tags[0]'],
    [{ tags: Array.from({ length: 21 }, (_, at) => `t${at}`) }, 'invalid_value', 'tags'],
  ])('is refused with %j', async (given, code, field) => {
    const body = { name: 'a', address: await address(), ...given };
    expect(refusal(await service.post(PATH, body))).toEqual([400, code, field]);
  });

  it('is for operators to write and viewers to read', async () => {
    const apiKey = await service.key({ role: 'viewer', scopes: ['address-book:write'] });
    expect((await service.get(PATH, { apiKey })).status).toBe(200);
    expect((await service.post(PATH, { name: 'a', address: await address() }, { apiKey })).status).toBe(403);
  });
});

describe('a proof', () => {
  const signed = async (given: string, message: string): Promise<string> =>
    (await service.post(`/api/v1/wallets/${wallet}/messages`, { address: given, message })).body.signature;

  it('is the signature of a text that names address and account, and is of one address', async () => {
    const given = await address();
    const message = `I control ${given}, for the address book of ${service.accountId}`;
    const signature = await signed(given, message);
    const entry = await made({ address: given, proof: { signature, message } });
    expect(entry).toMatchObject({ verified: true, proof: { message, signature }, proof_message: message });
    expect((await patch(entry, { name: 'still' })).body.verified).toBe(true);
    expect((await patch(entry, { address: await address() })).body).toMatchObject({ verified: false, proof: null });
    const later = await patch(entry, { address: given, proof: { signature } });
    expect(later.body.verified).toBe(true);
    expect((await patch(entry, { proof: null })).body.verified).toBe(false);
  });

  it('of another text, address or account is none', async () => {
    const given = await address();
    const body = { name: 'a', address: given };
    const other = `I control ${given}, for the address book of acc_other`;
    const proof = { signature: await signed(given, other) };
    const field = 'proof.signature';
    expect(refusal(await service.post(PATH, { ...body, proof }))).toEqual([400, 'invalid_signature', field]);
    const named = { ...proof, message: other };
    expect(refusal(await service.post(PATH, { ...body, proof: named }))).toEqual([
      400,
      'invalid_value',
      'proof.message',
    ]);
    const junk = { signature: 'junk' };
    expect(refusal(await service.post(PATH, { ...body, proof: junk }))).toEqual([400, 'invalid_signature', field]);
  });
});

describe('the delay', () => {
  it('begins with a new entry, another address and a new tag, and with nothing else', async () => {
    const book = delayed(24);
    const entry = await book.create({ address: await address(), tags: ['a'] });
    const after = (at: string) => Date.parse(entry.effective_at) - Date.parse(at);
    expect(after(entry.created_at)).toBe(24 * HOUR);
    offset += HOUR;
    for (const given of [{ name: 'b' }, { tags: [] }, { externalId: 'c' }])
      expect((await book.update(entry, given)).effective_at).toBe(entry.effective_at);
    const tagged = await book.update(entry, { tags: ['a'] });
    expect(Date.parse(tagged.effective_at) - Date.parse(tagged.updated_at)).toBe(24 * HOUR);
    const moved = await book.update(entry, { address: await address() });
    expect(Date.parse(moved.effective_at) - Date.parse(moved.updated_at)).toBe(24 * HOUR);
  });

  it('keeps payments from naming the entry, and rules from finding it, until it is over', async () => {
    const entry = await delayed(2).create({ address: await address() });
    const { addressBook } = service.app.store.read;
    const found = async (at: number) =>
      (await addressBook.entriesFor(service.accountId, [entry.script_pubkey], at)).map(({ entryId }) => entryId);
    const from = Date.parse(entry.effective_at);
    expect([await found(from - 1), await found(from)]).toEqual([[], [entry.address_book_id]]);
    const asked = await pay([{ address_book_id: entry.address_book_id, amount: '0.001' }]);
    expect(refusal(asked)).toEqual([409, 'state_conflict', 'recipients[0].address_book_id']);
    expect(asked.body.error.message).toContain(entry.effective_at);
  });
});

it('a rule that denies a tag holds while the delay runs, one that allows it does not', async () => {
  const { apiKey } = await service.anotherAccount('blocked');
  const of = (method: string, path: string, body: Json) =>
    service.call(method, `/api/v1/enterprise/${path}`, body, { apiKey });
  const [paid, elsewhere] = [await address(), await address()];
  const config = { default_action: 'deny', address_book_delay_hours: 24 };
  expect((await of('PUT', 'config', config)).status).toBe(200);
  const rule = async (tag: string, then: Json) =>
    of('POST', 'policies', { name: tag, when: { destinations: { address_book: [tag] } }, then });
  await rule('blocked', { action: 'deny', message: 'sanctioned' });
  await rule('friend', { action: 'allow' });
  const entry = await of('POST', 'address-book', { name: 'a', address: paid, tags: ['blocked', 'friend'] });
  const verdict = async (to: string) => {
    const { body } = await of('POST', 'policies/evaluate', { recipients: [{ address: to, amount: '0.1' }] });
    return [body.action, ...body.rules.map(({ name }: Json) => name)];
  };
  expect(entry.status, entry.text).toBe(201);
  expect(await verdict(paid)).toEqual(['deny', 'blocked']);
  expect(await verdict(elsewhere)).toEqual(['deny']);
  offset += 24 * HOUR;
  expect(await verdict(paid)).toEqual(['deny', 'blocked', 'friend']);
  expect((await of('PATCH', `address-book/${entry.body.address_book_id}`, { tags: ['friend', 'x'] })).status).toBe(200);
  expect(await verdict(paid)).toEqual(['deny']);
  offset += 24 * HOUR;
  expect(await verdict(paid)).toEqual(['allow', 'friend']);
});

describe('the list', () => {
  it('is searched by part of the name, tag, address and external id', async () => {
    const one = await made({ name: 'Öl & Söhne "Kasse" 100%', tags: ['vendor'], external_id: 'v-1' });
    const other = await made({ name: 'kassel', tags: ['vendors'] });
    const list = async (query: Record<string, string>) =>
      ids(await service.get(`${PATH}?${new URLSearchParams(query)}`));
    expect(await list({ name: 'KASSE' })).toEqual([other.address_book_id, one.address_book_id]);
    expect(await list({ name: '100%' })).toEqual([one.address_book_id]);
    expect(await list({ name: '_' })).toEqual([]);
    expect(await list({ tag: 'vendor' })).toEqual([one.address_book_id]);
    expect(await list({ external_id: 'v-1' })).toEqual([one.address_book_id]);
    expect(await list({ address: other.address.toUpperCase() })).toEqual([other.address_book_id]);
    expect(await list({ address: other.address, tag: 'vendor' })).toEqual([]);
    expect(refusal(await service.get(`${PATH}?address=x`))).toEqual([400, 'invalid_address', 'query.address']);
  });
});

describe('CSV', () => {
  const file = (rows: string[]): string =>
    `name,address,tags,external_id\r\n${rows.map((row) => `${row}\r\n`).join('')}`;

  it('of one account is taken in by another as it was', async () => {
    const [one, other] = [await service.anotherAccount('out'), await service.anotherAccount('in')];
    const rows = [`"=1+1, ""a""",${await address()},x;y,-7`, `b,${await address()},,`];
    const imported = await service.post(`${PATH}/import`, file(rows), { ...CSV, apiKey: one.apiKey });
    expect([imported.status, imported.body]).toEqual([200, { imported: 2 }]);
    const out = await service.get(`${PATH}/export`, { apiKey: one.apiKey });
    expect(out.headers['content-type']).toMatch(/^text\/csv/);
    expect(out.text).toContain(`,"'=1+1, ""a""",`);
    const { body } = await service.post(`${PATH}/import`, out.text, { ...CSV, apiKey: other.apiKey });
    expect(body).toEqual({ imported: 2 });
    const shown = async (apiKey: string) =>
      (await service.get(PATH, { apiKey })).body.data
        .map(({ name, address: at, tags, external_id }: Json) => ({ name, at, tags, external_id }))
        .sort((a: Json, b: Json) => (a.name < b.name ? -1 : 1));
    expect(await shown(other.apiKey)).toEqual(await shown(one.apiKey));
    expect((await shown(one.apiKey))[0]).toMatchObject({ name: '=1+1, "a"', tags: ['x', 'y'], external_id: '-7' });
  });

  it('is taken in as a whole or not at all, and says what is wrong with which line', async () => {
    const taken = await made();
    const free = await address();
    const before = (await service.get(PATH)).body.pagination.total;
    const wrong = await service.post(`${PATH}/import`, file([`a,${free},,`, 'b,nowhere,,', ',,"a,b",']), CSV);
    expect(refusal(wrong)).toEqual([400, 'invalid_address', 'body[3].address']);
    expect(wrong.body.error.details.errors.map(({ field }: Json) => field)).toEqual([
      'body[3].address',
      'body[4].name',
    ]);
    const twice = await service.post(`${PATH}/import`, file([`a,${free},,`, `b,${taken.address},,`]), CSV);
    expect(refusal(twice)).toEqual([409, 'already_exists', 'body[3].address']);
    expect(twice.body.error.message).toContain(taken.address_book_id);
    expect((await service.get(PATH)).body.pagination.total).toBe(before);
  });
});

const pay = (recipients: Json[], query = '') =>
  service.post(`/api/v1/transactions${query}`, { recipients, fee_rate: '2', rbf: true, wallet_id: wallet });

describe('a payment', () => {
  it('pays to the entry that it names', async () => {
    const entry = await made();
    const funding = await address();
    await service.post('/api/v1/bitcoin/blocks', { count: 101, address: funding });
    await service.synced();
    const recipient = { address_book_id: entry.address_book_id, amount: '0.001' };
    const { status, body } = await pay([recipient], '?dry_run=true');
    expect(status, JSON.stringify(body)).toBe(200);
    const paid = await pay([recipient]);
    expect(paid.body.recipients).toEqual([{ address: entry.address, amount: '0.00100000' }]);
    const unknown = { ...recipient, address_book_id: 'abe_3mVb1k7Q2xYt9LpRw0Zc5A' };
    const payment = (to: Json) => ({ recipients: [to], fee_rate: '2', rbf: true, wallet_id: wallet });
    const bulk = await service.post('/api/v1/transactions/bulk', {
      transactions: [payment(unknown), payment(recipient)],
    });
    expect(bulk.body.data.map(({ status: code }: Json) => code)).toEqual([404, 201]);
    expect(bulk.body.data[0].error.details.field).toBe('transactions[0].recipients[0].address_book_id');
    expect(bulk.body.data[1].transaction.recipients[0].address).toBe(entry.address);
  });

  it('is judged by the entries that are effective, and the delay is that of the config', async () => {
    const rule = {
      name: 'only known payees',
      when: { operations: ['payment'], destinations: { outside: true } },
      then: { action: 'deny', message: 'put the payee into the address book first' },
    };
    const policy = await service.post('/api/v1/enterprise/policies', rule);
    expect(policy.status, policy.text).toBe(201);
    const config = await service.call('PUT', '/api/v1/enterprise/config', { address_book_delay_hours: 3 });
    expect(config.status, config.text).toBe(200);
    const outsider = base58(77);
    const asked = () => pay([{ address: outsider, amount: '0.001' }]);
    expect(refusal(await asked())[1]).toBe('policy_denied');
    const entry = await made({ address: outsider });
    expect(Date.parse(entry.effective_at) - Date.parse(entry.created_at)).toBe(3 * HOUR);
    expect(refusal(await asked())[1]).toBe('policy_denied');
    offset += 3 * HOUR + 1;
    const paid = await asked();
    expect(paid.status, paid.text).toBe(201);
    await service.call('DELETE', `${PATH}/${entry.address_book_id}`);
    expect(refusal(await asked())[1]).toBe('policy_denied');
    await service.call('DELETE', `/api/v1/enterprise/policies/${policy.body.policy_id}`);
  });

  it('names an address or an entry of its own account, and one of the two', async () => {
    const { address_book_id, address: at } = await made();
    const id = 'recipients[0].address_book_id';
    const both = await pay([{ address_book_id, address: at, amount: '0.001' }]);
    expect([both.status, both.body.error.details.field]).toEqual([400, id]);
    const neither = await pay([{ amount: '0.001' }]);
    expect([neither.status, neither.body.error.details.field]).toEqual([400, 'recipients[0].address']);
    const { apiKey } = await service.anotherAccount('a stranger');
    const body = { recipients: [{ address_book_id, amount: '0.001' }], fee_rate: '2', rbf: true };
    expect(refusal(await service.post('/api/v1/transactions', body, { apiKey }))).toEqual([404, 'not_found', id]);
  });
});
