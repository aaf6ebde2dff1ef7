import { spawn } from 'node:child_process';

export interface CommandOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  timeoutMs: number;
  signal?: AbortSignal;
  /** Lines the command writes to file descriptor 3 (apt's status channel). */
  onStatusLine?: (line: string) => void;
}

/** A command that could not be started, failed or took too long; `message` ends with the last thing it said. */
export class CommandFailed extends Error {
  readonly notFound: boolean;

  constructor(message: string, notFound: boolean) {
    super(message);
    this.name = 'CommandFailed';
    this.notFound = notFound;
  }
}

/** Runs a program without a shell and answers its standard output. Throws CommandFailed. */
export function runCommand(program: string, args: readonly string[], options: CommandOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], {
      cwd: options.cwd,
      env: options.env,
      signal: options.signal,
      timeout: options.timeoutMs,
      stdio: ['ignore', 'pipe', 'pipe', options.onStatusLine ? 'pipe' : 'ignore'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-4000);
    });
    const { onStatusLine } = options;
    if (onStatusLine) {
      let rest = '';
      child.stdio[3]?.on('data', (chunk: Buffer) => {
        const lines = (rest + chunk.toString('utf8')).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) onStatusLine(line);
      });
    }
    child.on('error', (error: NodeJS.ErrnoException) => {
      const notFound = error.code === 'ENOENT';
      reject(new CommandFailed(notFound ? `there is no ${program} here` : `${program}: ${error.message}`, notFound));
    });
    child.on('close', (code, signal) => {
      if (code === 0) resolve(stdout);
      else reject(new CommandFailed(`${program} ${signal ? 'took too long' : 'failed'}: ${lastWords(stderr)}`, false));
    });
  });
}

/** The line of a command's output that says most about its failure, short enough for a log and without a mirror's password. */
function lastWords(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const errors = lines.filter((line) => /^E:|error/i.test(line));
  const line = lines.find((candidate) => /failed to fetch/i.test(candidate)) ?? errors.at(-1) ?? lines.at(-1);
  const withoutUserinfo = (line ?? 'it said nothing').replaceAll(/\/\/[^/@\s]*@/g, '//');
  return withoutUserinfo
    .replace(/^[EW]: /, '')
    .trim()
    .slice(0, 300);
}
