import { describe, expect, it } from 'vitest';
import { DomainError, isWithoutAnswer, SOURCE_LIMIT_CODES } from '../../src/core/errors.ts';
import { DOMAIN_STATUS } from '../../src/hooks/refusals/errors.ts';

describe('what a chain source can never say', () => {
  it.each(SOURCE_LIMIT_CODES)('%s is no reason to ask again', (code) => {
    expect(DOMAIN_STATUS[code]).toEqual({ status: 422, code: 'invalid_request' });
    expect(isWithoutAnswer(new DomainError(code, 'no'))).toBe(true);
  });

  it('is told from a source that is away', () => {
    expect(isWithoutAnswer(new DomainError('unavailable', 'refused'))).toBe(true);
    for (const code of ['node_unavailable', 'node_syncing', 'not_found'] as const)
      expect(isWithoutAnswer(new DomainError(code, 'away'))).toBe(false);
    expect(isWithoutAnswer(new Error('unavailable'))).toBe(false);
    for (const code of ['unavailable', 'node_unavailable', 'node_syncing'] as const)
      expect(DOMAIN_STATUS[code]).toMatchObject({ status: 503, retryAfterSeconds: expect.any(Number) });
  });
});
