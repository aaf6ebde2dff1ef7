/** Refusals that several operations answer alike, said once: the description of two hundred operations is half as long. */

type Responses = Record<string, unknown>;

/** Replaces them by references, and answers what those point to. Named by status and slugs, so that a reference says as much. */
export function shareResponses(paths: Readonly<Record<string, Record<string, unknown>>>): Responses {
  const operations = Object.values(paths).flatMap((path) => Object.values(path) as { responses: Responses }[]);
  const uses = new Map<string, { responses: Responses; status: string }[]>();
  for (const { responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      const text = JSON.stringify(response);
      uses.set(text, [...(uses.get(text) ?? []), { responses, status }]);
    }
  }
  const shared: Responses = {};
  for (const [text, places] of uses) {
    const name = nameOf(places[0]!.status, text);
    if (places.length === 1 || name in shared) continue;
    shared[name] = JSON.parse(text);
    for (const { responses, status } of places) responses[status] = { $ref: `#/components/responses/${name}` };
  }
  return shared;
}

function nameOf(status: string, text: string): string {
  const { description } = JSON.parse(text) as { description: string };
  const form = /#\/components\/schemas\/(\w+)"/.exec(text)?.[1] ?? 'Refusal';
  return [form, status, ...[...description.matchAll(/`(\w+)`/g)].map(([, slug]) => slug)].join('-');
}
