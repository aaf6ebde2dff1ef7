/** JSON lines on stdout. What is secret is taken out wherever it might be logged, at any of the first three levels. */
import { type DestinationStream, type Logger, pino } from 'pino';
import { scrub } from '../hooks/internal-fault.ts';

const SECRET_FIELDS = [
  'authorization',
  'api_key',
  'apiKey',
  'access_token',
  'mnemonic',
  'seed',
  'passphrase',
  'backup',
  'backup_passphrase',
  'private_key',
  'privateKey',
  'key',
  'wif',
  'xprv',
  'secret',
  'password',
];

export function createLog(level: string, destination?: DestinationStream): Logger {
  const paths = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths, censor: '[secret]' },
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
