import type { Store } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { appendAudit } from './append-audit.ts';

/** Of data of people: that they are read is in the audit log before they are answered. */
export async function recordRead(
  { write }: Pick<Store, 'write'>,
  context: RequestContext,
  target: string,
): Promise<void> {
  if (!context.auditsReads) throw new Error(`${context.facts.operation} does not declare that its reads are audited`);
  await write((tx) => appendAudit(tx, context, { outcome: 'done', target }));
}
