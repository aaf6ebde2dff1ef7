import { expect, it } from 'vitest';
import { createEventRecords } from '../../src/app/event-records.ts';
import { DomainError, StoreUnavailable } from '../../src/core/errors.ts';
import { silent } from '../builders/stores.ts';

const get = (error: Error) => async () => {
  throw error;
};
const read = (error: Error) => {
  const one = { get: get(error) };
  const records = createEventRecords({ transactions: one, contracts: one, approvals: one, log: silent });
  return records['approval.get']!('apr_3mVb1k7Q2xYt9LpRw0Zc5A', {
    accountId: 'acc_one',
    role: 'viewer',
    scopes: ['*'],
  });
};

it('answers nothing for a record that is gone or damaged, and throws what another try may end', async () => {
  expect(await read(new DomainError('not_found', 'gone'))).toBeNull();
  expect(await read(new TypeError('damaged'))).toBeNull();
  await expect(read(new StoreUnavailable('away', { cause: null, retryAfterSeconds: 5 }))).rejects.toThrow('away');
});
