/** What is dear to make and the same for every test file of a run: made by whoever needs it first, in whichever process. */
import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SHARED } from '../folders.ts';

/**
 * The path of a file or folder that `make` has made at the path it is given. Null where no run says where to keep it (benches), so that
 * nothing is found that an earlier version made.
 */
export async function onceInARun(name: string, make: (path: string) => Promise<void>): Promise<string | null> {
  const folder = process.env[SHARED];
  if (folder === undefined) return null;
  const made = join(folder, name);
  if (existsSync(made)) return made;
  const draft = mkdtempSync(`${made}-`);
  chmodSync(draft, 0o711);
  await make(join(draft, name));
  try {
    renameSync(join(draft, name), made);
  } catch (error) {
    // Another process was quicker: its own stays.
    if (!existsSync(made)) throw error;
  }
  rmSync(draft, { recursive: true, force: true });
  return made;
}
