/** What the guide answers from: sections of the documentation's pages, and the operations as they are declared. */

/** Markdown, as it stands in the page. */
export interface Piece {
  readonly text: string;
  /** Of a row: the head of its table. */
  readonly head?: string;
  readonly code?: true;
}

export interface Section {
  /** `webhooks`: the page is `/docs/webhooks`. */
  readonly page: string;
  /** The page's. */
  readonly title: string;
  /** Headings down to its own, or the name of what a row explains; '': the page's beginning. */
  readonly heading: string;
  /** Of the rendered page; null: it has none. */
  readonly anchor: string | null;
  readonly pieces: readonly Piece[];
}

export interface DocumentedCall {
  /** Its id. */
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** What the credential must have, and whether the request is signed. */
  readonly needs: string;
  /** A command that sends its example. */
  readonly command: string;
}

export interface Source {
  readonly title: string;
  /** Of this service. */
  readonly url: string;
  /** Verbatim. */
  readonly quote: string;
}

export interface GuideAnswer {
  /** False: it is not in the documentation. */
  readonly found: boolean;
  /** Markdown: the sources, the calls and what surrounds them. */
  readonly answer: string;
  readonly sources: readonly Source[];
  readonly calls: readonly DocumentedCall[];
}
