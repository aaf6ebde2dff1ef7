/**
 * The service as one file, the same code by the same bundler that the tests run under: of a start from its sources most is finding and
 * linking a thousand modules, and a series of crashes starts it hundreds of times.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const MAIN = new URL('../../../src/main.ts', import.meta.url);
/** Find files of their own beside them. */
const APART = /^(secp256k1|zeromq|tiny-secp256k1)$/;

/** Writes it into `folder`; answers where. */
export async function bundleService(folder: string): Promise<URL> {
  const require = createRequire(MAIN);
  const found = (name: string): string | null => {
    try {
      return require.resolve(name);
    } catch {
      // An optional dependency that is not installed.
      return null;
    }
  };
  const bundle = await rolldown({
    input: fileURLToPath(MAIN),
    platform: 'node',
    external: ['pg-native'],
    plugins: [
      {
        name: 'where-it-was',
        resolveId: (id) => (APART.test(id) ? { id: found(id) ?? id, external: true } : null),
        transform: (code, id) => code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
      },
    ],
  });
  const file = join(folder, 'main.mjs');
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  await bundle.close();
  return pathToFileURL(file);
}
