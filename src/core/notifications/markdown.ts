/** The HTML of a notification's Markdown (CommonMark): no HTML of its author's, no images, links to http, https and mailto alone. */
import MarkdownIt from 'markdown-it';

/** Characters: what takes longest of so many takes half of the 20 ms that a request may. */
export const MAX_BODY = 5_000;

const LINK = /^(https?:|mailto:)/i;
/** What stands for a URL that is put in its place when all is rendered (templates.ts), and how that is written as a link's target. */
export const urlSlot = (at: number): string => `\uE001${at}\uE002`;
const URL_SLOT = /^%EE%80%81\d+%EE%80%82$/;

// Tables may come out a hundred times as long as they are; images would tell their server who reads, and when.
const markdown = new MarkdownIt({ html: false, linkify: false }).disable(['table', 'image', 'reference']);
markdown.validateLink = (url) => LINK.test(url.trim()) || URL_SLOT.test(url);
const { link_open: linkOpen } = markdown.renderer.rules;
markdown.renderer.rules.link_open = (tokens, at, options, env, self) => {
  tokens[at]!.attrSet('rel', 'noopener noreferrer nofollow');
  return linkOpen?.(tokens, at, options, env, self) ?? self.renderToken(tokens, at, options);
};

export const htmlOf = (text: string): string => markdown.render(text);
