/** Paths that other services have, and people and probes ask first, with where it is here. */
const LIVE = 'did you mean /livez (it answers) or /readyz (requests would be served)?';
const READY = 'did you mean /readyz?';
const REFERENCE = '/docs is the reference, /openapi.json describes the operations';
const DESCRIPTION = 'did you mean /openapi.json?';

const USUAL: Readonly<Record<string, string>> = {
  ...{ '/health': LIVE, '/healthz': LIVE, '/ping': LIVE, '/ready': READY },
  '/metrics': 'metrics are served on a port of their own, which METRICS_PORT sets',
  ...{ '/openapi.yaml': DESCRIPTION, '/swagger.json': DESCRIPTION },
  ...{ '/swagger': REFERENCE, '/api-docs': REFERENCE, '/api': REFERENCE, '/api/v1': REFERENCE },
  ...{ '/docs/README': 'did you mean /docs/guides?', '/docs/README.md': 'did you mean /docs/guides?' },
};

const BY_PATH = new Map(Object.entries(USUAL));

/** What to say of it; null where it is no such path. */
export const pathSuggestion = (path: string): string | null => BY_PATH.get(path.replace(/\/$/, '')) ?? null;
