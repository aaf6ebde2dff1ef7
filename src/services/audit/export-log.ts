import { EXPORT_FORMAT, type ExportLine, recordLine } from '../../core/audit-log/export-lines.ts';
import { hex } from '../../core/bytes.ts';
import type { AccountId } from '../../core/ids.ts';
import { createYielder } from '../../scheduling/yielder.ts';
import type { AuditRecord, AuditSeal } from '../../store/repositories/audit-pages.ts';
import type { Repositories, Store } from '../../store/store.ts';
import type { AnchorProofs } from './anchor-proofs.ts';
import { logKeyViews } from './audit-log-keys.ts';
import type { LogKeys } from './log-keys.ts';
import type { TreeHeads } from './tree-heads.ts';

/** Lines per piece: what is in memory at once. */
const PAGE = 500;
/** `"key_id":"…"` in an entry: cheaper than parsing it. */
const KEY_ID = /"key_id":"([\w-]{43})"/;

/** A whole log up to a head signed now (core/audit-log/export-lines.ts says what the lines are). */
export type ExportLog = (logId: string) => AsyncIterable<string>;

const lineOf = (line: ExportLine): string => `${JSON.stringify(line)}\n`;

type SealedRow = AuditRecord & { readonly seal: AuditSeal };

/** A record's line, behind that of the key that signed it where `shown` has not got it yet. */
export async function linesOfRecord(
  read: Pick<Repositories, 'signingKeys'>,
  { logId, entry, seal: { position, previousHash, hash } }: SealedRow,
  shown: Set<string>,
): Promise<string> {
  const line = recordLine({ position, previous_hash: hex(previousHash), hash: hex(hash) }, entry);
  const keyId = KEY_ID.exec(entry)?.[1];
  if (keyId === undefined || shown.has(keyId)) return line;
  shown.add(keyId);
  const key = await read.signingKeys.find(logId as AccountId, keyId);
  return key === null ? line : lineOf({ type: 'key', key_id: keyId, jwk: key.publicJwk }) + line;
}

export function createExportLog(deps: {
  store: Store;
  heads: TreeHeads;
  keys: LogKeys;
  anchorProofs: AnchorProofs;
}): ExportLog {
  const { store, heads, keys, anchorProofs } = deps;
  const { read } = store;

  async function* opening(logId: string, size: number, head: { root: Uint8Array; note: string }) {
    yield lineOf({
      type: 'log',
      format: EXPORT_FORMAT,
      log: logId,
      size,
      root: hex(head.root),
      note: head.note,
      verifiers: (await logKeyViews(keys, logId)).map(({ verifier }) => verifier),
    });
    const anchors = (await anchorProofs.all(logId)).filter((anchor) => anchor.size <= size);
    for (const { size: covered, root, proof } of anchors) {
      yield lineOf({ type: 'anchor', size: covered, root: hex(root), proof });
    }
  }

  async function piece(page: readonly SealedRow[], shown: Set<string>, pause: () => Promise<unknown>): Promise<string> {
    let text = '';
    for (const row of page) {
      await pause();
      text += await linesOfRecord(read, row, shown);
    }
    return text;
  }

  return async function* (logId) {
    const pause = createYielder();
    const head = await heads.fresh(logId);
    yield* opening(logId, head.size, head);
    const shown = new Set<string>();
    for (let position = 0; position < head.size; ) {
      const page = await read.audit.sealedFrom(logId, position, Math.min(PAGE, head.size - position));
      if (page.length === 0) throw new Error(`the audit log ${logId} has no position ${position}`);
      yield await piece(page, shown, pause);
      position += page.length;
    }
  };
}
