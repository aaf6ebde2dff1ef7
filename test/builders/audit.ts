/** Audit records and the check of a log as the database holds it. */
import type { AccountId } from '../../src/core/ids.ts';
import { FIRST_PREVIOUS_HASH, sealHash } from '../../src/core/merkle/hash-chain.ts';
import { leafHash } from '../../src/core/merkle/tree-hash.ts';
import type { Worker } from '../../src/scheduling/worker.ts';
import { appendAudit } from '../../src/services/audit/append-audit.ts';
import { createLogKeys } from '../../src/services/audit/log-keys.ts';
import { createSealer } from '../../src/services/audit/sealer.ts';
import { createTreeHeads } from '../../src/services/audit/tree-heads.ts';
import { NO_ACCOUNT } from '../../src/services/requests/request-context.ts';
import { createLocalKeyProvider } from '../../src/services/secrets/local-key-provider.ts';
import type { AuditRecord, AuditSeal } from '../../src/store/repositories/audit-pages.ts';
import type { Repositories, Store } from '../../src/store/store.ts';
import { requestContext } from './request-context.ts';
import { silent } from './stores.ts';

/** Appends a record of `operation` to the log of an account, or to the service's. */
export const append = (
  tx: Pick<Repositories, 'audit'>,
  operation: string,
  accountId: AccountId = 'acc_one',
  outcome = 'done',
) =>
  appendAudit(
    tx,
    requestContext({
      accountId,
      facts: { ...requestContext().facts, operation },
      ...(accountId === NO_ACCOUNT ? { credential: { id: '' } } : {}),
    }),
    { outcome, target: `wal_${operation}` },
  );

const randomBytes = (size: number) => new Uint8Array(size).fill(7);

export function auditParts(store: Store) {
  const provider = createLocalKeyProvider({ masterKey: Buffer.alloc(32, 1), randomBytes });
  const keys = createLogKeys({ store, provider, randomBytes, clock: Date.now });
  const heads = createTreeHeads({ store, keys, clock: Date.now });
  return { keys, heads };
}

export function testSealer(store: Store): Worker {
  const { heads } = auditParts(store);
  return createSealer({ store, signHeads: () => heads.signAll(), clock: Date.now, log: silent, gatherMs: 1 });
}

/** Waits until nothing is left without seal. */
export async function sealed(store: Store): Promise<void> {
  while ((await store.read.audit.unsealed(null, 1)).records.length > 0) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** All sealed records of a log, by position. Throws where positions, chain or leaves do not hold. */
export async function checkedLog(store: Store, logId = 'acc_one'): Promise<(AuditRecord & { seal: AuditSeal })[]> {
  const all: (AuditRecord & { seal: AuditSeal })[] = [];
  for (let page = [...(await store.read.audit.sealedFrom(logId, 0, 100))]; page.length > 0; ) {
    all.push(...page);
    page = await store.read.audit.sealedFrom(logId, all.length, 100);
  }
  let previous: Uint8Array = FIRST_PREVIOUS_HASH;
  for (const [position, { seal, entry, recordId }] of all.entries()) {
    const leaf = leafHash(Buffer.from(entry));
    const holds =
      seal.position === position &&
      Buffer.compare(seal.previousHash, previous) === 0 &&
      Buffer.compare(seal.leafHash, leaf) === 0 &&
      Buffer.compare(seal.hash, sealHash(previous, leaf)) === 0 &&
      (JSON.parse(entry) as { id: string }).id === recordId;
    if (!holds) throw new Error(`the seal at position ${position} of ${logId} does not hold`);
    previous = seal.hash;
  }
  return all;
}
