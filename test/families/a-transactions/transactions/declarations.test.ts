import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { feeOperations } from '../../../../src/families/a-transactions/fees/index.ts';
import { transactionOperations } from '../../../../src/families/a-transactions/transactions/index.ts';

const operations = [
  ...transactionOperations({ transactions: {} as never, chooseFeeRate: async () => 1n as never }),
  ...feeOperations({ fees: {} as never }),
];

describe('transaction and fee operations', () => {
  it.each(
    operations.map((operation) => [operation.id, operation] as const),
  )('%s has examples that its schemas take', (_, operation) => {
    const { example, params, query, body, success } = operation;
    if (example?.params) expect(params.safeParse(example.params).error).toBeUndefined();
    if (example?.query) expect(query.safeParse(example.query).error).toBeUndefined();
    if (example?.body) expect(body.safeParse(example.body).error).toBeUndefined();
    expect(example?.response).toBeDefined();
    const strict = success.schema instanceof z.ZodObject ? success.schema.strict() : success.schema;
    expect(strict.safeParse(example?.response).error).toBeUndefined();
  });

  it('that change state take an Idempotency-Key and need an operator', () => {
    for (const operation of operations) {
      const writes = operation.method !== 'GET';
      expect(operation.effect).toBe(writes ? 'write' : 'read');
      expect(operation.idempotent).toBe(writes);
      expect(operation.access).toMatchObject({ role: writes ? 'operator' : 'viewer' });
    }
  });
});
