import { readFileSync } from 'node:fs';

/** The rows of a file of vectors, field by field; `-` stands for an empty field. What they are, its first two lines say. */
export function vectorRows(name: string): string[][] {
  return vectorLines(name).map((line) => line.split(' ').map((field) => (field === '-' ? '' : field)));
}

export function vectorLines(name: string): string[] {
  const text = readFileSync(new URL(`${name}.txt`, import.meta.url), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length === 0) throw new Error(`${name}.txt has no vectors`);
  return lines;
}

export const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
