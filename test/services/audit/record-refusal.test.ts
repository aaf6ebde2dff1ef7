import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import { createRecordRefusal } from '../../../src/services/audit/record-refusal.ts';
import { recordRequest } from '../../../src/services/requests/record-request.ts';
import type { Store } from '../../../src/store/store.ts';
import { requestContext } from '../../builders/request-context.ts';
import { openTemporarySqlite, silent } from '../../builders/stores.ts';

let store: Store;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ store, close } = await openTemporarySqlite());
});
afterAll(() => close());

const outcomes = async (accountId: AccountId) =>
  (await store.read.audit.list(accountId, {}, { limit: 10, offset: 0 })).data.map(({ outcome }) => outcome);
const recording = () => {
  const deps = { store, log: silent, clock: Date.now };
  return createRecordRefusal(deps);
};
const done = { result: null, target: null };
const SIGNATURE = { keyId: 'k', algorithm: 'ed25519', nonce: 'n', createdAt: Date.now(), fingerprint: 'f' };

describe('a refusal of a request that was recorded as done', () => {
  it('is recorded where that record was undone, and not where it stands', async () => {
    const record = recording();
    const undone = requestContext({ accountId: 'acc_undone' });
    const failed = store.write(async (tx) => {
      await recordRequest(tx, undone, done);
      throw new Error('the commit failed');
    });
    await expect(failed).rejects.toThrow('the commit failed');
    await record(undone, 'unavailable');
    expect(await outcomes('acc_undone')).toEqual(['unavailable']);

    const standing = requestContext({ accountId: 'acc_standing' });
    await store.write((tx) => recordRequest(tx, standing, done));
    await record(standing, 'unavailable');
    expect(await outcomes('acc_standing')).toEqual(['done']);
  });

  it('spends the nonce of its signature', async () => {
    const record = recording();
    const facts = { ...requestContext().facts, signature: { ...SIGNATURE, base: null, value: null } };
    await record(requestContext({ facts }), 'forbidden');
    expect(await store.read.signatureNonces.find('k', 'n')).toBe('f');
  });

  it('ends quietly, and says so in the log, where nothing can be written', async () => {
    const said: unknown[] = [];
    let now = 0;
    let recorded = (): void => {};
    const away = {
      write: () => Promise.reject(new Error('the database is away')),
      onAudit: (listener: () => void) => {
        recorded = listener;
        return () => {};
      },
    };
    const log = { info: (what: unknown) => said.push(what), warn: (what: unknown) => said.push(what) };
    const record = createRecordRefusal({ store: away, log, clock: () => now });
    recorded();
    for (let refused = 0; refused < 3; refused++) await record(requestContext(), 'forbidden');
    expect(said).toEqual([expect.objectContaining({ part: 'audit log', err: new Error('the database is away') })]);
    now = 60_000;
    // Of another request: no refusal comes that would end it.
    recorded();
    recorded();
    expect(said.slice(1)).toEqual([{ part: 'audit log', unrecorded: 3, seconds: 60 }]);
  });
});
