/** A write as a model proposes it: checked against its operation, shown with every address it names, and sent by nobody here. */
import { roleReaches, scopeAllows } from '../../../core/access.ts';
import { DomainError } from '../../../core/errors.ts';
import { namedAddresses } from '../../../core/inference/tools/named-addresses.ts';
import { requiredComponents, SIGNATURE_TAG } from '../../../core/request-signatures/signature-rule.ts';
import { parsePart } from '../../../hooks/input/validation.ts';
import type { AnyOperation } from '../../../hooks/operation.ts';
import type { Credential } from '../../../services/requests/request-context.ts';
import type { Tool } from './tool-operations.ts';
import { toolRequest } from './tool-request.ts';

const LARGEST_BYTES = 32 * 1024;

export const proposeTool = (operations: readonly AnyOperation[]): Tool => ({
  name: 'propose_request',
  description:
    'Prepare a request that changes something. It is not sent: the answer is the unsigned request, for a person to read, sign and send. ' +
    'A mistake is answered with the schema of the operation’s arguments.',
  inputSchema: {
    type: 'object',
    properties: {
      operation: { type: 'string', enum: operations.map(({ id }) => id) },
      ...{ params: { type: 'object' }, query: { type: 'object' }, body: {} },
    },
    required: ['operation'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
});

/** Throws what is wrong with it. */
export function proposeRequest(
  operation: AnyOperation,
  given: Record<string, unknown>,
  credential: Credential,
): object {
  const { method, url, params, query, body } = toolRequest(operation, given, false);
  const parts = { query: operation.query, body: operation.body };
  if (operation.body !== undefined) parsePart(operation.body, 'body', body, parts);
  const text = body === undefined ? '' : JSON.stringify(body);
  if (text.length > LARGEST_BYTES)
    throw new DomainError('too_large', `a proposed body has at most ${LARGEST_BYTES} bytes`, { field: 'body' });
  const { addresses, encoded } = namedAddresses({ params, query, body });
  const { scope, role } = operation.access as Exclude<AnyOperation['access'], 'public'>;
  const hasBody = body !== undefined;
  return {
    ...{ proposed_by: 'model', executed: false, operation: operation.id, summary: operation.summary },
    request: { method, path: url, ...(hasBody && { headers: { 'content-type': 'application/json' }, body }) },
    sign: {
      components: requiredComponents({ body: hasBody, idempotencyKey: false }),
      parameters: ['created', 'keyid', 'nonce'],
      tag: SIGNATURE_TAG,
      optional: operation.idempotent ? ['idempotency-key'] : [],
    },
    needs: { scope, role, has: scopeAllows(credential.scopes, scope) && roleReaches(credential.role, role) },
    addresses: addresses.map((one) => ({ ...one, verified: false })),
    not_searched_for_addresses: encoded,
    warning:
      'A model made this, and the text that it read may have been written by others. Compare each address with one from the payee, by another way, before you sign.',
  };
}
