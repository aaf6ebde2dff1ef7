/** docs/errors.md, made from the tables of refusals. */
import type { DomainErrorCode } from '../../src/core/errors.ts';
import { DOMAIN_STATUS } from '../../src/hooks/refusals/errors.ts';
import { OAUTH_ERRORS } from '../../src/hooks/refusals/oauth-errors.ts';
import { REMEDIES } from '../../src/hooks/refusals/remedies.ts';

const HEAD = `<!-- Made from src/hooks/refusals by \`npm run docs\`: change those, not this. -->
# Errors
Programs branch on \`error.details.code\`; \`error.code\` is one of six that group them; \`error.message\` is for people. \`details.field\` is the path of the
first field that is wrong, and where a request does not have the form of its schema \`details.errors\` lists all that is wrong, up to 20.\n\`details.reason\` is there where it says what the message does not: what a field must be, the base of a signature, a node's own words. \`details.docs\` is the URL of the code on this page. Every answer has an \`X-Request-Id\`, which the log has too.

Refusals of \`/oauth/token\` and \`/oauth/revoke\` have the form of RFC 6749 §5.2, which OAuth clients read: \`{"error": "invalid_client", "error_description": "…", "error_uri": "…"}\`,
without \`details\`. Programs branch on \`error\` there, one of ${OAUTH_ERRORS.map((error) => `\`${error}\``).join(', ')}.

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
