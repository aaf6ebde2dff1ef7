/** Data of the travel rule as callers send it, of payments and by themselves. */
import { z } from 'zod';
import { ivms101, type TravelRuleData } from '../core/travel-rule/ivms101.ts';

const MOST_CHARACTERS = 16 * 1024;

/** Before it is gone through. */
function refuseLong(data: unknown, context: z.RefinementCtx): unknown {
  if (data === undefined || JSON.stringify(data).length <= MOST_CHARACTERS) return data;
  context.issues.push({
    code: 'custom',
    message: `must have at most ${MOST_CHARACTERS} characters of JSON`,
    input: '',
  });
  return z.NEVER;
}

/** C2. By the day of the time zone that is furthest ahead: the caller's is not known. */
function refuseUnborn(data: TravelRuleData, context: z.RefinementCtx): void {
  const today = new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10);
  const refuse = (list: 'originatorPerson' | 'beneficiaryPerson', persons: readonly Person[] = []) =>
    persons.forEach(({ naturalPerson }, at) => {
      const date = naturalPerson?.dateAndPlaceOfBirth?.dateOfBirth;
      if (date === undefined || date < today) return;
      const path = [list === 'originatorPerson' ? 'originator' : 'beneficiary', list, at, ...PLACE];
      context.addIssue({ code: 'custom', path, message: 'must be in the past (C2)' });
    });
  refuse('originatorPerson', data.originator?.originatorPerson);
  refuse('beneficiaryPerson', data.beneficiary?.beneficiaryPerson);
}
type Person = NonNullable<NonNullable<TravelRuleData['originator']>['originatorPerson']>[number];
const PLACE = ['naturalPerson', 'dateAndPlaceOfBirth', 'dateOfBirth'];

export const travelRuleField = z.preprocess(refuseLong, ivms101.superRefine(refuseUnborn));
