/** Data of the travel rule as callers send it, of payments and by themselves. */
import { z } from 'zod';
import { ivms101, type TravelRuleData } from '../core/travel-rule/ivms101.ts';

const MOST_OF_ONE = 8 * 1024;
/** Of all recipients of a request: as many as are checked within some ten milliseconds. */
const MOST_OF_REQUEST = 48 * 1024;

const lengthOf = (data: unknown): number => (data === undefined ? 0 : JSON.stringify(data).length);

/** Before they are gone through. */
const refuseLong =
  (most: number, measured: (given: unknown) => number, of: string) =>
  (given: unknown, context: z.RefinementCtx): unknown => {
    if (measured(given) <= most) return given;
    context.issues.push({ code: 'custom', message: `must have at most ${most} characters of ${of}`, input: '' });
    return z.NEVER;
  };

/** Characters of the data of these recipients. */
export const charactersOf = (recipients: unknown): number =>
  Array.isArray(recipients) ? recipients.reduce((sum: number, one) => sum + lengthOf(one?.travel_rule), 0) : 0;
export const refuseLongInAll = (measured: (given: unknown) => number) =>
  refuseLong(MOST_OF_REQUEST, measured, 'travel_rule in all: the rest by PUT /api/v1/compliance/travel-rule/{txid}');

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

export const travelRuleField = z.preprocess(
  refuseLong(MOST_OF_ONE, lengthOf, 'JSON'),
  ivms101.superRefine(refuseUnborn),
);
