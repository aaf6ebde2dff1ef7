/** Checks an export, or segments of a log one after the other, line by line, with nothing but the file and, where one was pinned, the log's key. Memory does not grow with the file. */
import { hex } from '../bytes.ts';
import { FIRST_PREVIOUS_HASH, sealHash } from '../merkle/hash-chain.ts';
import { type NoteVerifier, noteKeyId, openNote, parseCheckpoint, parseVerifier } from '../merkle/signed-note.ts';
import { createGrowingTree, type GrowingTree, leafHash } from '../merkle/tree-hash.ts';
import { parsePublicJwk, thumbprintOf } from '../request-signatures/signing-algorithm.ts';
import { anchorProblem } from './anchor.ts';
import type { AuditEntry } from './audit-entry.ts';
import { canonicalJson } from './canonical-json.ts';
import {
  type AnchorLine,
  EXPORT_FORMAT,
  type ExportLine,
  entryText,
  type KeyLine,
  type LogLine,
  type RecordLine,
  SEGMENT_FORMAT,
  type SegmentLine,
} from './export-lines.ts';
import { type EvidenceKey, evidenceKey, evidenceProblem } from './request-evidence.ts';

/** The first thing that is wrong. */
export class ExportRefused extends Error {
  readonly position: number | null;
  readonly recordId: string | null;
  constructor(message: string, at: { position?: number | null; recordId?: string | null } = {}) {
    super(message);
    this.name = 'ExportRefused';
    this.position = at.position ?? null;
    this.recordId = at.recordId ?? null;
  }
}

export interface VerifiedLog {
  readonly log: string;
  size: number;
  root: string;
  /** Key id that signed the head, and whether that key was pinned. */
  keyId: string;
  pinned: boolean;
  /** Of segments that do not begin at the log's beginning: the first position. */
  readonly from?: number;
  signatures: number;
  /** Signed records whose key the file does not hold. */
  unknownKeys: number;
  /** Blocks that a head of this log is in, by the anchor's proof. */
  readonly anchors: { size: number; txid: string; blockHash: string }[];
}

interface OpenLog {
  header: LogLine;
  readonly isSegment: boolean;
  readonly result: VerifiedLog;
  readonly tree: GrowingTree;
  /** Those not reached yet, by size. */
  anchors: AnchorLine[];
  /** null: of the first record of a segment whose forerunner is not there. */
  previous: Uint8Array | null;
}

/** `pinned`: 32-byte public keys that may have signed the heads; empty: the file's own are believed. */
export function createExportVerifier(pinned: readonly Uint8Array[]) {
  const done: VerifiedLog[] = [];
  const keys = new Map<string, EvidenceKey>();
  let open: OpenLog | null = null;

  function begin(header: LogLine, segment: SegmentLine | null = null): void {
    if (header.format !== EXPORT_FORMAT)
      throw new ExportRefused(`the format ${String(header.format)} is not known here`);
    const start = segment?.start ?? 0;
    const signer = signerOf(header, pinned);
    const result: VerifiedLog = {
      log: header.log,
      size: header.size,
      root: header.root,
      keyId: noteKeyId(signer.verifier),
      pinned: signer.pinned,
      ...(start > 0 && { from: start }),
      signatures: 0,
      unknownKeys: 0,
      anchors: [],
    };
    const tree = segment === null ? createGrowingTree() : treeBefore(segment);
    const previous = start > 0 ? null : FIRST_PREVIOUS_HASH;
    open = { header, isSegment: segment !== null, result, tree, anchors: [], previous };
    checkAnchors(open);
  }

  /** The segment that follows the one before, or stands alone. */
  function beginSegment(segment: SegmentLine): void {
    const { log, size, root, note, verifiers } = segment;
    if (segment.format !== SEGMENT_FORMAT)
      throw new ExportRefused(`the format ${String(segment.format)} is not known here`);
    const header: LogLine = { type: 'log', format: EXPORT_FORMAT, log, size, root, note, verifiers };
    const follows = open?.isSegment === true && open.header.log === log && open.header.size === segment.start;
    if (open === null || !follows) {
      finish();
      begin(header, segment);
      return;
    }
    assertWhole(open);
    const signer = signerOf(header, pinned);
    open.header = header;
    Object.assign(open.result, { size, root, keyId: noteKeyId(signer.verifier), pinned: signer.pinned });
  }

  function assertWhole({ header, tree, anchors }: OpenLog): void {
    if (tree.size < header.size) {
      throw new ExportRefused(
        tree.size === 0
          ? `no record of the log ${header.log} is there, and its signed head covers ${header.size}`
          : `the log ${header.log} ends after position ${tree.size - 1}, and its signed head covers ${header.size} records`,
        { position: tree.size },
      );
    }
    if (tree.root().toString('hex') !== header.root) {
      throw new ExportRefused(
        `the ${tree.size} records of the log ${header.log} do not make the root that its head was signed with: it was rewritten`,
      );
    }
    if (anchors.length > 0) throw new ExportRefused(`an anchor of the log ${header.log} is larger than its head`);
  }

  function finish(): void {
    if (open === null) return;
    assertWhole(open);
    done.push(open.result);
    open = null;
  }

  function take(line: string): void {
    const parsed = parse(line);
    if (parsed.type === 'log') {
      finish();
      begin(parsed);
    } else if (parsed.type === 'segment') {
      beginSegment(parsed);
    } else if (parsed.type === 'key') {
      addKey(parsed, keys);
    } else if (open === null) {
      throw new ExportRefused('the file does not begin with the line of a log');
    } else {
      if (parsed.type === 'record') addRecord(open, parsed, line, keys);
      else open.anchors = [...open.anchors, parsed].sort((a, b) => a.size - b.size);
      checkAnchors(open);
    }
  }

  return {
    /** One line, without its line break. Throws ExportRefused. */
    take,
    /** What was verified. Throws ExportRefused where the file ends too early. */
    end() {
      finish();
      if (done.length === 0) throw new ExportRefused('the file holds no log');
      return done;
    },
  };
}

