/** dlcspecs' test vectors, which lie beside the project where they are there at all. */
import { existsSync, readFileSync } from 'node:fs';

/** null where the vectors are not there. */
export function dlcVectors<Vectors>(name: string): Vectors | null {
  const file = new URL(`../../../../shared/vectors/dlc/${name}.json`, import.meta.url);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Vectors) : null;
}

export const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
export const hex = (of: Uint8Array | null): string | null => of && Buffer.from(of).toString('hex');
