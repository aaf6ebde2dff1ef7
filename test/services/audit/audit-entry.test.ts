import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/core/audit-log/canonical-json.ts';
import { auditEntry } from '../../../src/services/audit/audit-entry.ts';
import { requestContext } from '../../builders/request-context.ts';

describe('an audit entry', () => {
  it('is canonical JSON whatever a request holds', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc.constant('"\\\n\u2028\ud800'),
    );
    const maybe = fc.option(text, { nil: null });
    fc.assert(
      fc.property(text, text, text, maybe, maybe, fc.boolean(), (path, requestId, key, digest, base, signed) => {
        const facts = {
          ...requestContext().facts,
          target: path,
          contentDigest: digest,
          signature: signed
            ? { keyId: key, algorithm: 'ed25519', nonce: key, createdAt: 0, fingerprint: '', base, value: base }
            : null,
        };
        const entry = auditEntry({
          id: 'aud_one',
          logId: 'acc_one',
          accountId: 'acc_one',
          time: 1_700_000_000_000,
          requestId,
          credential: requestContext().credential,
          facts,
          outcome: 'done',
          target: null,
        });
        expect(canonicalJson(JSON.parse(entry))).toBe(entry);
        expect(JSON.parse(entry).path).toBe(path);
      }),
    );
  });

  it('cuts a path that would fill the log', () => {
    const facts = { ...requestContext().facts, target: `/${'x'.repeat(20_000)}` };
    const given = { id: 'a', logId: 'l', accountId: null, time: 0, requestId: 'r', credential: null, facts };
    expect(auditEntry({ ...given, outcome: 'unauthorized', target: null }).length).toBeLessThan(3_000);
  });
});
