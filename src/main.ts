/** The process: configuration, start, and an orderly end within five seconds. */

import { createLog } from './app/log.ts';
import { buildApp } from './app.ts';
import { type Config, ConfigError, parseConfig, readEnvironment } from './config.ts';

const STOP_WITHIN_MS = 4_500;

function configuration(): Config {
  try {
    return parseConfig(readEnvironment());
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write('The configuration is wrong:\n');
    for (const problem of error.problems) process.stderr.write(`  ${problem}\n`);
    process.exit(1);
  }
}

async function main(): Promise<void> {
  const config = configuration();
  const log = createLog(config.logLevel);
  const opening = new AbortController();
  let stop = async (code: number): Promise<void> => {
    opening.abort();
    process.exitCode = code;
  };
  let asked = 0;

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      asked += 1;
      if (asked > 1) process.exit(1);
      log.info({ signal }, 'stopping');
      void stop(0);
    });
  }

  const refuse = (error: Error): void => {
    log.fatal({ reason: error.message }, 'the service cannot go on');
    process.stderr.write(`${error.message}\n`);
    void stop(1);
  };

  const app = await buildApp(config, { log, signal: opening.signal, onFatal: refuse });
  let stopping: Promise<void> | null = null;
  stop = (code) => {
    stopping ??= (async () => {
      // A client or a node that hangs must not keep the process: what is committed is committed.
      const late = setTimeout(() => {
        log.warn('not everything had ended in time');
        process.exit(code);
      }, STOP_WITHIN_MS);
      late.unref();
      await app.close();
      log.info('stopped');
      clearTimeout(late);
      process.exit(code);
    })();
    return stopping;
  };
  if (opening.signal.aborted) return stop(0);
  const address = await app.listen();
  const { network, dataDir } = config;
  log.info({ address, network, source: app.chain.kind, data_dir: dataDir, reference: `${address}/docs` }, 'listening');
}

/** What would be right, where the cause is one that an operator can mend. */
function explained(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const failure = error as NodeJS.ErrnoException & { port?: number; address?: string; variable?: string };
  const { code, port, address, syscall, path, variable = 'PORT' } = failure;
  if (syscall === 'mkdir')
    return `DATA_DIR ${path} cannot be made (${code}): set DATA_DIR to a directory this user may write`;
  if (code === 'EADDRINUSE')
    return `${variable} ${port} on ${address} is in use: set ${variable} to a free one, or stop what uses it`;
  if (code === 'EADDRNOTAVAIL')
    return `HOST ${address} is no address of this machine: set HOST to one, such as 127.0.0.1`;
  if (code === 'EACCES' && port !== undefined)
    return `${variable} ${port} may not be used by this user: set ${variable} above 1023`;
  return error.message;
}

main().catch((error: unknown) => {
  const aborted = error instanceof Error && error.name === 'AbortError';
  if (!aborted) process.stderr.write(`${explained(error)}\n`);
  process.exit(aborted ? 0 : 1);
});
