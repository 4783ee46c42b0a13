import MarkdownIt from 'markdown-it';

/**
 * Renders a page of Markdown. `rewrite` gives the address of a link, null where the handbook has
 * no such page: its text stays. Answers `title`, `html`, and for the search `sections`: `anchor`,
 * `heading` and `text` of each part below a heading.
 */
export function createRenderer(rewrite) {
  const markdown = new MarkdownIt({ html: true });
  const { rules } = markdown.renderer;
  // The policy of the page refuses attributes with styles; narrow columns align by themselves.
  for (const name of ['th_open', 'td_open']) {
    rules[name] = (tokens, at) => `<${tokens[at].tag}>`;
  }
  // What scrolls can be reached by the keyboard.
  rules['table_open'] = () => '<div class="wide" tabindex="0"><table>';
  rules['table_close'] = () => '</table></div>';
  rules['fence'] = (tokens, at) => codeBlock(tokens[at].content);
  rules['code_block'] = rules['fence'];

  return (text) => {
    const tokens = markdown.parse(text, {});
    const sections = sectionsOf(tokens);
    relink(tokens, rewrite);
    const html = markdown.renderer.render(tokens, markdown.options, {});
    return { title: escaped(sections[0]?.heading ?? ''), html, sections };
  };
}

/** A block of code. */
export function codeBlock(text) {
  return `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`;
}

/** Text as HTML. */
export function escaped(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Gives headings their anchors, and collects what stands below each. */
function sectionsOf(tokens) {
  const sections = [];
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const heading = textOf(tokens[at + 1]);
      const anchor = sections.length === 0 ? '' : anchorOf(heading);
      token.attrSet('id', anchorOf(heading));
      sections.push({ anchor, heading, text: '' });
    } else if (token.type === 'inline' && tokens[at - 1]?.type !== 'heading_open') {
      const section = sections.at(-1);
      if (section !== undefined) section.text += `${textOf(token)} `;
    }
  }
  return sections;
}

function textOf({ children }) {
  return children
    .map(({ type, content }) => (type === 'text' || type === 'code_inline' ? content : ' '))
    .join('');
}

/** The anchor of a heading, as Git hosts make it. */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function relink(tokens, rewrite) {
  for (const token of tokens) {
    if (token.children !== null) relink(token.children, rewrite);
    if (token.type === 'link_open') {
      const link = rewrite(token.attrGet('href'));
      if (link === null) token.attrs = [];
      else token.attrSet('href', link);
    }
    if (token.type.startsWith('html_')) {
      token.content = token.content.replace(
        /\b(src|srcset)="([^"]+)"/g,
        (_, name, link) => `${name}="${rewrite(link)}"`,
      );
    }
  }
}
