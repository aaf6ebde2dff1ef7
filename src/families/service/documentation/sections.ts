/** A guide's sections, of which each can be linked and quoted. */
import { Lexer, type Token, type Tokens } from 'marked';
import type { Piece, Section } from '../../../core/inference/guide/documented.ts';
import { createAnchors, slugOf } from './render-guide.ts';

/** A table of more rows is a list to look things up in: each row is a section. */
const LOOKED_UP = 20;

export function sectionsOf(page: string, markdown: string): Section[] {
  const idOf = createAnchors();
  const headings: string[] = [];
  const sections: (Section & { pieces: Piece[] })[] = [];
  let title = page;
  const begin = (heading: string, anchor: string | null): Piece[] => {
    const pieces: Piece[] = [];
    sections.push({ page, title, heading, anchor, pieces });
    return pieces;
  };
  let pieces = begin('', null);
  for (const token of Lexer.lex(markdown)) {
    if (isA<Tokens.Heading>(token, 'heading')) {
      if (sections.length === 1) title = token.text;
      headings.splice(token.depth - 1, Infinity, token.text);
      const below = headings.filter((heading) => heading !== title);
      pieces = begin(below.join(' › '), idOf(slugOf(token.text)));
    } else if (isA<Tokens.Table>(token, 'table')) {
      const rows = rowsOf(token);
      const anchors = token.rows.map(([first]) => {
        const [, code] = /^`([\w.-]+)`$/.exec(first?.text ?? '') ?? [];
        return code === undefined ? null : idOf(code);
      });
      if (rows.length <= LOOKED_UP) pieces.push(...rows);
      else
        for (const [at, row] of rows.entries()) begin(token.rows[at]?.[0]?.text ?? '', anchors[at] ?? null).push(row);
    } else pieces.push(...piecesOf(token));
  }
  return sections.filter((section) => section.pieces.length > 0);
}

function piecesOf(token: Token): Piece[] {
  if (isA<Tokens.List>(token, 'list')) return token.items.map(({ raw }) => ({ text: raw.trimEnd() }));
  if (isA<Tokens.Code>(token, 'code')) return token.lang === 'mermaid' ? [] : [{ text: token.raw.trim(), code: true }];
  return token.type === 'space' || token.type === 'html' ? [] : [{ text: token.raw.trim() }];
}

function rowsOf({ raw }: Tokens.Table): Piece[] {
  const [head, line, ...rows] = raw.trimEnd().split('\n');
  return rows.map((text) => ({ text, head: `${head}\n${line}` }));
}

const isA = <Kind extends Token>(token: Token, type: Kind['type']): token is Kind => token.type === type;
