import { type DestinationStream, pino } from 'pino';

const TOGETHER_BYTES = 16 * 1024;
const MAX_INTERVAL_MS = 100;
const MAX_HELD_BYTES = 8 * 1024 * 1024;

/**
 * Where lines go: together, at most a tenth of a second late, and all of them at the end of the process. `to`: a file descriptor or a path.
 * They are joined here, because the stream's own buffer looks at all it holds for each line that comes.
 */
export function logDestination(to: number | string): DestinationStream {
  const stream = pino.destination({ dest: to, sync: false, maxLength: MAX_HELD_BYTES });
  // A full disk is no reason to end: what could not be written is tried again with what comes, and dropped where too much waits.
  stream.on('error', () => {});
  let lines: string[] = [];
  let length = 0;

  function pass(): void {
    if (lines.length === 0) return;
    const text = lines.join('');
    lines = [];
    length = 0;
    stream.write(text);
  }

  setInterval(pass, MAX_INTERVAL_MS).unref();
  process.once('exit', () => {
    pass();
    try {
      stream.flushSync();
    } catch {
      // There is nowhere left to say it.
    }
  });
  return {
    write(line) {
      lines.push(line);
      length += line.length;
      if (length >= TOGETHER_BYTES) pass();
    },
  };
}
