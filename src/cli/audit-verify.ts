/** `ashlar audit verify FILE`: an export against itself and a key, without service and database. */
import { createExportVerifier, ExportRefused, type VerifiedLog } from '../core/audit-log/verify-export.ts';
import { parseArguments } from './arguments.ts';
import { publicKeyOf, takeLines } from './exported-lines.ts';
import { printJson, type Terminal } from './terminal.ts';
import { usage } from './usage-error.ts';

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
  const at = { line: 0 };
  try {
    const noText = () => new ExportRefused('the line is not UTF-8');
    await takeLines(file, { doing: 'verifying bytes', at, noText, take: verifier.take });
    const logs = verifier.end();
    printJson(terminal, { verified: true, logs: logs.map(present) });
    if (logs.some((log) => !log.pinned)) {
      terminal.err(
        'The heads were checked with the keys in the file itself: compare them with `ashlar audit key`, or give --key.',
      );
    }
    return 0;
  } catch (error) {
    if (!(error instanceof ExportRefused)) throw error;
    const { message, position, recordId } = error;
    printJson(terminal, { verified: false, line: at.line, position, record_id: recordId, problem: message });
    const where = [`line ${at.line}`, position === null ? [] : `position ${position}`, recordId ?? []]
      .flat()
      .join(', ');
    terminal.err(`ashlar: ${where}: ${message}`);
    return 1;
  }
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
