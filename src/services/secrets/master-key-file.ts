/** The master key's file: 32 bytes (or 64 hex digits), readable by its owner alone. */
import { link, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { KEY_BYTES } from './authenticated-encryption.ts';

/** null where there is no such file. Throws, saying what would be right, on a file others can read or of another form. */
export async function readMasterKey(path: string): Promise<Buffer | null> {
  let content: Buffer;
  try {
    const { mode } = await stat(path);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new Error(
        `the master key file ${path} can be read by others (mode ${(mode & 0o777).toString(8)}): run chmod 600 ${path}`,
      );
    }
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
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(key);
    await file.sync();
  } finally {
    await file.close();
    key.fill(0);
  }
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
