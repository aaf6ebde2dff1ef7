/** Signed tree heads: what a log was at one moment, bound by the service's signature. */
import { hex } from '../../core/bytes.ts';
import type { UpdateData } from '../../core/events/channels.ts';
import type { AccountId } from '../../core/ids.ts';
import { checkpointText, noteKeyId, signNote } from '../../core/merkle/signed-note.ts';
import type { AuditHead } from '../../store/repositories/audit.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { SERVICE_LOG } from './audit-entry.ts';
import type { LogKeys } from './log-keys.ts';
import { rootAt } from './tree.ts';

export function createTreeHeads(deps: { store: Store; keys: LogKeys; clock: () => number }) {
  const { store, keys, clock } = deps;
  const { read } = store;

  async function keyOf(logId: string) {
    const { publicKey, sign } = await keys.current();
    const verifier = { name: `${await keys.origin()}/${logId}`, publicKey };
    return { verifier, sign, keyId: noteKeyId(verifier) };
  }

  async function fresh(logId: string): Promise<AuditHead> {
    const { keyId } = await keyOf(logId);
    const [last, seal] = await Promise.all([read.audit.lastHead(logId), read.audit.lastSeal(logId)]);
    const size = seal === null ? 0 : seal.position + 1;
    return last !== null && last.size === size && last.keyId === keyId ? last : at(logId, size);
  }

  /** Of the first `size` records. */
  async function at(logId: string, size: number): Promise<AuditHead> {
    const { verifier, sign, keyId } = await keyOf(logId);
    const known = await read.audit.findHead(logId, size, keyId);
    if (known !== null) return known;
    const root = await rootAt(read, logId, size);
    const note = signNote(checkpointText({ origin: verifier.name, size, root }), verifier, sign);
    const head = { logId, size, keyId, root, time: clock(), note };
    await store.write(async (tx) => {
      if (await tx.audit.insertHead(head)) await tellCheckpoint(tx, head);
    });
    return head;
  }

  return {
    /** The head that the log had at this size, signed by the present key: always the same note. Throws where the log is shorter. */
    at,
    /** A head of all that is sealed now, signed by the present key: the last one where the log has not grown since. */
    fresh,
    /** The oldest head under the present key that covers the position; signed now where none does. */
    async covering(logId: string, position: number) {
      const { keyId } = await keyOf(logId);
      return (await read.audit.headCovering(logId, position, keyId)) ?? fresh(logId);
    },
    /** A head of every log that has grown since its last. */
    async signAll() {
      const accounts = await read.accounts.list();
      for (const logId of [SERVICE_LOG, ...accounts.map((account) => account.accountId)]) {
        const [head, seal] = await Promise.all([read.audit.lastHead(logId), read.audit.lastSeal(logId)]);
        if (seal !== null && (head === null || head.size <= seal.position)) await fresh(logId);
      }
    },
  };
}

/** The service's own log is nobody's to be told of. */
async function tellCheckpoint(tx: Pick<Repositories, 'events'>, { logId, size, root, note }: AuditHead): Promise<void> {
  if (logId === SERVICE_LOG) return;
  const data: UpdateData['audit'] = { size, root: hex(root), note };
  await tx.events.append({ accountId: logId as AccountId, channel: 'audit', ref: logId, data });
}

export type TreeHeads = ReturnType<typeof createTreeHeads>;
