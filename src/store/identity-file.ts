/**
 * A small file outside of a database: it holds a name that the database knows, how many decisions the database holds at least, and the
 * second it was written in, which a plain copy changes. Beside a SQLite database it does not match a copy of that, nor a copy of both: which
 * files the two are (inode, time of birth) stands in the database.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  futimesSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.ts';

/** Written over in one go. */
const SIZE = 256;

export interface Witness {
  readonly nonce: string;
  readonly decisions: number;
}

export const identityPath = (databasePath: string): string => `${databasePath}.home`;

/** Durable when it returns. The file that is there stays the same file. */
export function writeIdentityFile(databasePath: string, { nonce, decisions }: Witness, now: number): void {
  const seconds = Math.floor(now / 1000);
  const text = JSON.stringify({ nonce, decisions, seconds });
  const path = identityPath(databasePath);
  makeFolder(dirname(path));
  const descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    writeSync(descriptor, Buffer.from(text.padEnd(SIZE - 1).concat('\n')), 0, SIZE, 0);
    futimesSync(descriptor, seconds, seconds);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  const directory = openSync(dirname(path), 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** null where it is missing or damaged, or something else wrote it last. */
export function readIdentityFile(databasePath: string): Witness | null {
  let descriptor: number;
  try {
    descriptor = openSync(identityPath(databasePath), 'r');
  } catch {
    return null;
  }
  try {
    const { nonce, decisions, seconds } = JSON.parse(readFileSync(descriptor, 'utf8')) as Record<string, unknown>;
    if (typeof nonce !== 'string' || typeof decisions !== 'number') return null;
    return Math.floor(fstatSync(descriptor).mtimeMs / 1000) === seconds ? { nonce, decisions } : null;
  } catch {
    return null;
  } finally {
    closeSync(descriptor);
  }
}

/** Which file this is, as the file system has it: a copy is another. Device numbers change with a mount and don't count. */
export function fileIdentity(path: string): string {
  const { ino, birthtimeNs } = statSync(path, { bigint: true });
  return `${ino} ${birthtimeNs}`;
}
