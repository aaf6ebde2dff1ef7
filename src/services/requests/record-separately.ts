import type { Store } from '../../store/store.ts';
import { recordRequest } from './record-request.ts';
import type { RequestContext } from './request-context.ts';

/** Records, in a job of its own, a modifying request that its operation ended without recording: no operation can forget to. */
export type RecordSeparately = (context: RequestContext, result: unknown) => Promise<void>;

export const createRecordSeparately =
  ({ store }: { store: Pick<Store, 'write'> }): RecordSeparately =>
  (context, result) =>
    store.write((tx) => recordRequest(tx, context, { result, target: null }));
