/** A set of rules that stands in a proposal, as requests of /enterprise write rules. */
import { z } from 'zod';
import { parsePart } from '../../../../hooks/input/validation.ts';
import { MAX_POLICIES } from '../../../../services/policies/manage-policies.ts';
import type { GivenPolicy } from '../../../../services/policies/replace-policies.ts';
import { actionOf, conditionsOf, policyBody } from './policy-fields.ts';

const policySet = z.strictObject({
  policies: z.array(policyBody.omit({ position: true })).max(MAX_POLICIES, `must have at most ${MAX_POLICIES} rules`),
});

/** Throws `invalid_value`, naming the field. */
export const parsePolicySet = (given: unknown): GivenPolicy[] =>
  parsePart(policySet, 'body', given).policies.map(({ name, enabled, when, then }) => ({
    ...{ name, enabled, when: conditionsOf(when), then: actionOf(then) },
  }));