const TYPES = ['log', 'segment', 'anchor', 'key', 'record'] as const satisfies ExportLine['type'][];

function parse(line: string): ExportLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new ExportRefused('the line is not JSON');
  }
  const type = (value as { type?: unknown } | null)?.type;
  if (TYPES.includes(type as never)) return value as ExportLine;
  throw new ExportRefused('the line is neither log, segment, anchor, key nor record');
}

/** Which key signed the head. Throws where none of those that count did, or the note says something else than the line. */
export function signerOf(header: LogLine, pinned: readonly Uint8Array[]): { verifier: NoteVerifier; pinned: boolean } {
  const offered = (Array.isArray(header.verifiers) ? header.verifiers : []).flatMap(
    (text) => parseVerifier(text) ?? [],
  );
  const name = String(header.note).split('\n', 1)[0] ?? '';
  const candidates = pinned.length > 0 ? pinned.map((publicKey) => ({ name, publicKey })) : offered;
  for (const verifier of candidates) {
    const text = openNote(String(header.note), verifier);
    if (text === null) continue;
    const head = parseCheckpoint(text);
    const same =
      head?.size === header.size &&
      hex(head.root) === header.root &&
      head.origin === verifier.name &&
      head.origin.endsWith(`/${header.log}`);
    if (!same) throw new ExportRefused(`the head of the log ${header.log} is not the one that was signed`);
    return { verifier, pinned: pinned.length > 0 };
  }
  throw new ExportRefused(
    pinned.length > 0
      ? `the head of the log ${header.log} is not signed by the key given`
      : `the head of the log ${header.log} has no signature that holds`,
  );
}

function addKey(line: KeyLine, keys: Map<string, EvidenceKey>): void {
  let jwk: EvidenceKey['jwk'];
  try {
    jwk = parsePublicJwk(line.jwk);
  } catch {
    throw new ExportRefused(`the key ${line.key_id} is no public key`);
  }
  if (thumbprintOf(jwk) !== line.key_id) throw new ExportRefused(`the key ${line.key_id} has another thumbprint`);
  keys.set(line.key_id, evidenceKey(jwk));
}

function addRecord(open: OpenLog, record: RecordLine, line: string, keys: Map<string, EvidenceKey>): void {
  const { header, tree, result } = open;
  const entry = record.entry as AuditEntry | null;
  const position = tree.size;
  const recordId = typeof entry?.id === 'string' ? entry.id : null;
  const refuse = (problem: string): ExportRefused => new ExportRefused(problem, { position, recordId });

  if (record.position !== position) throw refuse(`position ${position} is missing: ${record.position} stands there`);
  if (position >= header.size) throw refuse(`the signed head covers ${header.size} records, and this is one more`);
  const text = entryText(line);
  const leaf = leafHash(Buffer.from(text));
  const previous = open.previous ?? previousOf(record, refuse);
  const hash = sealHash(previous, leaf).toString('hex');
  if (record.previous_hash !== hex(previous)) {
    throw refuse('it does not follow the record before it');
  }
  if (record.hash !== hash) throw refuse('it was changed: its hash is not that of its entry');
  if (entry === null || canonicalJson(entry) !== text) throw refuse('its entry is not in canonical form');
  if (entry.log !== header.log) throw refuse(`it belongs to the log ${entry.log}`);
  if (entry.signature?.base != null) {
    const key = keys.get(entry.signature.key_id);
    const problem = key === undefined ? null : evidenceProblem(entry, key);
    if (problem !== null) throw refuse(problem);
    if (key === undefined) result.unknownKeys++;
    else result.signatures++;
  }
  open.previous = Buffer.from(hash, 'hex');
  tree.append(leaf);
}

/** Not shown to be right by itself: the root is, which the record's leaf is under. */
function previousOf({ previous_hash: text }: RecordLine, refuse: (problem: string) => ExportRefused): Uint8Array {
  if (!HASH.test(String(text))) throw refuse('it does not follow a record');
  return Buffer.from(text, 'hex');
}

const HASH = /^[0-9a-f]{64}$/;

/** What the records before a segment come to. */
function treeBefore({ log, start, before }: SegmentLine): GrowingTree {
  const hashes = Array.isArray(before) ? before.filter((text) => HASH.test(String(text))) : [];
  if (!Number.isSafeInteger(start) || start < 0 || hashes.length !== bitsOf(start))
    throw new ExportRefused(`a segment of the log ${log} does not say what it follows`);
  return createGrowingTree({ size: start, subtrees: hashes.map((text) => Buffer.from(text, 'hex')) });
}

const bitsOf = (size: number): number => size.toString(2).replaceAll('0', '').length;

/** Those whose size the tree has reached. */
function checkAnchors({ tree, anchors, result, header }: OpenLog): void {
  for (let anchor = anchors[0]; anchor !== undefined && anchor.size <= tree.size; anchor = anchors[0]) {
    anchors.shift();
    const root = tree.root();
    const named = `the anchor of ${anchor.size} records of the log ${header.log}`;
    if (anchor.size !== tree.size || root.toString('hex') !== anchor.root) {
      throw new ExportRefused(`${named} has another root than those records: they were rewritten`);
    }
    if (anchor.proof === null) continue;
    const problem = anchorProblem({ size: anchor.size, root }, anchor.proof);
    if (problem !== null) throw new ExportRefused(`${named} does not hold: ${problem}`);
    result.anchors.push({ size: anchor.size, txid: anchor.proof.txid, blockHash: anchor.proof.block_hash });
  }
}
