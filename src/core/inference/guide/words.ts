/** Words of a text as the search compares them. */
import { stemmer } from 'stemmer';

/** They say nothing of what a text is about. */
const STOP = new Set(
  `a about after again all also am an and any anybody anyone anything are as at be been being but by can cannot could d did do does doing done
  else ever every few for from get give go goes got had has have having he hello hi how i if in into is it its just let like ll m make makes
  mean means me mine much must my need no nor not now of off on only or our out over own please re s same shall she should show so some
  somebody someone something such t tell than thank thanks that the their them then there these they thing things this those to too
  up us use used using ve very want was way we were what when where which while who whom why will with within without would you your`.split(
    /\s+/,
  ),
);

/** In lower case, in their order. Numbers and identifiers are parted where they have other characters. */
export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** null: it says nothing. */
export const termOf = (word: string): string | null => (STOP.has(word) ? null : stemmer(word));

export const termsOf = (text: string): string[] => wordsOf(text).flatMap((word) => termOf(word) ?? []);

/** What people say, and what the documentation calls it. */
const OTHER_WORDS: readonly (readonly [people: string, documentation: string])[] = [
  ['colleague coworker employee staff teammate', 'user person'],
  ['customer tenant', 'account'],
  ['forgot forgotten', 'reset'],
  ['lost', 'reset restore backup'],
  ['2fa mfa otp authenticator', 'totp second factor'],
  ['authentication authenticate', 'credential login totp'],
  ['login signin', 'log'],
  ['send sent transfer withdraw withdrawal', 'pay payment transaction'],
  ['payee beneficiary', 'recipient address book'],
  ['stuck pending', 'unconfirmed mempool'],
  ['accelerate faster rbf speed', 'bump fee'],
  ['undo revert recall', 'cancel back'],
  ['fee', 'feerate'],
  ['feerate', 'fee'],
  ['coin', 'utxo'],
  ['utxo', 'coin'],
  ['receive receiving', 'address deposit'],
  ['fresh', 'next reserve'],
  ['new', 'create make'],
  ['merge', 'combine'],
  ['allow', 'rule policy'],
  ['forbid prohibit', 'deny rule'],
  ['block', 'deny'],
  ['allowlist whitelist', 'address book allow'],
  ['blacklist blocklist sanction ofac', 'screening list'],
  ['kyc', 'travel rule'],
  ['mute night silence', 'quiet hours'],
  ['siem splunk', 'syslog log collector connection'],
  ['forward', 'deliver send connection'],
  ['callback', 'webhook'],
  ['retry', 'again repeat'],
  ['fail', 'error'],
  ['phone smartphone android ios', 'mobile device'],
  ['proof', 'prove'],
  ['prove', 'proof'],
  ['include', 'block merkle'],
  ['tax', 'lots gain'],
  ['leak compromise', 'stolen revoke'],
  ['stolen', 'revoke'],
  ['chart graph plot', 'metric trend'],
  ['forecast', 'prediction predict'],
  ['history', 'transaction list'],
  ['delegate', 'delegation'],
];

const byTerm = new Map(
  OTHER_WORDS.flatMap(([people, documentation]) => {
    const meant = termsOf(documentation);
    return wordsOf(people).map((word) => [stemmer(word), meant] as const);
  }),
);

/** Terms of the documentation that a term may stand for besides itself. */
export const otherTerms = (term: string): readonly string[] => byTerm.get(term) ?? [];
