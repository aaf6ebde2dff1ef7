/** What data of the travel rule lack of what IVMS101 requires (multiplicities and constraints C1, C4, C5, C6, C8, C9), as paths. */
import type { Ivms101Person, TravelRuleData } from './ivms101.ts';

type Natural = NonNullable<Ivms101Person['naturalPerson']>;
type Legal = NonNullable<Ivms101Person['legalPerson']>;
type Address = NonNullable<Natural['geographicAddress']>[number];
type Lists = 'nameIdentifier' | 'localNameIdentifier' | 'phoneticNameIdentifier';
type Named = { readonly name?: { readonly [list in Lists]?: readonly object[] | undefined } | undefined };

const absent = (of: object, path: string, fields: readonly string[]): string[] =>
  fields.filter((field) => (of as Record<string, unknown>)[field] === undefined).map((field) => `${path}.${field}`);

/** Complete: nothing is missing. */
export const missingFields = (data: TravelRuleData): string[] => [
  ...persons('originator.originatorPerson', data.originator?.originatorPerson, true),
  ...persons('beneficiary.beneficiaryPerson', data.beneficiary?.beneficiaryPerson, false),
  ...(data.originatingVASP ? person('originatingVASP.originatingVASP', data.originatingVASP.originatingVASP) : []),
  ...(data.beneficiaryVASP ? person('beneficiaryVASP.beneficiaryVASP', data.beneficiaryVASP.beneficiaryVASP) : []),
  ...(data.transferPath?.transferPath ?? []).flatMap((step, at) =>
    person(`transferPath.transferPath[${at}].intermediaryVASP`, step.intermediaryVASP),
  ),
  ...(data.payloadMetadata ? absent(data.payloadMetadata, 'payloadMetadata', ['payloadVersion']) : []),
];

const persons = (path: string, list: readonly Ivms101Person[] | undefined, originator: boolean): string[] =>
  list === undefined || list.length === 0
    ? [path]
    : list.flatMap((one, at) => person(`${path}[${at}]`, one, originator));

function person(path: string, one: Ivms101Person | undefined, originator = false): string[] {
  if (one?.naturalPerson) return natural(`${path}.naturalPerson`, one.naturalPerson, originator);
  if (one?.legalPerson) return legal(`${path}.legalPerson`, one.legalPerson, originator);
  return [`${path}.naturalPerson`];
}

function natural(path: string, one: Natural, originator: boolean): string[] {
  const { geographicAddress, nationalIdentification, customerIdentification, dateAndPlaceOfBirth } = one;
  // C1
  const known =
    (geographicAddress?.length ?? 0) > 0 || nationalIdentification || customerIdentification || dateAndPlaceOfBirth;
  return [
    ...names(
      path,
      one,
      ['primaryIdentifier', 'naturalPersonNameIdentifierType'],
      ['primaryIdentifier', 'nameIdentifierType'],
    ),
    ...(originator && !known ? [`${path}.geographicAddress`] : []),
    ...addresses(path, geographicAddress),
    ...identification(path, nationalIdentification),
    ...(dateAndPlaceOfBirth
      ? absent(dateAndPlaceOfBirth, `${path}.dateAndPlaceOfBirth`, ['dateOfBirth', 'placeOfBirth'])
      : []),
  ];
}

function legal(path: string, one: Legal, originator: boolean): string[] {
  const { geographicAddress, nationalIdentification: id, customerIdentification } = one;
  // C4
  const known = geographicAddress?.some(({ addressType }) => addressType === 'GEOG') || id || customerIdentification;
  const fields = ['legalPersonName', 'legalPersonNameIdentifierType'];
  // C9
  const unregistered = id && id.nationalIdentifierType !== 'LEIX' && id.registrationAuthority === undefined;
  return [
    ...names(path, one, fields, fields),
    ...(originator && !known ? [`${path}.geographicAddress`] : []),
    ...addresses(path, geographicAddress),
    ...identification(path, id),
    ...(unregistered ? [`${path}.nationalIdentification.registrationAuthority`] : []),
  ];
}

function names(path: string, { name }: Named, fields: readonly string[], localFields: readonly string[]): string[] {
  const given = name?.nameIdentifier ?? [];
  const typeOf = fields[1] as string;
  // C5, C6
  const legalName = given.some((one) => (one as Record<string, unknown>)[typeOf] === 'LEGL');
  const listed = (list: Lists, its: readonly string[]) =>
    (name?.[list] ?? []).flatMap((one, at) => absent(one, `${path}.name.${list}[${at}]`, its));
  return [
    ...(legalName ? [] : [`${path}.name.nameIdentifier`]),
    ...listed('nameIdentifier', fields),
    ...listed('localNameIdentifier', localFields),
    ...listed('phoneticNameIdentifier', localFields),
  ];
}

const addresses = (path: string, list: readonly Address[] = []): string[] =>
  list.flatMap((one, at) => {
    const place = `${path}.geographicAddress[${at}]`;
    const { addressLine, streetName, buildingName, buildingNumber } = one;
    // C8
    const located = (addressLine?.length ?? 0) > 0 || (streetName && (buildingName || buildingNumber));
    return [
      ...absent(one, place, ['addressType', 'townName', 'country']),
      ...(located ? [] : [`${place}.addressLine`]),
    ];
  });

const identification = (path: string, id: Natural['nationalIdentification']): string[] =>
  id ? absent(id, `${path}.nationalIdentification`, ['nationalIdentifier', 'nationalIdentifierType']) : [];

/** Whom it names first on either side, by the legal name; null: nobody. */
export const namesOf = ({ originator, beneficiary }: TravelRuleData) => ({
  originator: legalNameOf(originator?.originatorPerson?.[0]),
  beneficiary: legalNameOf(beneficiary?.beneficiaryPerson?.[0]),
});

function legalNameOf(one: Ivms101Person | undefined): string | null {
  const natural = one?.naturalPerson?.name?.nameIdentifier ?? [];
  const name = natural.find(({ naturalPersonNameIdentifierType: type }) => type === 'LEGL') ?? natural[0];
  if (name) return [name.secondaryIdentifier, name.primaryIdentifier].filter(Boolean).join(' ');
  const legal = one?.legalPerson?.name?.nameIdentifier ?? [];
  return (
    (legal.find(({ legalPersonNameIdentifierType: type }) => type === 'LEGL') ?? legal[0])?.legalPersonName ?? null
  );
}
