/** What of the audit log is shown. Hashes are hex; an entry is shown as it was hashed, as text, beside what it says. */
import { z } from 'zod';
import type { AuditHead, SealedAuditRecord } from '../../../services/audit/audit-log.ts';
import { answer, bytesOf, time } from '../../answer.ts';
import { idField } from '../../fields.ts';

export const logQuery = {
  log: z.enum(['account', 'service'], 'must be account or service').default('account').meta({
    description:
      "account: the caller's own. service: requests whose account is unknown, for administrators of the account that runs the service",
  }),
};
export const recordParams = z.strictObject({ record_id: idField('aud') });

/** SHA-256 */
export const hash = bytesOf(32).meta({ description: 'SHA-256, hex' });

export const auditRecord = answer(
  'AuditRecord',
  {
    record_id: z.string(),
    log_id: z.string().meta({ description: "The account's id, or service" }),
    account_id: z.string().nullable(),
    time,
    credential: z.object({ kind: z.string(), id: z.string() }).nullable().meta({
      description:
        'kind: api_key, oauth_client or person, of a refused login whom it was tried as; command: the ashlar command, by the system user who ran it; service: the first start. null where none was recognised',
    }),
    operation: z.string(),
    target: z.string().nullable().meta({ description: 'Id of what was made or changed' }),
    outcome: z.string().meta({ description: 'done, or the code of the refusal' }),
    entry: z.string().meta({
      description:
        'The whole record as it is hashed: canonical JSON (RFC 8785) with method, path, remote address, request id, digest of the body, and signature; null, all of these, where a command made the change',
    }),
    seal: z
      .object({
        position: z.int(),
        previous_hash: hash,
        leaf_hash: hash.meta({ description: 'SHA-256(0x00 || entry)' }),
        hash: hash.meta({ description: 'SHA-256(previous_hash || leaf_hash)' }),
      })
      .nullable()
      .meta({ description: 'null for the moment until the record is sealed' }),
  },
  ({ credentialKind: kind, credentialId: id }: SealedAuditRecord) => ({
    credential: kind === null || id === null ? null : { kind, id },
  }),
);

export const treeHead = answer(
  'TreeHead',
  {
    log_id: z.string(),
    size: z.int().meta({ description: 'How many records it covers' }),
    root: hash,
    signed_at: time.meta({ description: 'When it was signed; not part of what is signed' }),
    key_id: z.string(),
    note: z
      .string()
      .meta({ description: 'C2SP signed note (tlog-checkpoint): origin, size, root in base64, signature' }),
  },
  ({ time: at }: AuditHead) => ({ signed_at: time.encode(at) }),
);

export const headExample = {
  log_id: 'acc_3mVb1k7Q2xYt9LpRw0Zc5A',
  size: 8,
  root: '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  signed_at: '2026-11-21T10:00:00.000Z',
  key_id: '530d903a',
  note: 'ashlar/8a5c1e0f93b2d417/acc_3mVb1k7Q2xYt9LpRw0Zc5A\n8\nXcnaeacGWamtVZy3Ad7ZoqudgjqtL0lgz+Nw7/RgQyg=\n\n— ashlar/8a5c1e0f93b2d417/acc_3mVb1k7Q2xYt9LpRw0Zc5A Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n',
};

export const auditRecordExample = {
  record_id: 'aud_5nQe0wTzXk8uGm2LrVb7Yd',
  log_id: 'acc_3mVb1k7Q2xYt9LpRw0Zc5A',
  account_id: 'acc_3mVb1k7Q2xYt9LpRw0Zc5A',
  time: '2026-11-21T09:59:58.120Z',
  credential: { kind: 'api_key', id: 'key_2cWd9q1ZsLw4eRtYbN8mKf' },
  operation: 'wallet.create',
  target: 'wal_7kPq3vXyTz0aBcDeFgHiJk',
  outcome: 'done',
  entry:
    '{"account":"acc_3mVb1k7Q2xYt9LpRw0Zc5A","credential":{"id":"key_2cWd9q1ZsLw4eRtYbN8mKf","kind":"api_key","signature_required":true},…}',
  seal: {
    position: 7,
    previous_hash: '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    leaf_hash: '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
    hash: '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
  },
};
