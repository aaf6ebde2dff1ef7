/** docs/security.md says which file does what and which test shows it: they must be there. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const text = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
const table = text.slice(text.indexOf('## What is protected by what'), text.indexOf('## Keys'));
const rows = table.split('\n').filter((line) => line.startsWith('| ') && line.includes('`'));

/** Later names of a cell may leave out the folder of the one before. */
function missing(cell: string, root: string): string[] {
  let folder = root;
  return [...cell.matchAll(/`([\w./-]+(?:\.ts|\/))`/g)].flatMap(([, name = '']) => {
    const places = name.includes('/') ? [join(root, name)] : [join(folder, name)];
    const found = places.find((place) => existsSync(place));
    if (found === undefined) return [name];
    folder = name.endsWith('/') ? found : dirname(found);
    return [];
  });
}

describe('docs/security.md', () => {
  it('names files and tests that are there', () => {
    expect(rows.length).toBeGreaterThan(15);
    const wrong = rows.flatMap((row) => {
      const [, , done = '', shown = ''] = row.split('|');
      return [...missing(done, join(ROOT, 'src')), ...missing(shown, ROOT)];
    });
    expect(wrong).toEqual([]);
  });
});
