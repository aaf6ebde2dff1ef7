/** JSON lines on stdout. What is secret is taken out wherever it might be logged (censor.ts). */
import { type DestinationStream, type Logger, pino } from 'pino';
import { scrub } from '../hooks/internal-fault.ts';
import { censor, SECRET_PATHS } from './censor.ts';

export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: censor },
    // A child's own fields do not pass the formatter.
    redact: { paths: [...SECRET_PATHS], censor: '[secret]' },
    // Fastify's own serializers log headers and whole requests: ours log neither.
    serializers: {
      err: (error: Error) => ({
        type: error.name,
        code: (error as { code?: unknown }).code,
        message: scrub(error.message),
      }),
      req: (request: { method: string; url: string }) => ({ method: request.method, url: request.url.split('?')[0] }),
      res: (reply: { statusCode: number }) => ({ status: reply.statusCode }),
    },
  };
  // Lines that come while one is being written go out together; at the end of the process all are.
  return pino(options, destination ?? pino.destination({ sync: false }));
}
