/** The master key's file: 32 bytes (or 64 hex digits), readable by its owner alone (or as Kubernetes mounts it: root's, and its group's). */
import { link, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { KEY_BYTES } from './authenticated-encryption.ts';
import { refuseReadableByOthers } from './private-file.ts';

/** null where there is no such file. Throws, saying what would be right, on a file others can read or of another form. */
export async function readMasterKey(path: string): Promise<Buffer | null> {
  let content: Buffer;
  try {
    await refuseReadableByOthers('the master key file', path);
    content = await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  if (content.length === KEY_BYTES) return content;
  const text = content.toString('latin1').trim();
  content.fill(0);
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex');
  throw new Error(`the master key file ${path} must hold ${KEY_BYTES} bytes or ${KEY_BYTES * 2} hex digits`);
}

/** Makes the file, complete or not at all; where another process was first, its key stands. Answers the key that is in the file. */
export async function makeMasterKey(path: string, randomBytes: (size: number) => Uint8Array): Promise<Buffer> {
  const draft = `${path}.${Buffer.from(randomBytes(8)).toString('hex')}.new`;
  const key = randomBytes(KEY_BYTES);
  await writeNew(draft, key);
  key.fill(0);
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  await syncDirectory(dirname(path));
  const standing = await readMasterKey(path);
  if (!standing) throw new Error(`the master key file ${path} could not be made`);
  return standing;
}

const draftOf = (path: string): string => `${path}.next`;

/** The key that is to take the place of the one in the file: on disk beside it when this returns. The caller overwrites the answer. */
export async function draftMasterKey(path: string, randomBytes: (size: number) => Uint8Array): Promise<Uint8Array> {
  const key = randomBytes(KEY_BYTES);
  // Under this name it is whole or not there.
  await writeNew(`${draftOf(path)}.new`, key);
  await rename(`${draftOf(path)}.new`, draftOf(path));
  await syncDirectory(dirname(path));
  return key;
}

export const readDraft = (path: string): Promise<Buffer | null> => readMasterKey(draftOf(path));

/** Forgets a draft that never took place. */
export async function dropDraft(path: string): Promise<void> {
  await rm(`${draftOf(path)}.new`, { force: true });
  await rm(draftOf(path), { force: true });
}

/** Gives the draft the file's name. Nothing where another process was first. */
export async function adoptDraft(path: string): Promise<void> {
  try {
    await rename(draftOf(path), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await syncDirectory(dirname(path));
}

/** What linking beside a file says where that is mounted by itself, its folder is read-only, or another user's. */
const NOT_REPLACEABLE = ['EXDEV', 'EROFS', 'EACCES', 'EPERM'];

/**
 * Keeps the present key under another name too: backups of the database that were made with it open with no other. Answers the name.
 * Throws an Error where the file cannot be replaced in its folder.
 */
export async function keepFormer(path: string, keyId: string): Promise<string> {
  const former = `${path}.${keyId}`;
  try {
    await link(path, former);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (NOT_REPLACEABLE.includes(code)) {
      throw new Error(
        `the master key file ${path} cannot be replaced where it is (${code}): it is mounted, or its folder is read-only. ` +
          'Mount a second file of 32 random bytes, run master-key rotate --to THAT_FILE, then set MASTER_KEY_FILE to it',
      );
    }
    if (code !== 'EEXIST') throw error;
  }
  return former;
}

async function writeNew(path: string, key: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(key);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The name must be as durable as the bytes: secrets wrapped with a lost key are lost. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
