/** What stands alike in several places of the document, said once under `components`. */

export interface SharedComponents {
  /** `place[key]` is one that may be shared under this name, if others are like it but for their description or example. */
  add<Key extends PropertyKey>(place: Record<Key, object>, key: Key, name: string): void;
  /** What is shared: references come to stand in its places. Of two that want one name the more frequent one gets it. */
  all(): Record<string, unknown>;
}

interface Alike {
  readonly name: string;
  readonly component: { description?: string; example?: unknown };
  readonly places: { readonly description: string | undefined; refer(reference: object): void }[];
}

export function shareComponents(kind: 'parameters' | 'responses'): SharedComponents {
  const known = new Map<string, Alike>();
  return {
    add(place, key, name) {
      const component: Alike['component'] = place[key];
      const { description, example, ...rest } = component;
      const text = JSON.stringify(rest);
      const alike: Alike = known.get(text) ?? { name, component: { ...component }, places: [] };
      known.set(text, alike);
      alike.component.example ??= example;
      alike.places.push({ description, refer: (reference) => Object.assign(place, { [key]: reference }) });
    },
    all() {
      const shared: Record<string, unknown> = {};
      for (const { name, component, places } of [...known.values()].sort((a, b) => b.places.length - a.places.length)) {
        if (places.length === 1 || name in shared) continue;
        shared[name] = component;
        for (const { description, refer } of places)
          refer({
            $ref: `#/components/${kind}/${name}`,
            ...(description === component.description ? {} : { description }),
          });
      }
      return shared;
    },
  };
}
