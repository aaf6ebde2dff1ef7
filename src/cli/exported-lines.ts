/** Exports as files: their lines, and the keys that a person gives to check them with. */
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { parseVerifier } from '../core/merkle/signed-note.ts';
import { progressBar } from './progress-bar.ts';
import { UsageError } from './usage-error.ts';

const LINE_FEED = 0x0a;

/** Hands on each line in its order, and shows how far it is. `at` tells which one it was where that throws; `noText` what is thrown for no text. */
export async function takeLines(
  file: string,
  {
    doing,
    at,
    noText,
    take,
  }: { doing: string; at: { line: number }; noText: () => Error; take: (line: string) => void },
): Promise<void> {
  const { size } = await stat(file).catch(() => {
    throw new UsageError(`there is no file ${file}`);
  });
  const bar = progressBar(doing, process.stderr);
  let bytes = 0;
  try {
    for await (const text of linesOf(file)) {
      at.line++;
      bytes += text.length + 1;
      // A terminal or an editor has ended the file with a line feed more.
      if (text.length === 0 && bytes >= size) continue;
      if (!isUtf8(text)) throw noText();
      take(text.toString('utf8'));
      bar.show(Math.min(bytes, size), size);
    }
  } finally {
    bar.end();
  }
}

/** A verifier as `ashlar audit key` shows it, or the 32 bytes of the public key in base64: that one holds for every log. */
export function publicKeyOf(text: string): Uint8Array {
  const key = parseVerifier(text)?.publicKey ?? Buffer.from(text, 'base64');
  if (key.length !== 32) throw new UsageError(`--key ${text}: it must be a verifier or a public key in base64`);
  return key;
}

/** Lines by their line feeds alone: an entry may hold other line breaks. */
async function* linesOf(file: string): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      yield Buffer.concat([...rest, chunk.subarray(start, end)]);
      rest = [];
      start = end + 1;
    }
    rest.push(chunk.subarray(start));
  }
  const last = Buffer.concat(rest);
  if (last.length > 0) yield last;
}
