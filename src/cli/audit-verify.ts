/** `ashlar audit verify FILE`: an export against itself and a key, without service and database. */
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createExportVerifier, ExportRefused, type VerifiedLog } from '../core/audit-log/verify-export.ts';
import { parseVerifier } from '../core/merkle/signed-note.ts';
import { parseArguments } from './arguments.ts';
import { progressBar } from './progress-bar.ts';
import { printJson, type Terminal } from './terminal.ts';
import { UsageError, usage } from './usage-error.ts';

const LINE_FEED = 0x0a;

/** Answers 0 where everything holds, 1 where something does not: then it names the first. */
export async function verifyAudit(args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments({
    args,
    allowPositionals: true,
    options: { key: { type: 'string', multiple: true, default: [] } },
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw usage('ashlar audit verify FILE [--key KEY]…');
  const verifier = createExportVerifier(values.key.map(publicKeyOf));
  const { size } = await stat(file).catch(() => {
    throw new UsageError(`there is no file ${file}`);
  });
  const bar = progressBar('verifying bytes', process.stderr);
  let line = 0;
  let bytes = 0;
  try {
    for await (const text of linesOf(file)) {
      line++;
      bytes += text.length + 1;
      if (!isUtf8(text)) throw new ExportRefused('the line is not UTF-8');
      verifier.take(text.toString('utf8'));
      bar.show(Math.min(bytes, size), size);
    }
    const logs = verifier.end();
    bar.end();
    printJson(terminal, { verified: true, logs: logs.map(present) });
    if (logs.some((log) => !log.pinned)) {
      terminal.err(
        'The heads were checked with the keys in the file itself: compare them with `ashlar audit key`, or give --key.',
      );
    }
    return 0;
  } catch (error) {
    bar.end();
    if (!(error instanceof ExportRefused)) throw error;
    const { message, position, recordId } = error;
    printJson(terminal, { verified: false, line, position, record_id: recordId, problem: message });
    const where = [`line ${line}`, position === null ? [] : `position ${position}`, recordId ?? []].flat().join(', ');
    terminal.err(`ashlar: ${where}: ${message}`);
    return 1;
  }
}

/** A verifier as `ashlar audit key` shows it, or the 32 bytes of the public key in base64: that one holds for every log. */
function publicKeyOf(text: string): Uint8Array {
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

const present = (log: VerifiedLog) => ({
  log: log.log,
  ...(log.from !== undefined && { from: log.from }),
  records: log.size - (log.from ?? 0),
  root: log.root,
  key_id: log.keyId,
  key: log.pinned ? 'given' : 'from the file',
  request_signatures: log.signatures,
  signatures_without_key: log.unknownKeys,
  anchors: log.anchors.map(({ size, txid, blockHash }) => ({ size, txid, block_hash: blockHash })),
});
