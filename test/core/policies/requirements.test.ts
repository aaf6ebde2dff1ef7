import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Role } from '../../../src/core/access.ts';
import { type CastVote, mayApprove, requirementStates, type Voter } from '../../../src/core/policies/requirements.ts';

const voter = (
  userId: string | null,
  credentialId = 'key_one',
  role: Role = 'operator',
  groups: string[] = [],
): Voter => ({
  ...{ userId, credentialId, role, groups },
});
const cast = (before: Voter, now: Voter | null = before): CastVote => ({ before, now });
const ASKED_BY = [{ userId: 'usr_eve', credentialId: 'usr_eve' }];
const need = (required: number, from = { roles: ['operator'] as Role[] }) => ({ policyId: 'pol_a', required, from });
const met = (required: number, votes: CastVote[], asked: Parameters<typeof requirementStates>[2] = ASKED_BY) =>
  requirementStates([need(required)], votes, asked)[0]!.met;

describe('who may approve', () => {
  it('a role, or one above it; a person; a member of a group', () => {
    expect(mayApprove({ roles: ['operator'] }, voter('usr_a', 'usr_a', 'admin'))).toBe(true);
    expect(mayApprove({ roles: ['admin'] }, voter('usr_a'))).toBe(false);
    expect(mayApprove({ userIds: ['usr_a'] }, voter('usr_a', 'key_of_a'))).toBe(true);
    expect(mayApprove({ userIds: ['usr_a'] }, voter(null, 'usr_a'))).toBe(false);
    expect(mayApprove({ groups: ['grp_a'] }, voter(null, 'key_one', 'viewer', ['grp_b', 'grp_a']))).toBe(true);
    expect(mayApprove({}, voter('usr_a', 'usr_a', 'admin'))).toBe(false);
  });
});

describe('votes', () => {
  it('count once for a person, whatever credentials they hold, and a key that is nobody’s as itself', () => {
    expect(met(2, [cast(voter('usr_a', 'usr_a')), cast(voter('usr_a', 'key_of_a'))])).toBe(false);
    expect(met(2, [cast(voter('usr_a')), cast(voter(null, 'key_two'))])).toBe(true);
    expect(met(2, [cast(voter(null, 'key_two')), cast(voter(null, 'key_two'))])).toBe(false);
  });

  it('of the initiator never count, nor those of their other credentials', () => {
    expect(met(1, [cast(voter('usr_eve', 'key_of_eve', 'admin'))])).toBe(false);
    expect(met(1, [cast(voter(null, 'key_a'))], [{ userId: null, credentialId: 'key_a' }])).toBe(false);
  });

  it('of who was demoted, or whose credential has ended, no longer count; nor of who may only now', () => {
    const admin = { roles: ['admin'] as Role[] };
    const states = (one: CastVote) => requirementStates([need(1, admin)], [one], ASKED_BY)[0]!.met;
    expect(states(cast(voter('usr_a', 'usr_a', 'admin')))).toBe(true);
    expect(states(cast(voter('usr_a', 'usr_a', 'admin'), voter('usr_a')))).toBe(false);
    expect(states(cast(voter('usr_a', 'usr_a', 'admin'), null))).toBe(false);
    expect(states(cast(voter('usr_a'), voter('usr_a', 'usr_a', 'admin')))).toBe(false);
    expect(states(cast(voter('usr_a', 'key_a', 'admin'), voter('usr_b', 'key_a', 'admin')))).toBe(false);
  });

  it('meet each requirement by itself', () => {
    const both = [need(1, { roles: ['admin'] }), { ...need(1), from: { groups: ['grp_a'] } }];
    const states = (...votes: CastVote[]) => requirementStates(both, votes, ASKED_BY).map((state) => state.met);
    const admin = cast(voter('usr_a', 'usr_a', 'admin'));
    expect(states(admin)).toEqual([true, false]);
    expect(states(admin, cast(voter('usr_b', 'usr_b', 'viewer', ['grp_a'])))).toEqual([true, true]);
    expect(states(cast(voter('usr_a', 'usr_a', 'admin', ['grp_a'])))).toEqual([true, true]);
  });

  it('come to the same in any order, and no vote more makes less', () => {
    const people = fc.record({
      who: fc.constantFrom('usr_a', 'usr_b', 'usr_c', 'usr_eve'),
      role: fc.constantFrom<Role>('viewer', 'operator', 'admin'),
      stands: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(people, { maxLength: 8 }), fc.integer({ min: 1, max: 4 }), (list, required) => {
        const votes = list.map(({ who, role, stands }) =>
          cast(voter(who, who, role), stands ? voter(who, who, role) : null),
        );
        const whole = met(required, votes);
        expect(met(required, votes.toReversed())).toBe(whole);
        if (met(required, votes.slice(1))) expect(whole).toBe(true);
        const voices = new Set(list.filter((one) => one.stands && one.role !== 'viewer').map(({ who }) => who));
        voices.delete('usr_eve');
        expect(whole).toBe(voices.size >= required);
      }),
    );
  });
});
