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
        const request = {
          ...requestContext().facts,
          id: requestId,
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
          credential: requestContext().credential,
          request,
          operation: 'test',
          outcome: 'done',
          target: null,
        });
        expect(canonicalJson(JSON.parse(entry))).toBe(entry);
        expect(JSON.parse(entry).path).toBe(path);
      }),
    );
  });

  it('cuts a path that would fill the log', () => {
    const request = { ...requestContext().facts, id: 'r', target: `/${'x'.repeat(20_000)}` };
    const given = { id: 'a', logId: 'l', accountId: null, time: 0, operation: 'test', credential: null, request };
    expect(auditEntry({ ...given, outcome: 'unauthorized', target: null }).length).toBeLessThan(3_000);
    const longest = { ...request, target: 'x'.repeat(2_048) };
    const whole = auditEntry({ ...given, request: longest, outcome: 'unauthorized', target: null });
    expect(JSON.parse(whole).path).toBe(longest.target);
    const cut = auditEntry({
      ...given,
      request: { ...longest, target: `${longest.target}x` },
      outcome: 'x',
      target: null,
    });
    expect(JSON.parse(cut).path).toBe(`${longest.target}…`);
  });

  it('invents no request for what was changed without one', () => {
    const id = 'a name "in quotes"';
    const entry = auditEntry({
      ...{ id: 'aud_one', logId: 'service', accountId: null, time: 0, request: null, outcome: 'done' },
      ...{ credential: { kind: 'command', id, requireSignature: false }, operation: 'master-key.rotate', target: 'mk' },
    });
    expect(canonicalJson(JSON.parse(entry))).toBe(entry);
    expect(JSON.parse(entry)).toEqual({
      ...{ account: null, digest: null, method: null, path: null, remote_address: null, request_id: null },
      ...{ signature: null, credential: { id, kind: 'command', signature_required: false } },
      ...{ id: 'aud_one', log: 'service', operation: 'master-key.rotate', outcome: 'done', target: 'mk', version: 1 },
      time: '1970-01-01T00:00:00.000Z',
    });
  });
});
