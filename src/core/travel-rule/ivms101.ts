/**
 * The data of the travel rule as the interVASP Messaging Standard says it (IVMS101.2023), under its own names. What is there and is wrong is
 * refused here; what is not there is listed (missing-fields.ts).
 */
import { z } from 'zod';

/** ISO 3166-1 alpha-2, and XX of the standard: unknown. */
const COUNTRIES = new Set(
  (
    'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI ' +
    'CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ ' +
    'GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS ' +
    'LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG ' +
    'PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK ' +
    'TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW XX'
  ).split(' '),
);

/** ISO 17442: 18 characters and two check digits (ISO 7064, MOD 97-10). */
export function isLei(text: string): boolean {
  if (!/^[0-9A-Z]{18}[0-9]{2}$/.test(text)) return false;
  return BigInt([...text].map((character) => Number.parseInt(character, 36)).join('')) % 97n === 1n;
}

/** Of lists to which the standard sets no end. */
const MOST = 10;
const listOf = <S extends z.ZodType>(member: S, most = MOST) =>
  z.array(member).max(most, `must have at most ${most} members`);
const text = (most: number) =>
  z
    .string()
    .regex(new RegExp(`^[ -~]{1,${most}}$`), `must have 1 to ${most} characters of printable ASCII`)
    .optional();
const local = z
  .string()
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]{1,100}$/u, 'must have 1 to 100 characters')
  .optional();
const code = <const C extends string>(codes: readonly [C, ...C[]]) =>
  z.enum(codes, `must be one of ${codes.join(', ')}`).optional();
const country = z
  .string()
  .regex(/^[A-Z]{2}$/, 'must be two capital letters of ISO 3166-1')
  .refine((one) => COUNTRIES.has(one), 'must be a code of ISO 3166-1, or XX: unknown')
  .optional();
const dateOfBirth = z.iso.date('must be a date: YYYY-MM-DD').optional();

const NATURAL_NAMES = ['ALIA', 'BIRT', 'MAID', 'LEGL', 'MISC'] as const;
const LEGAL_NAMES = ['LEGL', 'SHRT', 'TRAD'] as const;
const IDENTIFIERS = ['ARNU', 'CCPT', 'RAID', 'DRLC', 'FIIN', 'TXID', 'SOCS', 'IDCD', 'LEIX', 'MISC'] as const;
/** Of legal persons (C7). */
const LEGAL_IDENTIFIERS: readonly string[] = ['RAID', 'MISC', 'LEIX', 'TXID'];
const SCRIPTS = [
  'arab',
  'aran',
  'armn',
  'cyrl',
  'deva',
  'geor',
  'grek',
  'hani',
  'hebr',
  'kana',
  'kore',
  'thai',
  'othr',
] as const;

const address = z
  .strictObject({
    ...{ addressType: code(['HOME', 'BIZZ', 'GEOG']), department: text(50), subDepartment: text(70) },
    ...{ streetName: text(70), buildingNumber: text(16), buildingName: text(35), floor: text(70), postBox: text(16) },
    ...{ room: text(70), postcode: text(16), townName: text(35), townLocationName: text(35), districtName: text(35) },
    ...{
      countrySubDivision: text(35),
      addressLine: listOf(text(70).unwrap(), 7).optional(),
    },
    country,
  })
  .meta({ id: 'Ivms101Address' });
const identification = z
  .strictObject({
    ...{ nationalIdentifier: text(35), nationalIdentifierType: code(IDENTIFIERS), countryOfIssue: country },
    registrationAuthority: z
      .string()
      .regex(/^RA\d{6}$/, 'must be a code of the GLEIF list of registration authorities: RA000553')
      .optional(),
  })
  .meta({ id: 'Ivms101NationalIdentification' });
const localNaturalName = z.strictObject({
  ...{ primaryIdentifier: local, secondaryIdentifier: local, nameIdentifierType: code(NATURAL_NAMES) },
});
const naturalPerson = z
  .strictObject({
    name: z
      .strictObject({
        nameIdentifier: listOf(
          z.strictObject({
            ...{ primaryIdentifier: text(100), secondaryIdentifier: text(100) },
            naturalPersonNameIdentifierType: code(NATURAL_NAMES),
          }),
        ).optional(),
        localNameIdentifier: listOf(localNaturalName).optional(),
        phoneticNameIdentifier: listOf(localNaturalName).optional(),
      })
      .optional(),
    geographicAddress: listOf(address).optional(),
    nationalIdentification: identification.optional(),
    customerIdentification: text(50),
    dateAndPlaceOfBirth: z.strictObject({ dateOfBirth, placeOfBirth: text(70) }).optional(),
    countryOfResidence: country,
  })
  .meta({ id: 'Ivms101NaturalPerson' });
