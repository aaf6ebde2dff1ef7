/**
 * Verifies a log as the database holds it: each record against its seal, the seals against one another, and the tree they make against the
 * heads that were signed. It goes through a log a page at a time and begins anew each day: what was changed later is found then.
 */
import type { AuditEntry } from '../../core/audit-log/audit-entry.ts';
import { hex } from '../../core/bytes.ts';
import { FIRST_PREVIOUS_HASH, sealHash } from '../../core/merkle/hash-chain.ts';
import { checkpointText, openNote } from '../../core/merkle/signed-note.ts';
import { createGrowingTree, type GrowingTree, leafHash } from '../../core/merkle/tree-hash.ts';
import { createYielder } from '../../scheduling/yielder.ts';
import type { AuditHead } from '../../store/repositories/audit.ts';
import type { AuditSeal, SealedAuditRecord } from '../../store/repositories/audit-pages.ts';
import type { AuditWalk } from '../../store/repositories/audit-walks.ts';
import type { Store } from '../../store/store.ts';
import type { LogKeys } from './log-keys.ts';

/** Read at once, and written as one step. */
const PAGE = 200;
const WALK_EVERY_MS = 86_400_000;
const HASH_BYTES = 32;

/** Goes on with the log for at most `most` records. Answers the walk as it stands, and how many it went through. */
export type WalkLog = (
  logId: string,
  most: number,
  signal: AbortSignal,
) => Promise<{ walk: AuditWalk; records: number; isAtEnd: boolean; found: boolean }>;

type Sealed = SealedAuditRecord & { readonly seal: AuditSeal };

class Mismatch extends Error {
  readonly position: number;
  constructor(position: number, problem: string) {
    super(problem);
    this.position = position;
  }
}

export function createWalkLog({ store, keys, clock }: { store: Store; keys: LogKeys; clock: () => number }): WalkLog {
  const { read } = store;
  const fresh = { size: 0, lastHash: FIRST_PREVIOUS_HASH, subtrees: new Uint8Array() };
  const none = { verifiedSize: 0, verifiedAt: null, problem: null, problemPosition: null, problemAt: null };

  /** Heads are signed by the keys of the service, old ones by old keys. */
  async function checkHead(tree: GrowingTree, { logId, size, root, note }: AuditHead): Promise<void> {
    if (!tree.root().equals(root))
      throw new Mismatch(size - 1, `the ${size} records up to here do not make the root that was signed`);
    const name = `${await keys.origin()}/${logId}`;
    const text = checkpointText({ origin: name, size, root });
    const signed = (await keys.list()).some(({ publicKey }) => openNote(note, { name, publicKey }) === text);
    if (!signed) throw new Mismatch(size - 1, `the head of ${size} records is not signed by a key of this service`);
  }

  async function page(walk: AuditWalk, limit: number): Promise<AuditWalk> {
    const { logId, size: start } = walk;
    const tree = createGrowingTree({ size: start, subtrees: parted(walk.subtrees) });
    const records = await read.audit.sealedFrom(logId, start, limit);
    const heads = await read.audit.headsBetween(logId, start, start + records.length);
    const pause = createYielder();
    let last: Uint8Array = walk.lastHash;
    let next = 0;
    for (const record of records) {
      const problem = problemOf(record, tree.size, last);
      if (problem !== null) throw new Mismatch(tree.size, problem);
      tree.append(record.seal.leafHash);
      last = record.seal.hash;
      for (let head = heads[next]; head?.size === tree.size; head = heads[++next]) await checkHead(tree, head);
      await pause();
    }
    if (records.length === 0) throw new Mismatch(start, 'its seal is there, and it is not');
    return { ...walk, size: tree.size, lastHash: last, subtrees: Buffer.concat(tree.subtrees()) };
  }

  /** The head first: whatever is sealed meanwhile only adds to what it covers. */
  async function endOf(logId: string, verifiedSize: number): Promise<number> {
    const head = await read.audit.lastHead(logId);
    const seal = await read.audit.lastSeal(logId);
    const end = seal === null ? 0 : seal.position + 1;
    if (head !== null && head.size > end)
      throw new Mismatch(end, `a signed head covers ${head.size} records, and only ${end} are there`);
    if (verifiedSize > end)
      throw new Mismatch(end, `${verifiedSize} records were there before, and only ${end} are now`);
    return end;
  }

  async function goOn(begun: AuditWalk, most: number, signal: AbortSignal) {
    let walk = begun;
    let records = 0;
    const put = () => store.write((tx) => tx.auditWalks.put(walk));
    const end = await endOf(walk.logId, walk.verifiedSize);
    while (walk.size < end && records < most && !signal.aborted) {
      const before = walk.size;
      walk = await page(walk, Math.min(PAGE, end - walk.size));
      records += walk.size - before;
      if (walk.size >= end) walk = { ...walk, ...none, verifiedSize: end, verifiedAt: clock() };
      await put();
    }
    return { walk, records, isAtEnd: walk.size >= end, found: false };
  }

  return async (logId, most, signal) => {
    const now = clock();
    const known = await read.auditWalks.find(logId);
    const isStuck = known?.problemAt != null && known.problemAt >= known.beganAt;
    const isDue = known !== null && now - known.beganAt >= WALK_EVERY_MS;
    const isOver = known !== null && (isStuck || (known.verifiedAt ?? -1) >= known.beganAt);
    const begun =
      known === null
        ? { logId, ...fresh, ...none, beganAt: now }
        : isDue && isOver
          ? { ...known, ...fresh, beganAt: now }
          : known;
    if (begun === known && isStuck) return { walk: known, records: 0, isAtEnd: true, found: false };
    try {
      return await goOn(begun, most, signal);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      const { message: problem, position: problemPosition } = error;
      // Gone on from here it would say the same of all that follows: it is looked at again with the next walk.
      const walk = { ...begun, problem, problemPosition, problemAt: now };
      await store.write((tx) => tx.auditWalks.put(walk));
      return { walk, records: 0, isAtEnd: true, found: true };
    }
  };
}

function parted(subtrees: Uint8Array): Uint8Array[] {
  const count = subtrees.length / HASH_BYTES;
  return Array.from({ length: count }, (_, at) => subtrees.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
}

/** null: the record is what was sealed, in its place, and what lists show of it is what it says. */
function problemOf({ seal, entry: text, ...record }: Sealed, position: number, previous: Uint8Array): string | null {
  if (seal.position !== position) return `position ${position} is missing: ${seal.position} stands there`;
  const leaf = leafHash(Buffer.from(text));
  if (!leaf.equals(seal.leafHash)) return 'it was changed: its hash is not that of its entry';
  if (hex(seal.previousHash) !== hex(previous)) return 'it does not follow the record before it';
  if (!sealHash(previous, leaf).equals(seal.hash)) return 'its seal is not that of its entry';
  let entry: AuditEntry;
  try {
    entry = JSON.parse(text) as AuditEntry;
  } catch {
    return 'its entry is not JSON';
  }
  const said = [entry.id, entry.log, entry.account, Date.parse(entry.time), entry.operation, entry.target];
  const shown = [record.recordId, record.logId, record.accountId, record.time, record.operation, record.target];
  const [by, shownBy] = [entry.credential, [record.credentialKind, record.credentialId]];
  said.push(entry.outcome, by?.kind ?? null, by?.id ?? null);
  shown.push(record.outcome, ...shownBy);
  return said.every((value, at) => value === shown[at]) ? null : 'what lists show of it is not what its entry says';
}
