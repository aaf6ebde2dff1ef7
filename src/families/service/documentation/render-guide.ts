/** A guide's Markdown as HTML. Its links lead to the pages that the service has. */
import { Marked, type MarkedExtension, type Tokens } from 'marked';

export interface Guide {
  readonly name: string;
  /** HTML, as the rest. */
  readonly title: string;
  /** Its first sentence. */
  readonly about: string;
  readonly body: string;
}

/** `served` holds paths below docs/, guides with `.md`. */
export function renderGuide(name: string, markdown: string, served: ReadonlySet<string>): Guide {
  const marked = new Marked(links(served), places());
  const tokens = marked.lexer(markdown);
  const isOf = (type: string) => (token: { type: string }) => token.type === type;
  const title = (tokens.find(isOf('heading')) as Tokens.Heading | undefined)?.text ?? name;
  const first = (tokens.find(isOf('paragraph')) as Tokens.Paragraph | undefined)?.text ?? '';
  const about = marked.parseInline(/^[\s\S]*?[.:](?=\s|$)/.exec(first)?.[0] ?? first, { async: false });
  return { name, title: escaped(title), about, body: marked.parser(tokens) };
}

/** In a sentence: docs/signing.md, or /docs/signing. */
const MENTION = /^\/?(docs\/[\w/-]+(?:\.\w+)?)/;

function links(served: ReadonlySet<string>): MarkedExtension {
  /** null: it is not served. */
  const pathOf = (href: string): string | null => {
    if (/^(https?:|#)/.test(href)) return href;
    const { pathname, hash } = new URL(href, 'file:///');
    const file = pathname.slice(1);
    return served.has(file) ? `/docs/${file.replace(/\.md$/, '')}${hash}` : null;
  };
  return {
    extensions: [
      {
        name: 'mention',
        level: 'inline',
        start: (source) => source.search(/\/?docs\/\w/),
        tokenizer(source) {
          const [raw, file = ''] = MENTION.exec(source) ?? [];
          if (raw === undefined || this.lexer.state.inLink) return undefined;
          const path = file.slice('docs/'.length);
          const href = pathOf(path) === null ? `${path}.md` : path;
          if (pathOf(href) === null) return undefined;
          return { type: 'link', raw, href, text: raw, tokens: [{ type: 'text', raw, text: pathOf(href) }] };
        },
      },
    ],
    renderer: {
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const path = pathOf(href);
        // It is in the repository alone.
        return path === null ? `${text} <code>docs/${escaped(href)}</code>` : `<a href="${escaped(path)}">${text}</a>`;
      },
      image: ({ href, text }) => `<img src="${escaped(pathOf(href) ?? href)}" alt="${escaped(text)}">`,
      // What stands at the head of those that are made is for who would change them.
      html: ({ text }) => (text.startsWith('<!--') ? '' : escaped(text)),
    },
  };
}

/** Headings are named as GitHub names them; a row of a table by the code that it begins with. */
function places(): MarkedExtension {
  const idOf = createAnchors();
  return {
    renderer: {
      heading({ depth, text, tokens }) {
        return `<h${depth} id="${idOf(slugOf(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      tablerow({ text }) {
        const [, code] = /^\s*<td><code>([\w.-]+)<\/code><\/td>/.exec(text) ?? [];
        return `<tr${code === undefined ? '' : ` id="${idOf(code)}"`}>${text}</tr>\n`;
      },
    },
  };
}

/** Ids of one page: a name that was there before is numbered. */
export function createAnchors(): (name: string) => string {
  const taken = new Map<string, number>();
  return (name) => {
    const before = taken.get(name) ?? 0;
    taken.set(name, before + 1);
    return before === 0 ? name : `${name}-${before}`;
  };
}

export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (one) => ENTITIES[one] as string);
