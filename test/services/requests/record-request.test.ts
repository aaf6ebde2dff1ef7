import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordRequest } from '../../../src/services/requests/record-request.ts';
import type { Store } from '../../../src/store/store.ts';
import { requestContext } from '../../builders/request-context.ts';
import { openTemporarySqlite } from '../../builders/stores.ts';

let store: Store;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ store, close } = await openTemporarySqlite());
});
afterAll(() => close());

const signedBy = (nonce: string, fingerprint: string) => {
  const signature = { keyId: 'key', algorithm: 'ed25519', nonce, createdAt: Date.now(), fingerprint };
  const facts = { ...requestContext().facts, signature: { ...signature, base: null, value: null } };
  return requestContext({ accountId: 'acc_signed', facts });
};
const record = (context: ReturnType<typeof requestContext>) =>
  store.write((tx) => recordRequest(tx, context, { result: null, target: null }));
const total = async () => (await store.read.audit.list('acc_signed', {}, { limit: 1, offset: 0 })).total;

describe('the record of a signed request', () => {
  it('says where it stands', async () => {
    const context = signedBy('first', 'one');
    await record(context);
    const { logId, recordId } = context.outcome.recorded!;
    expect((await store.read.audit.find({ logId, recordId }))?.outcome).toBe('done');
  });

  it('is not written for a nonce that was spent, by another request or, where no answer was kept, by the same bytes', async () => {
    const before = await total();
    for (const fingerprint of ['another', 'one']) {
      const context = signedBy('first', fingerprint);
      await expect(record(context)).rejects.toMatchObject({ code: 'nonce_reused' });
      expect(context.outcome.recorded).toBeNull();
    }
    expect(await total()).toBe(before);
  });
});
