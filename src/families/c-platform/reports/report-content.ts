/** What of a report's content both kinds answer. */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { CONTENT_TYPES, type ReportFormat } from '../../../core/reports/report-names.ts';
import type { OpenReport } from '../../../services/reports/report-service.ts';

const bare = (format: ReportFormat): string => CONTENT_TYPES[format].split(';')[0] as string;
const day = (at: number): string => new Date(at).toISOString().slice(0, 10);

export const contentSuccess = {
  status: 200 as const,
  schema: z.string(),
  contentType: bare('csv'),
  otherContentTypes: (['json', 'xlsx', 'pdf'] as const).map(bare),
  streamed: true as const,
  description: 'The file, streamed; Repr-Digest (RFC 9530) has its SHA-256',
  resultHeaders: ({ type, format, asked, size, sha256 }: OpenReport) => ({
    'content-type': CONTENT_TYPES[format],
    'content-disposition': `attachment; filename="${type}-${day(asked.from)}-${day(asked.to)}.${format}"`,
    'content-length': `${size}`,
    'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
    'cache-control': 'private, no-store',
  }),
};
export const presentContent = ({ pieces }: OpenReport): Readable => Readable.from(pieces, { objectMode: false });
export const contentExample = 'time,txid,wallet_id\r\n';
