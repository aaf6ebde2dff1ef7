/**
 * The lines of an export (NDJSON), in this order for each log: one `log` with the signed head that the file ends at, its `anchor`s by size,
 * then each `record` in order of position; a `key` line stands before the first record that was signed by it.
 */
import type { PublicJwk } from '../request-signatures/signing-algorithm.ts';
import type { AnchorProof } from './anchor.ts';

export const EXPORT_FORMAT = 'ashlar-audit-1';

export interface LogLine {
  readonly type: 'log';
  readonly format: typeof EXPORT_FORMAT;
  readonly log: string;
  readonly size: number;
  /** Hex. */
  readonly root: string;
  /** Signed note of this head. */
  readonly note: string;
  /** Verifiers (`name+key id+key`) of the log's keys, the one that signed this head among them. */
  readonly verifiers: readonly string[];
}

export interface AnchorLine {
  readonly type: 'anchor';
  readonly size: number;
  readonly root: string;
  /** null while the transaction is in no block. */
  readonly proof: AnchorProof | null;
}

export interface KeyLine {
  readonly type: 'key';
  /** RFC 7638 thumbprint: what binds the key to the records that name it. */
  readonly key_id: string;
  readonly jwk: PublicJwk;
}

export interface RecordLine {
  readonly type: 'record';
  readonly position: number;
  readonly previous_hash: string;
  readonly hash: string;
  readonly entry: unknown;
}

export const SEGMENT_FORMAT = 'ashlar-audit-segment-1';

/** Begins a part of a log: its records follow, from `start` on, with the head that the log had at their end. */
export interface SegmentLine {
  readonly type: 'segment';
  readonly format: typeof SEGMENT_FORMAT;
  readonly log: string;
  readonly start: number;
  /** Records up to the end of this part. */
  readonly size: number;
  readonly root: string;
  readonly note: string;
  readonly verifiers: readonly string[];
  /** Hex hashes of the complete subtrees of the records before `start`, the largest first: with the records here they make `root`. */
  readonly before: readonly string[];
}

export type ExportLine = LogLine | AnchorLine | KeyLine | RecordLine | SegmentLine;

/** `entry` is put in as it is, byte by byte, and stands last. */
export const recordLine = (
  { position, previous_hash, hash }: Omit<RecordLine, 'type' | 'entry'>,
  entry: string,
): string =>
  `{"type":"record","position":${position},"previous_hash":"${previous_hash}","hash":"${hash}","entry":${entry}}\n`;

/** The entry's text in a record's line. */
export const entryText = (line: string): string => line.slice(line.indexOf('"entry":') + '"entry":'.length, -1);
