/** Refusals that several operations answer alike, said once: the description of two hundred operations is half as long. */

type Responses = Record<string, unknown>;

export interface SharedResponses {
  /** Those of one operation, in which references come to stand. */
  add(responses: Responses): void;
  /** What the references point to. Named by status and slugs, so that a reference says as much. */
  all(): Responses;
}

export function shareResponses(): SharedResponses {
  const uses = new Map<string, { responses: Responses; status: string }[]>();
  return {
    add(responses) {
      for (const [status, response] of Object.entries(responses)) {
        if (Number(status) < 400) continue;
        const text = JSON.stringify(response);
        const places = uses.get(text);
        if (places === undefined) uses.set(text, [{ responses, status }]);
        else places.push({ responses, status });
      }
    },
    all() {
      const shared: Responses = {};
      for (const [text, places] of uses) {
        const name = nameOf(places[0]!.status, text);
        if (places.length === 1 || name in shared) continue;
        shared[name] = JSON.parse(text);
        for (const { responses, status } of places) responses[status] = { $ref: `#/components/responses/${name}` };
      }
      return shared;
    },
  };
}

function nameOf(status: string, text: string): string {
  const { description } = JSON.parse(text) as { description: string };
  const form = /#\/components\/schemas\/(\w+)"/.exec(text)?.[1] ?? 'Refusal';
  return [form, status, ...[...description.matchAll(/`(\w+)`/g)].map(([, slug]) => slug)].join('-');
}
