/** docs/errors.md, made from the tables of refusals. */
import type { DomainErrorCode } from '../../src/core/errors.ts';
import { DOMAIN_STATUS } from '../../src/hooks/refusals/errors.ts';
import { INFERENCE_CODES } from '../../src/hooks/refusals/inference-errors.ts';
import { OAUTH_ERRORS } from '../../src/hooks/refusals/oauth-errors.ts';
import { REMEDIES } from '../../src/hooks/refusals/remedies.ts';

const HEAD = `<!-- Made from src/hooks/refusals by \`npm run docs\`: change those, not this. -->
# Errors
Programs branch on \`error.details.code\`. \`error.code\` groups these codes into six; \`error.message\` is for people. \`details.field\` is the path of the first
field that is wrong. If a request does not match its schema, \`details.errors\` lists every mistake, up to 20. \`details.reason\`, if present, adds a
detail to the message: what the field must be, the signature base, or the node's own words. \`details.docs\` is the URL of the code on this page.
Every response has an \`X-Request-Id\`, which is also in the log.

Error responses of \`/oauth/token\` and \`/oauth/revoke\` have the format of RFC 6749 §5.2, which OAuth clients expect: \`{"error": "invalid_client", "error_description": "…", "error_uri": "…"}\`,
without \`details\`. Programs branch on \`error\` there, one of ${OAUTH_ERRORS.map((error) => `\`${error}\``).join(', ')}.

Error responses of \`/api/v1/user\`, \`/api/v1/transaction\` and \`/api/v1/network\` have the message first: \`{"message": "…", "error": {"code": "…", "details": {…}}}\`.

Error responses of \`/v1/ai\` have the format that OpenAI clients expect: \`{"error": {"code": "…", "message": "…", "param": "…", "type": "…"}}\`. \`code\` is one of ${Object.values(
  INFERENCE_CODES,
)
  .map((code) => `\`${code}\``)
  .join(', ')};
\`type\` is the \`details.code\` of this page, \`param\` the field, empty where none is at fault.

| details.code | status | what to do |
|---|---|---|
`;

/** Of those that HTTP itself raises. */
const STATUS: Record<string, number> = {
  malformed_request: 400,
  malformed_json: 400,
  unsupported_media_type: 415,
  body_too_large: 413,
  method_not_allowed: 405,
  not_acceptable: 406,
  timed_out: 503,
  stopping: 503,
  overloaded: 503,
  internal_error: 500,
};

export const errorsPage = (): string =>
  HEAD +
  Object.entries(REMEDIES)
    .map(([code, remedy]) => {
      const status = DOMAIN_STATUS[code as DomainErrorCode]?.status ?? STATUS[code];
      return `| \`${code}\` | ${status} | ${remedy} |\n`;
    })
    .join('');