const localLegalName = z.strictObject({ legalPersonName: local, legalPersonNameIdentifierType: code(LEGAL_NAMES) });
const legalPerson = z
  .strictObject({
    name: z
      .strictObject({
        nameIdentifier: listOf(
          z.strictObject({ legalPersonName: text(100), legalPersonNameIdentifierType: code(LEGAL_NAMES) }),
        ).optional(),
        localNameIdentifier: listOf(localLegalName).optional(),
        phoneticNameIdentifier: listOf(localLegalName).optional(),
      })
      .optional(),
    geographicAddress: listOf(address).optional(),
    customerIdentification: text(50),
    nationalIdentification: identification.optional(),
    countryOfRegistration: country,
  })
  .superRefine(({ nationalIdentification: id }, context) => {
    if (id === undefined) return;
    const issue = (field: keyof typeof id, message: string) =>
      context.addIssue({ code: 'custom', path: ['nationalIdentification', field], message });
    const type = id.nationalIdentifierType;
    if (type !== undefined && !LEGAL_IDENTIFIERS.includes(type))
      issue('nationalIdentifierType', `must be one of ${LEGAL_IDENTIFIERS.join(', ')} of a legal person (C7)`);
    if (id.countryOfIssue !== undefined) issue('countryOfIssue', 'must be absent of a legal person (C9)');
    if (type !== 'LEIX') return;
    if (id.registrationAuthority !== undefined) issue('registrationAuthority', 'must be absent beside LEIX (C9)');
    if (id.nationalIdentifier !== undefined && !isLei(id.nationalIdentifier))
      issue('nationalIdentifier', 'must be a legal entity identifier: its check digits do not fit (C11)');
  })
  .meta({ id: 'Ivms101LegalPerson' });
const accountNumber = listOf(text(512).unwrap())
  .optional()
  .meta({ description: 'IVMS101 of 2020 has it beside the persons, that of 2023 in the person: either is taken' });
const person = z
  .strictObject({ naturalPerson: naturalPerson.optional(), legalPerson: legalPerson.optional(), accountNumber })
  .superRefine((one, context) => {
    if (one.naturalPerson !== undefined && one.legalPerson !== undefined)
      context.addIssue({ code: 'custom', path: ['legalPerson'], message: 'cannot go with naturalPerson' });
  })
  .meta({ id: 'Ivms101Person' });

export const ivms101 = z
  .strictObject({
    originator: z.strictObject({ originatorPerson: listOf(person).optional(), accountNumber }).optional(),
    beneficiary: z.strictObject({ beneficiaryPerson: listOf(person).optional(), accountNumber }).optional(),
    originatingVASP: z.strictObject({ originatingVASP: person.optional() }).optional(),
    beneficiaryVASP: z.strictObject({ beneficiaryVASP: person.optional() }).optional(),
    transferPath: z
      .strictObject({
        transferPath: listOf(
          z.strictObject({ intermediaryVASP: person.optional(), sequence: z.int('must be a whole number') }),
        ).optional(),
      })
      .superRefine(({ transferPath = [] }, context) => {
        const inOrder = transferPath.map(({ sequence }) => sequence).sort((one, other) => one - other);
        if (inOrder.some((sequence, place) => sequence !== place))
          context.addIssue({ code: 'custom', path: ['transferPath'], message: 'must be numbered from 0 on (C12)' });
      })
      .optional(),
    payloadMetadata: z
      .strictObject({
        transliterationMethod: listOf(code(SCRIPTS).unwrap()).optional(),
        payloadVersion: z.literal('101.2023', 'must be 101.2023').optional(),
      })
      .optional(),
  })
  .meta({ id: 'Ivms101', description: 'IVMS101.2023, with the names of the standard' });

export type TravelRuleData = z.infer<typeof ivms101>;
export type Ivms101Person = z.infer<typeof person>;
