import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

export interface LogRecord {
  readonly type: number;
  readonly payload: Buffer;
}

/**
 * An append-only file of checked records: length (4), CRC-32 of type and payload (4), type (1), payload. What a process that was killed
 * left half written at the end is dropped when the file is opened. Nothing is fsynced: this keeps what a process wrote, not what a machine
 * lost power over.
 */
export interface RecordLog {
  append(type: number, payload: Uint8Array): void;
  /** Replaces all records at once, through a second file and a rename. */
  rewrite(records: readonly { type: number; payload: Uint8Array }[]): void;
  /** Bytes written so far. */
  readonly size: number;
  close(): void;
}

const HEAD = 9;

/** Opens or creates the file; answers its whole records, and how many bytes of a torn end were dropped. */
export function openRecordLog(path: string): { log: RecordLog; records: LogRecord[]; droppedBytes: number } {
  mkdirSync(dirname(path), { recursive: true });
  let file = openSync(path, 'a+', 0o600);
  const bytes = readAll(file);
  const { records, end } = readRecords(bytes);
  if (end < bytes.length) ftruncateSync(file, end);
  let size = end;
  const log: RecordLog = {
    get size() {
      return size;
    },
    append(type, payload) {
      const record = encode(type, payload);
      try {
        writeAll(file, record);
      } catch (error) {
        // A full disk must not leave half a record for later ones to follow.
        ftruncateSync(file, size);
        throw error;
      }
      size += record.length;
    },
    rewrite(next) {
      const all = Buffer.concat(next.map(({ type, payload }) => encode(type, payload)));
      const fresh = openSync(`${path}.new`, 'w', 0o600);
      try {
        writeAll(fresh, all);
      } catch (error) {
        rmSync(`${path}.new`);
        throw error;
      } finally {
        closeSync(fresh);
      }
      renameSync(`${path}.new`, path);
      closeSync(file);
      file = openSync(path, 'a+', 0o600);
      size = all.length;
    },
    close: () => closeSync(file),
  };
  return { log, records, droppedBytes: bytes.length - end };
}

function encode(type: number, payload: Uint8Array): Buffer {
  const record = Buffer.allocUnsafe(HEAD + payload.length);
  record.writeUInt32LE(payload.length, 0);
  record.writeUInt8(type, 8);
  record.set(payload, HEAD);
  record.writeUInt32LE(crc32(record.subarray(8)), 4);
  return record;
}

function readRecords(bytes: Buffer): { records: LogRecord[]; end: number } {
  const records: LogRecord[] = [];
  let at = 0;
  while (at + HEAD <= bytes.length) {
    const end = at + HEAD + bytes.readUInt32LE(at);
    if (end > bytes.length || crc32(bytes.subarray(at + 8, end)) !== bytes.readUInt32LE(at + 4)) break;
    records.push({ type: bytes[at + 8] as number, payload: bytes.subarray(at + HEAD, end) });
    at = end;
  }
  return { records, end: at };
}

function readAll(file: number): Buffer {
  const bytes = Buffer.allocUnsafe(fstatSync(file).size);
  let at = 0;
  while (at < bytes.length) {
    const read = readSync(file, bytes, at, bytes.length - at, at);
    if (read === 0) break;
    at += read;
  }
  return bytes.subarray(0, at);
}

function writeAll(file: number, bytes: Buffer): void {
  let at = 0;
  while (at < bytes.length) at += writeSync(file, bytes, at, bytes.length - at);
}
