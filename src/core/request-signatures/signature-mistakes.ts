/** What is told of a signature that cannot be verified, in the words of RFC 9421 and of our rule. */
import type { MessageDescriptor, SignatureErrorCode } from 'http-message-sig';
import { requiredComponents } from './signature-rule.ts';
import { SIGNATURE_ALGORITHMS } from './signing-algorithm.ts';

/** A dictionary of one byte sequence (RFC 8941 §3.2, §3.3.5). */
const SIGNATURE_FORM = /^[ \t]*[a-z*][a-z0-9_.*-]*=:[A-Za-z0-9+/]*={0,2}:[ \t]*$/;

type Told = Exclude<SignatureErrorCode, 'ResolverFailed' | 'VerificationFailed'>;

export function signatureMistake(code: Told, message: MessageDescriptor): string {
  const fields = new Map(message.fields.map(({ name, value }) => [name.toLowerCase(), String(value)]));
  const input = fields.get('signature-input') ?? '';
  switch (code) {
    case 'MissingField': {
      const missing = covered(input).filter((name) => !fields.has(name));
      const what = missing.length === 0 ? 'a member of a header' : missing.join(', ');
      return `it covers ${what}, which the request does not have: send that, too, or leave it out of Signature-Input`;
    }
    case 'LabelRequired':
    case 'DuplicateLabel':
      return 'exactly one signature is taken';
    case 'LabelMismatch':
      return 'Signature and Signature-Input name different signatures: both begin with the same name, such as sig=';
    case 'DuplicateComponent':
      return 'it covers a component twice';
    case 'InvalidComponent':
    case 'UnsupportedFeature':
      return `it covers a component that is not supported: it may cover ${all.join(', ')} and headers of the request, without parameters`;
    case 'PolicyViolation':
    case 'AlgorithmMismatch': {
      const [, alg] = /;alg="([^"]{1,40})"/.exec(input) ?? [];
      return `its alg${alg === undefined ? '' : ` "${alg}"`} must be that of the key, one of ${SIGNATURE_ALGORITHMS.join(', ')}`;
    }
    case 'MalformedField':
      return SIGNATURE_FORM.test(fields.get('signature') ?? '')
        ? 'Signature-Input must look like sig=("@method" "@authority" "@path" "@query");created=1700000000;keyid="…";nonce="…";tag="ashlar", with names in lower case and each parameter once'
        : 'Signature must look like sig=:<base64>:';
  }
}

const all = requiredComponents({ body: false, idempotencyKey: false });

/** Names of the headers that a Signature-Input lists. */
const covered = (input: string): string[] =>
  [...(/\(([^)]*)\)/.exec(input)?.[1] ?? '').matchAll(/"([a-z0-9-]{1,64})"/g)].map(([, name]) => name as string);
