/** Data of the travel rule against the standard's own examples and constraints. */
import { describe, expect, it } from 'vitest';
import { isLei, ivms101, type TravelRuleData } from '../../src/core/travel-rule/ivms101.ts';
import { missingFields, namesOf } from '../../src/core/travel-rule/missing-fields.ts';
import vectors from '../vectors/ivms101.json' with { type: 'json' };

const parsed = (data: unknown): TravelRuleData => ivms101.parse(data);
const problem = (data: unknown): string => ivms101.safeParse(data).error?.issues[0]?.path.join('.') ?? 'none';
const company = (nationalIdentification: object, more: object = {}) => ({
  name: { nameIdentifier: [{ legalPersonName: 'ABC Limited', legalPersonNameIdentifierType: 'LEGL' }] },
  ...{ nationalIdentification, ...more },
});
const by = (person: object) => ({ originator: { originatorPerson: [person] } });

it.each([
  ['example1', 'Dr Alice Smith', 'Robert Barnes'],
  ['example2', 'Xinli Wu', 'ABC Limited'],
] as const)('%s of the standard is complete', (name, originator, beneficiary) => {
  const data = parsed(vectors[name]);
  expect(data).toEqual(vectors[name]);
  expect(missingFields(data)).toEqual([]);
  expect(namesOf(data)).toEqual({ originator, beneficiary });
});

it('an LEI has check digits; the one of the standard’s example does not fit', () => {
  expect(vectors.leis.map(isLei)).toEqual([true, true, true]);
  const [lei = ''] = vectors.leis;
  const near = [
    vectors.exampleLei,
    lei.toLowerCase(),
    lei.slice(1),
    `${lei}0`,
    `6${lei.slice(1)}`,
    lei.replace('BP', 'PB'),
  ];
  expect(near.map(isLei)).toEqual(near.map(() => false));
});

describe('what is wrong is named by its path', () => {
  const place = 'originator.originatorPerson.0';
  it.each([
    [{ originators: [] }, ''],
    [by({ naturalPerson: { nickname: 'x' } }), `${place}.naturalPerson`],
    [by({ naturalPerson: {}, legalPerson: {} }), `${place}.legalPerson`],
    [by({ naturalPerson: { customerIdentification: '' } }), `${place}.naturalPerson.customerIdentification`],
    [by({ naturalPerson: { customerIdentification: 'ü' } }), `${place}.naturalPerson.customerIdentification`],
    [by({ naturalPerson: { countryOfResidence: 'QQ' } }), `${place}.naturalPerson.countryOfResidence`],
    [by({ naturalPerson: { countryOfResidence: 'XX' } }), 'none'],
    [
      by({ naturalPerson: { dateAndPlaceOfBirth: { dateOfBirth: '1990-02-30' } } }),
      `${place}.naturalPerson.dateAndPlaceOfBirth.dateOfBirth`,
    ],
    [
      by({ naturalPerson: { geographicAddress: [{ addressLine: Array(8).fill('a') }] } }),
      `${place}.naturalPerson.geographicAddress.0.addressLine`,
    ],
    [
      by({ legalPerson: company({ nationalIdentifierType: 'CCPT' }) }),
      `${place}.legalPerson.nationalIdentification.nationalIdentifierType`,
    ],
    [
      by({ legalPerson: company({ countryOfIssue: 'CL' }) }),
      `${place}.legalPerson.nationalIdentification.countryOfIssue`,
    ],
    [
      by({ legalPerson: company({ nationalIdentifierType: 'LEIX', registrationAuthority: 'RA000553' }) }),
      `${place}.legalPerson.nationalIdentification.registrationAuthority`,
    ],
    [
      by({ legalPerson: company({ nationalIdentifierType: 'LEIX', nationalIdentifier: vectors.exampleLei }) }),
      `${place}.legalPerson.nationalIdentification.nationalIdentifier`,
    ],
    [{ transferPath: { transferPath: [{ sequence: 0 }, { sequence: 2 }] } }, 'transferPath.transferPath'],
    [{ payloadMetadata: { payloadVersion: '101' } }, 'payloadMetadata.payloadVersion'],
  ])('%j', (data, path) => expect(problem(data)).toBe(path));
});

describe('what is missing is listed', () => {
  const place = 'originator.originatorPerson[0]';
  const of = (data: unknown) => missingFields(parsed(data)).filter((path) => !path.startsWith('beneficiary.'));
  const named = { nameIdentifier: [{ primaryIdentifier: 'Smith', naturalPersonNameIdentifierType: 'LEGL' }] };
  it.each([
    [{}, ['originator.originatorPerson']],
    [by({}), [`${place}.naturalPerson`]],
    [by({ naturalPerson: { name: named } }), [`${place}.naturalPerson.geographicAddress`]],
    [
      by({
        naturalPerson: { customerIdentification: '1', name: { nameIdentifier: [{ primaryIdentifier: 'Smith' }] } },
      }),
      [
        `${place}.naturalPerson.name.nameIdentifier`,
        `${place}.naturalPerson.name.nameIdentifier[0].naturalPersonNameIdentifierType`,
      ],
    ],
    [
      by({ naturalPerson: { name: named, geographicAddress: [{ streetName: 'Potential Street', country: 'US' }] } }),
      ['addressType', 'townName', 'addressLine'].map((field) => `${place}.naturalPerson.geographicAddress[0].${field}`),
    ],
    [
      by({ naturalPerson: { name: named, dateAndPlaceOfBirth: { dateOfBirth: '1990-02-25' } } }),
      [`${place}.naturalPerson.dateAndPlaceOfBirth.placeOfBirth`],
    ],
    [
      by({ legalPerson: company({ nationalIdentifier: '1', nationalIdentifierType: 'TXID' }) }),
      [`${place}.legalPerson.nationalIdentification.registrationAuthority`],
    ],
    [
      by({ legalPerson: { ...company({}), nationalIdentification: undefined, geographicAddress: [HOME] } }),
      [`${place}.legalPerson.geographicAddress`],
    ],
    [{ ...vectors.example1, originatingVASP: {} }, ['originatingVASP.originatingVASP.naturalPerson']],
    [{ ...vectors.example1, payloadMetadata: {} }, ['payloadMetadata.payloadVersion']],
  ])('%j', (data, paths) => expect(of(data)).toEqual(paths));
});
const HOME = { addressType: 'HOME', addressLine: ['a'], townName: 'Walnut', country: 'US' };
