/** Where a fetch of the node stands: the step's words, and the whole's share from 0 to 1. */
export interface FetchProgress {
  step: string;
  share: number;
}

interface ProgressStream {
  isTTY?: boolean;
  write(text: string): unknown;
}

const WIDTH = 28;

/** Shows progress as one bar that redraws itself on a terminal, or one line per step elsewhere. Pass `process.stderr`. */
export function progressBar(stream: ProgressStream): (progress: FetchProgress) => void {
  let lastStep = '';
  return ({ step, share }) => {
    const done = share >= 1;
    if (stream.isTTY) {
      const filled = Math.round(Math.min(share, 1) * WIDTH);
      const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
      stream.write(`\r\x1b[2K  ${bar} ${String(Math.round(share * 100)).padStart(3)} %  ${step}${done ? '\n' : ''}`);
    } else if (step !== lastStep) {
      stream.write(`  ${step}\n`);
    }
    lastStep = step;
  };
}
