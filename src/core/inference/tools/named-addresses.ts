/** The addresses that a request names anywhere in it: whoever is to sign it sees each, and where it stands. */
import { DomainError } from '../../errors.ts';
import type { Network } from '../../network.ts';
import { networksOf } from '../../relay-policy/address.ts';

export interface NamedAddress {
  readonly address: string;
  /** `body.recipients[0].address` */
  readonly at: string;
  readonly networks: readonly Network[];
}

export interface Named {
  readonly addresses: readonly NamedAddress[];
  /** Fields with encoded data (a PSBT, a raw transaction), in which addresses are not looked for. */
  readonly encoded: readonly string[];
}

/** What may be one by its look: each is decoded, which takes a hash. */
const CANDIDATE = /^(?:(?:bcrt|bc|tb)1[a-z0-9]{8,86}|[13mn2][1-9A-HJ-NP-Za-km-z]{24,34})$/i;
const WORD = /[A-Za-z0-9]+/g;
const ENCODED = /^[A-Za-z0-9+/_=:-]{100,}$/;
const MOST_CANDIDATES = 100;

/** Each is decoded once. Throws `too_large` where that are more than the serving thread has time for. */
export function namedAddresses(request: object): Named {
  const addresses: NamedAddress[] = [];
  const encoded: string[] = [];
  const known = new Map<string, readonly Network[]>();
  for (const [at, text] of textsIn(request, '')) {
    if (ENCODED.test(text)) encoded.push(at);
    for (const [word] of text.matchAll(WORD)) {
      if (!CANDIDATE.test(word)) continue;
      const networks = known.get(word) ?? networksOf(word);
      known.set(word, networks);
      if (known.size > MOST_CANDIDATES)
        throw new DomainError('too_large', `it names more than ${MOST_CANDIDATES} addresses: propose it in parts`);
      if (networks.length > 0) addresses.push({ address: word, at, networks });
    }
  }
  return { addresses, encoded };
}

/** Every text within, the names of members too, and where it stands. */
function* textsIn(value: unknown, at: string): Generator<[at: string, text: string]> {
  if (typeof value === 'string') yield [at, value];
  else if (Array.isArray(value)) for (const [index, one] of value.entries()) yield* textsIn(one, `${at}[${index}]`);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const place = at === '' ? name : `${at}.${name}`;
      yield [place, name];
      yield* textsIn(member, place);
    }
  }
}
