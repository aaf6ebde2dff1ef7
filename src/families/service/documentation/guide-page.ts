/** The page around a guide: a little CSS, no script, nothing from elsewhere. */
import { createHash } from 'node:crypto';
import type { Guide } from './render-guide.ts';

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d5d9e0, #3a4149); --tint: light-dark(#f4f6f8, #1d2228); }
body { font: 16px/1.6 system-ui, sans-serif; max-width: 52rem; margin: 0 auto; padding: 0 1rem 4rem;
  color: light-dark(#1c2430, #d8dde3); background: light-dark(#fff, #14181d); overflow-wrap: break-word; }
nav { padding: 1rem 0; border-bottom: 1px solid var(--line); }
a { color: light-dark(#1c4f8c, #8fbcf0); }
h1, h2, h3 { line-height: 1.25; margin-top: 2.5rem; }
h1 { margin-top: 1.5rem; }
pre, table { display: block; overflow-x: auto; max-width: 100%; }
pre, code { font: .875rem/1.5 ui-monospace, monospace; background: var(--tint); border-radius: 4px; }
pre { padding: .75rem 1rem; }
code { padding: .1em .25em; }
pre code { padding: 0; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem; border: 1px solid var(--line); }
td { overflow-wrap: normal; }
img { max-width: 100%; height: auto; background: #fff; }
:target { background: light-dark(#fff3c4, #4a3f14); }
`;

export const GUIDE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `body`: HTML. */
const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Ashlar</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<nav><a href="/docs/guides">Guides</a> · <a href="/docs">API reference</a></nav>
<main>
${body}</main>
</body>
</html>
`;

export const guidePage = ({ title, body }: Guide): string => page(title, body);

export const guidesPage = (guides: readonly Guide[]): string =>
  page(
    'Guides',
    `<h1 id="guides">Guides</h1>
<p>Each operation is described in the <a href="/docs">API reference</a>.</p>
<dl>
${guides.map(({ name, title, about }) => `<dt><a href="/docs/${name}">${title}</a></dt>\n<dd>${about}</dd>\n`).join('')}</dl>
`,
  );
