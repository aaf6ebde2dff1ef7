/** One declaration gives a noun's schema and what makes its answer of a record. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { FeeRate } from '../../src/core/fee-rate.ts';
import {
  amount,
  answer,
  answerWith,
  bytes,
  bytesOf,
  feeRate,
  paginated,
  time,
  unnamedAnswer,
} from '../../src/families/answer.ts';

const price = answer('TestPrice', { amount, unit: z.string() }, ({ text }: { text: string }) => ({ unit: text }));
const noun = answer('TestNoun', {
  noun_id: z.string(),
  total_fee: amount.nullable(),
  created_at: time,
  ended_at: time.nullable(),
  key: bytes.optional(),
  prices: z.array(price.schema),
  scan: z.object({ from_height: z.int(), seen_at: time.nullable(), script_pubkey: z.string() }),
});
const record = {
  nounId: 'n',
  totalFeeSats: 150_000n,
  createdAt: 0,
  endedAt: null,
  key: undefined,
  prices: [{ amountSats: -1n, text: 'BTC' }],
  scan: { fromHeight: 7, seenAt: 1000, scriptPubKey: '51' },
};

describe('an answer', () => {
  it('reads members by their name in camelCase, amounts from satoshis, times from milliseconds', () => {
    expect(JSON.parse(JSON.stringify(noun.present(record)))).toStrictEqual({
      noun_id: 'n',
      total_fee: '0.00150000',
      created_at: '1970-01-01T00:00:00.000Z',
      ended_at: null,
      prices: [{ amount: '-0.00000001', unit: 'BTC' }],
      scan: { from_height: 7, seen_at: '1970-01-01T00:00:01.000Z', script_pubkey: '51' },
    });
  });

  it('is what its schema takes, which gives the record back', () => {
    const shown = noun.present({ ...record, key: Uint8Array.of(1, 255) });
    expect(shown.key).toBe('01ff');
    const { total_fee, key, scan } = noun.schema.decode(shown);
    expect({ total_fee, key, scan }).toStrictEqual({
      total_fee: 150_000n,
      key: Uint8Array.of(1, 255),
      scan: { from_height: 7, seen_at: 1000, script_pubkey: '51' },
    });
  });

  it('leaves out an amount that a record need not have, which is read from satoshis all the same', () => {
    const tip = answer('TestTip', { tip: amount.optional() });
    expect(tip.present({ tipSats: 2n })).toStrictEqual({ tip: '0.00000002' });
    expect(JSON.stringify(tip.present({}))).toBe('{}');
  });

  it('presents a noun within another in each place, described anew, too', () => {
    const within = answer('TestWithin', { one: price.schema.meta({ description: 'other words' }) });
    expect(within.present({ one: { amountSats: 1n, text: 'BTC' } })).toStrictEqual({
      one: { amount: '0.00000001', unit: 'BTC' },
    });
  });

  it('takes what no record has from where it is declared', () => {
    const inEuro = answerWith(price, { text: 'EUR' });
    expect(paginated(inEuro).schema.meta()?.id).toBe('TestPricePage');
    expect(inEuro.present({ amountSats: 1n })).toStrictEqual({ amount: '0.00000001', unit: 'EUR' });
  });

  it('extends another', () => {
    const more = unnamedAnswer(
      { ...price.shape, fee_rate: feeRate, hash: bytesOf(2) },
      (record: { text: string; amountSats: bigint }) => price.present(record),
    );
    expect(
      more.present({ amountSats: 1n, text: 'BTC', feeRate: 2500n as FeeRate, hash: Uint8Array.of(1, 2) }),
    ).toStrictEqual({
      amount: '0.00000001',
      unit: 'BTC',
      fee_rate: '2.5',
      hash: '0102',
    });
    expect(
      more.schema.safeParse({ amount: '0.00000001', unit: 'BTC', fee_rate: '2.5', hash: '01' }).error?.issues[0]?.path,
    ).toEqual(['hash']);
  });

  it('comes in pages, named after it', () => {
    const { schema, present } = paginated(price);
    const page = { total: 2, limit: 1, offset: 1, hasMore: false, nextCursor: null };
    expect(schema.meta()?.id).toBe('TestPricePage');
    expect(present({ data: [{ amountSats: 1n, text: 'BTC' }], ...page })).toStrictEqual({
      data: [{ amount: '0.00000001', unit: 'BTC' }],
      pagination: { total: 2, limit: 1, offset: 1, has_more: false, next_cursor: null },
    });
  });

  it('takes no name that is none, or that every object inherits', () => {
    for (const name of ['__proto__', 'constructor', '2fa', 'a-b', 'a"b'])
      expect(() => answer('TestName', Object.fromEntries([[name, z.string()]]))).toThrow(`called ${name}`);
  });

  it('presents the members of a record, and refuses what it does not look into where a codec stands there', () => {
    const sums = answer('TestSums', { sums: z.record(z.string(), amount) });
    expect(sums.present({ sums: { a: 150_000n } })).toEqual({ sums: { a: '0.00150000' } });
    for (const wrapped of [z.union([time, z.literal('never')]), time.default(0), time.readonly(), z.tuple([amount])])
      expect(() => answer('TestWrapped', { wrapped })).toThrow('does not encode the members of');
  });
});
