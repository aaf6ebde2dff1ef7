/** JSON lines on stdout. What is secret is taken out wherever it might be logged (censor.ts). */
import { type DestinationStream, type LogFn, type Logger, pino } from 'pino';
import { scrub } from '../hooks/refusals/internal-fault.ts';
import { censor, SECRET_PATHS } from './censor.ts';
import { logDestination } from './log-destination.ts';

export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: isoTime(),
    formatters: { level: (label: string) => ({ level: label }), log: censor },
    // A child's own fields do not pass the formatter.
    redact: { paths: [...SECRET_PATHS], censor: '[secret]' },
    // Fastify's own serializers log headers and whole requests: ours log neither.
    serializers: {
      // Whatever was thrown: a log line must not fail for it, and end the process.
      err: (error: unknown) =>
        error instanceof Error
          ? { type: error.name, code: (error as { code?: unknown }).code, message: scrub(error.message) }
          : { type: typeof error, message: scrub(String(error)) },
      req: (request: { method: string; url: string }) => ({ method: request.method, url: request.url.split('?')[0] }),
      res: (reply: { statusCode: number }) => ({ status: reply.statusCode }),
    },
  };
  return pino({ ...options, hooks: { logMethod: sayScrubbed } }, destination ?? logDestination(1));
}

/** Where no message is given, pino takes the error's own, which no serializer sees. */
function sayScrubbed(this: Logger, said: Parameters<LogFn>, method: LogFn): void {
  const [first, text] = said as [unknown, unknown];
  const error = first instanceof Error ? first : (first as { err?: unknown } | null)?.err;
  if (text === undefined && error instanceof Error) method.call(this, first as object, scrub(error.message));
  else method.apply(this, said);
}

/** Most lines of a busy service fall into a millisecond that has been written before. */
function isoTime(): () => string {
  let last = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== last) {
      last = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}
