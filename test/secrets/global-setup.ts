/** Before all tests: a place for what they collect. After them: no secret may be in it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolders } from '../folders.ts';
import { COLLECTED_IN } from './collected.ts';
import { scan } from './scan.ts';

export default function collect(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'ashlar-collected-'));
  process.env[COLLECTED_IN] = folder;
  return () => {
    const { leaks, secrets, bytes } = scan(folder);
    process.stdout.write(`secrets: ${secrets} noted, ${(bytes / 1024).toFixed(0)} KiB of log and errors scanned\n`);
    if (leaks.length === 0) {
      rmSync(folder, { recursive: true, force: true });
      removeFolders();
      return;
    }
    const shown = leaks.slice(0, 20).map(({ kind, line }) => `  ${kind}: ${line}`);
    process.exitCode = 1;
    throw new Error(`${leaks.length} secrets in log lines or errors (all of them in ${folder}):\n${shown.join('\n')}`);
  };
}
