/** Reads a Debian mirror out of apt's own sources, in both of their formats (sources.list(5)). Pure. */

/** Suites of Debian itself: other vendors' sources name other suites, and security archives hold no full suite. */
const DEBIAN_SUITE =
  /^(bullseye|bookworm|trixie|forky|duke|sid|oldoldstable|oldstable|stable|testing|unstable)(-updates|-backports)?$/;

interface Source {
  types: string[];
  uris: string[];
  suites: string[];
  components: string[];
}

/** The first URI that serves a Debian suite's `main`, or null where the sources name none. */
export function debianMirror(sourceFiles: readonly { name: string; text: string }[]): string | null {
  for (const file of sourceFiles) {
    const sources = file.name.endsWith('.sources') ? deb822Sources(file.text) : oneLineSources(file.text);
    for (const source of sources) {
      const uri = source.uris[0];
      if (!uri || !source.types.includes('deb') || !source.components.includes('main')) continue;
      if (source.suites.some((suite) => DEBIAN_SUITE.test(suite))) return uri;
    }
  }
  return null;
}

function deb822Sources(text: string): Source[] {
  return text
    .split(/\n\s*\n/)
    .map((stanza) => {
      const fields = new Map<string, string[]>();
      let current: string[] = [];
      for (const line of stanza.split('\n')) {
        if (line.startsWith('#')) continue;
        const field = /^([A-Za-z-]+):(.*)$/.exec(line);
        if (field) {
          current = [];
          fields.set(field[1]!.toLowerCase(), current);
        }
        current.push(...words(field ? field[2]! : line));
      }
      return fields;
    })
    .filter((fields) => fields.get('enabled')?.[0] !== 'no')
    .map((fields) => ({
      types: fields.get('types') ?? [],
      uris: fields.get('uris') ?? [],
      suites: fields.get('suites') ?? [],
      components: fields.get('components') ?? [],
    }));
}

function oneLineSources(text: string): Source[] {
  return text.split('\n').flatMap((line) => {
    const [type, uri, suite, ...components] = words(line.replace(/#.*/, '').replace(/\[[^\]]*\]/, ' '));
    return type && uri && suite ? [{ types: [type], uris: [uri], suites: [suite], components }] : [];
  });
}

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
