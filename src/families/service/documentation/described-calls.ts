/** The operations as the guide tells of them. */
import type { DocumentedCall } from '../../../core/inference/guide/documented.ts';
import type { AnyOperation } from '../../../hooks/operation.ts';
import { codeSamples } from '../openapi/code-samples.ts';
import { takesSignature } from '../openapi/security.ts';

export const describedCalls = (operations: readonly AnyOperation[]): DocumentedCall[] =>
  operations.map((declared) => {
    const { id: operation, method, path, summary, description = '' } = declared;
    const [{ source: command } = { source: `${method} ${path}` }] = codeSamples(declared);
    return { operation, method, path, summary, description, needs: needsOf(declared), command };
  });

function needsOf(operation: AnyOperation): string {
  const { access } = operation;
  if (access === 'public') return 'Needs no credential.';
  const { scope, role, own, platform } = access;
  const rights = `Needs scope \`${scope}\` and role \`${role}\``;
  const who = `${own === undefined ? '' : ', or the person whose it is'}${platform ? ', of the account that runs the service' : ''}`;
  return `${rights}${who}${takesSignature(operation) ? '; the request is signed' : ''}.`;
}
