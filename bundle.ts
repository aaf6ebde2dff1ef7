/**
 * `node bundle.ts [folder]`: writes what runs, with what it imports, as a few files into dist. Most of a start from one file per module was
 * finding, compiling and linking two thousand of them, and the worker threads do it again.
 */
import { renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const src = (file: string): string => fileURLToPath(new URL(`src/${file}`, import.meta.url));

/** Find files of their own beside them: addons, WebAssembly, fonts, pages; or are not there (pg's). */
const APART = /^(secp256k1|tiny-secp256k1|zeromq|pdfkit|@scalar\/fastify-api-reference|pg-native)$/;

/** All lie beside each other in `folder`, which is replaced when they are whole: a file there looks for another as it does among the sources. */
export async function bundle(folder: string): Promise<void> {
  const made = `${folder}.new`;
  rmSync(made, { recursive: true, force: true });
  const bundled = await rolldown({
    input: { main: src('main.ts'), cli: src('cli.ts'), 'job-worker': src('app/job-worker.ts') },
    platform: 'node',
    external: APART,
  });
  await bundled.write({
    dir: made,
    format: 'esm',
    chunkFileNames: '[name].js',
    // Apart from what is ours, which faults name (src/hooks/refusals/internal-fault.ts). Lines and names stay as they are, for stacks: a
    // source map would take 60 MiB of every process's memory.
    codeSplitting: { groups: [{ name: 'libraries', test: /node_modules/, entriesAware: true }] },
    comments: { legal: false, annotation: false, jsdoc: false },
  });
  await bundled.close();
  rmSync(folder, { recursive: true, force: true });
  renameSync(made, folder);
}

if (import.meta.main) await bundle(process.argv[2] ?? fileURLToPath(new URL('dist', import.meta.url)));
