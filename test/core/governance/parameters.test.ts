import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import { changedParameters, FIRST_PARAMETERS, parameterRules } from '../../../src/core/governance/parameters.ts';

function fieldOf(changes: Record<string, unknown>, now = FIRST_PARAMETERS): unknown {
  try {
    return changedParameters(now, changes, 'mainnet');
  } catch (error) {
    return error instanceof DomainError ? [error.code, error.details.field] : error;
  }
}
const bad = (name: string) => ['invalid_value', `parameters.${name}`];

describe('changed parameters', () => {
  it('are within their bounds, of their type, and there', () => {
    for (const { name, minimum, maximum } of parameterRules('mainnet')) {
      for (const value of [minimum, maximum].filter((bound) => bound !== null))
        expect(fieldOf({ [name]: value })).toEqual({ ...FIRST_PARAMETERS, [name]: value });
      for (const value of [null, [], {}, '1e3', 'x', '', -1, 1e9, Number.NaN])
        expect(fieldOf({ [name]: value }), `${name} ${value}`).toEqual(bad(name));
    }
    expect(fieldOf({ quorum_percent: 2.5 })).toEqual(bad('quorum_percent'));
    expect(fieldOf({ proposal_threshold: '2.5' })).toMatchObject({ proposal_threshold: '2.50000000' });
    expect(fieldOf({ constructor: 1 })).toEqual(bad('constructor'));
    expect(fieldOf({})).toEqual(['invalid_value', 'parameters']);
  });

  it('leave admin_mint false once it is', () => {
    const off = { ...FIRST_PARAMETERS, admin_mint: false };
    expect(fieldOf({ admin_mint: false })).toEqual(off);
    expect(fieldOf({ admin_mint: true }, off)).toEqual(bad('admin_mint'));
    expect(fieldOf({ admin_mint: false }, off)).toEqual(off);
  });
});
