/** Client authentication (RFC 6749 §2.3.1): HTTP Basic, or client_id and client_secret in the body; never both. */
import { DomainError } from '../../core/errors.ts';
import type { ClientIdentity } from '../../services/tokens/client-credentials.ts';

const BASIC = /^Basic +([A-Za-z0-9+/]+=*)$/i;

/** Throws `unauthorized` where there are none, or not in that form; `invalid_value` where there are two. */
export function clientIdentity(
  authorization: string | null,
  form: { client_id?: string | undefined; client_secret?: string | undefined },
): ClientIdentity {
  const { client_id: clientId, client_secret: clientSecret } = form;
  if (authorization === null) {
    if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret };
    throw new DomainError('unauthorized', 'the client must authenticate: HTTP Basic, or client_id and client_secret');
  }
  if (clientSecret !== undefined) {
    throw new DomainError('invalid_value', 'the client authenticates in two ways: send HTTP Basic or client_secret', {
      field: 'client_secret',
    });
  }
  const basic = basicIdentity(authorization);
  if (clientId !== undefined && clientId !== basic.clientId) {
    throw new DomainError('invalid_value', 'client_id is not the client of the Authorization header', {
      field: 'client_id',
    });
  }
  return basic;
}

/** Id and secret are form-encoded before they are joined (RFC 6749 §2.3.1). */
function basicIdentity(authorization: string): ClientIdentity {
  const refusal = () => new DomainError('unauthorized', 'the Authorization header must be: Basic base64(id:secret)');
  const encoded = BASIC.exec(authorization)?.[1];
  if (encoded === undefined) throw refusal();
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) throw refusal();
  const decoded = (part: string) => decodeURIComponent(part.replaceAll('+', ' '));
  try {
    return { clientId: decoded(text.slice(0, colon)), clientSecret: decoded(text.slice(colon + 1)) };
  } catch {
    throw refusal();
  }
}
