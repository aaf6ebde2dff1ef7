/** The largest address book, by CSV. */
import { address as codec } from 'bitcoinjs-lib';
import { afterAll, expect, it } from 'vitest';
import { startTestApp, type TestAnswer } from '../../builders/app.ts';

const PATH = '/api/v1/enterprise/address-book';
const CSV = { headers: { 'content-type': 'text/csv' } };
const service = await startTestApp();
afterAll(() => service.close());

const addressOf = (at: number): string => {
  const hash = Buffer.alloc(20);
  hash.writeUInt32BE(at);
  return codec.toBase58Check(hash, 111);
};
const file = (first: number, count: number): string =>
  `name,address,tags,external_id\r\n${Array.from({ length: count }, (_, at) => `n${first + at},${addressOf(first + at)},t,\r\n`).join('')}`;
const codeOf = ({ body }: TestAnswer): string => body.error?.details.code;

it('of ten thousand rows is taken in, and goes out again; beyond twenty thousand no more fit', async () => {
  for (const first of [0, 10_000]) {
    const answer = await service.post(`${PATH}/import`, file(first, 10_000), CSV);
    expect([answer.status, answer.body]).toEqual([200, { imported: 10_000 }]);
  }
  expect((await service.get(`${PATH}/export`)).text.split('\r\n')).toHaveLength(20_002);
  expect(codeOf(await service.post(`${PATH}/import`, file(20_000, 1), CSV))).toBe('too_large');
  expect(codeOf(await service.post(PATH, { name: 'a', address: addressOf(20_000) }))).toBe('too_large');
});
