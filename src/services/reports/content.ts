/**
 * What a report says, as it is kept: pieces in the database, so that each replica reads what another made, and a backup holds it. Each is
 * compressed and encrypted (AES-256-GCM) under a key of the service, and bound to its report and place.
 */
import { createSecretKey } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { ListedReport } from '../../store/repositories/reports.ts';
import type { Repositories } from '../../store/store.ts';
import { decrypt, encrypt, IV_BYTES, TAG_BYTES } from '../secrets/authenticated-encryption.ts';

const deflated = promisify(deflateRaw);
const inflated = promisify(inflateRaw);

type Key = Pick<ListedReport, 'accountId' | 'reportId'>;

const binding = ({ reportId }: Key, place: number): string => `report ${reportId} ${place}`;

export function createReportContent(bytes: Uint8Array, randomBytes: (size: number) => Uint8Array) {
  const key = createSecretKey(bytes);
  return {
    /** In threads of the pool, but for the encryption: that takes a fraction of a millisecond. */
    async seal(report: Key, place: number, plain: Uint8Array, isCompressed: boolean): Promise<Buffer> {
      const packed = isCompressed ? plain : await deflated(plain);
      const { iv, tag, ciphertext } = encrypt(key, randomBytes(IV_BYTES), packed, binding(report, place));
      return Buffer.concat([iv, tag, ciphertext]);
    },

    /** The pieces in order. Throws where one is missing: the report was deleted meanwhile. */
    async *open(
      read: Pick<Repositories, 'reports'>,
      report: Key & Pick<ListedReport, 'size'>,
      isCompressed: boolean,
    ): AsyncGenerator<Buffer> {
      for (let [place, sent] = [0, 0]; sent < report.size; place++) {
        const sealed = await read.reports.piece(report, place);
        if (sealed === null) throw new Error(`report ${report.reportId} has no piece ${place} any more`);
        const [iv, tag] = [sealed.subarray(0, IV_BYTES), sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)];
        const packed = { iv, tag, ciphertext: sealed.subarray(IV_BYTES + TAG_BYTES) };
        const plain = decrypt(key, packed, binding(report, place));
        const piece = isCompressed ? plain : await inflated(plain);
        sent += piece.length;
        yield piece;
      }
    },
  };
}
export type ReportContent = ReturnType<typeof createReportContent>;
