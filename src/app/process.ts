/** The process: configuration, start, and an orderly end. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { buildApp } from '../app.ts';
import { type Config, parseConfig, readEnvironment } from '../config.ts';
import { internalFault } from '../hooks/refusals/internal-fault.ts';
import { serializerOf } from '../hooks/serializer.ts';
import { failedStart } from './failed-start.ts';
import { createLog } from './log.ts';

const STOP_WITHIN_MS = 4_500;
/** Of a stop while the service is being opened: nothing is served yet, and what is committed is committed. */
const OPENING_ENDS_WITHIN_MS = 2_000;

let said: unknown = null;

/** One line of the log, and the sentence again for who started it by hand. */
function sayWhy(error: unknown, log: Logger, config: Config | null): void {
  // A refused chain is told of by whoever met it, and ends the start besides.
  if (error === said) return;
  said = error;
  const { facts, sentence } = failedStart(error, config);
  log.fatal(facts, sentence);
  if (process.stderr.isTTY) process.stderr.write(`${sentence}\n`);
}

async function run(config: Config, log: Logger): Promise<void> {
  const opening = new AbortController();
  let stop = async (code: number, _delayMs: number): Promise<void> => {
    opening.abort();
    process.exitCode = code;
    // A database, a disk or a name server that never answers must not keep the process.
    setTimeout(() => {
      log.warn('stopped while starting: not everything had ended in time');
      process.exit(code);
    }, OPENING_ENDS_WITHIN_MS).unref();
  };
  let asked = 0;

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      asked += 1;
      if (asked > 1) process.exit(1);
      log.info({ signal }, 'stopping');
      void stop(0, config.stopDelayMs);
    });
  }

  const refuse = (error: Error): void => {
    sayWhy(error, log, config);
    void stop(1, 0);
  };

  const app = await buildApp(config, { log, signal: opening.signal, onFatal: refuse });
  let stopping: Promise<void> | null = null;
  stop = (code, delayMs) => {
    stopping ??= (async () => {
      app.drain();
      // Those who ask /readyz look elsewhere meanwhile; everything is still answered.
      if (delayMs > 0) await sleep(delayMs);
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
  if (opening.signal.aborted) return stop(0, 0);
  // Its compiler is itself compiled at the first use, which would hold somebody's request for 15 ms.
  for (const { success } of app.operations.slice(0, 1)) serializerOf(success.schema);
  const address = await app.listen();
  const { network, dataDir } = config;
  log.info({ address, network, source: app.chain.kind, data_dir: dataDir, reference: `${address}/docs` }, 'listening');
}

/** Runs the service until it is told to stop. */
export async function runService(): Promise<void> {
  let config: Config | null = null;
  let log = createLog('info');
  // A defect ends the process, as without this; but in one line of the log, without a stack.
  process.on('uncaughtException', (error) => {
    log.fatal({ part: 'service', fault: internalFault(error) }, 'the service ends: it met a defect of its own');
    process.exit(1);
  });
  try {
    config = parseConfig(readEnvironment());
    log = createLog(config.logLevel);
    await run(config, log);
  } catch (error) {
    const aborted = error instanceof Error && error.name === 'AbortError';
    if (!aborted) sayWhy(error, log, config);
    process.exit(aborted ? 0 : 1);
  }
}
